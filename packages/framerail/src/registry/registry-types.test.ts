import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { openRegistry } from "./open-registry.js";
import { generateStatusTypes } from "./registry-types.js";
import { EXAMPLE, entryText, localeText, REPOSITORY, writeFolder } from "./testing/registry-folder.js";

function typesOf(fragment: string, ids: readonly string[]): string {
  const files = { "platform/status_events.yaml": fragment, "locales/en.yaml": localeText(ids) };
  return generateStatusTypes(openRegistry(writeFolder(files)));
}

test("the text holds the active ids only, sorted, and is the same for the same registry", () => {
  const a = entryText("a");
  const b = entryText("b.deep");
  const old = entryText("old", { lifecycle: "deprecated" });
  const text = typesOf(a + b + old, ["a", "old", "b.deep"]);
  expect(text).toContain('  interface StatusRegistry {\n    "a": true;\n    "b.deep": true;\n  }\n');
  expect(typesOf(old + b + a, ["a", "old", "b.deep"])).toBe(text);
});

test("an author's registered ids compile, and prose or a misspelt id does not [W-FR-3a]", () => {
  const dir = writeFolder({
    "status-ids.d.ts": generateStatusTypes(openRegistry(EXAMPLE)),
    // The author's door with nothing behind it but what is judged here; compiling all of it takes long.
    "door.ts": `
      export type { StatusId, StatusRegistry } from ${JSON.stringify(join(import.meta.dirname, "../agent/status-id.js"))};
      export { writer } from ${JSON.stringify(join(import.meta.dirname, "../agent/writer.js"))};
    `,
    "author.ts": [
      'import { writer } from "framerail/agent";',
      'writer().status("searching_offers");',
      'writer().status("waiting_approval", { tool: "refund" });',
      'writer().status("searching_ofers");',
      'writer().status("Searching offers for you");',
    ].join("\n"),
  });
  const program = ts.createProgram([join(dir, "status-ids.d.ts"), join(dir, "author.ts")], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
    typeRoots: [join(REPOSITORY, "node_modules/@types")],
    paths: {
      "framerail/agent": [join(dir, "door.ts")],
      "@framerail/protocol": [join(REPOSITORY, "packages/protocol/src/index.ts")],
    },
  });
  // The generated file is among them: it must be sound by itself, and skipLibCheck would pass over it.
  const own = ["author.ts", "door.ts", "status-ids.d.ts"].map((name) => program.getSourceFile(join(dir, name)));
  const found = own.flatMap((file) => [
    ...program.getSemanticDiagnostics(file),
    ...program.getSyntacticDiagnostics(file),
  ]);
  const lines = found.map(({ file, start, code }) => [file?.getLineAndCharacterOfPosition(start ?? 0).line, code]);
  expect(lines).toEqual([
    [3, 2345],
    [4, 2345],
  ]);
});
