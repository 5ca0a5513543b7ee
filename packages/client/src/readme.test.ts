import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const HERE = join(import.meta.dirname, "..");
const ROOT = join(HERE, "../..");

/** What a reader of the page would have around its blocks. */
const AROUND = `
declare function fetchToken(): Promise<string>;
declare function showBusy(): void;
`;

test("every block of code in the README compiles against the package", () => {
  const blocks = [...readFileSync(join(HERE, "README.md"), "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
  expect(blocks.length).toBeGreaterThan(3);
  // One file: the page is read from top to bottom.
  const name = join(HERE, "src/readme-blocks.ts");
  const text = `${AROUND}${blocks.map(([, code]) => code).join("\n")}\nexport { Chat };\n`;
  const config = ts.readConfigFile(join(ROOT, "tsconfig.check.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === name || fileExists(path);
  host.getSourceFile = (path, ...rest) =>
    path === name ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true) : getSourceFile(path, ...rest);
  const program = ts.createProgram([name], options, host);
  const source = program.getSourceFile(name);
  const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
});
