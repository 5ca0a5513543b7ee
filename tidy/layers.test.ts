import { describe, expect, test } from "vitest";
import { ARROWS } from "./arrows.js";
import { expectNone, summarize } from "./finding.js";
import { checkCycles, checkLayers } from "./layers.js";
import { readTree } from "./tree.js";

/** What one file with this one import gives, as the sentence of its finding. */
function judge(path: string, specifier: string): string | undefined {
  return checkLayers(new Map([[path, `// Header.\n\nimport { x } from "${specifier}";\n`]]))[0]?.says;
}

const protocol = "packages/protocol/src";
const framerail = "packages/framerail/src";

describe("this repository", () => {
  test("every import follows the arrows", () => {
    expectNone(checkLayers(readTree()));
  });

  test("no file imports itself by way of others", () => {
    expectNone(checkCycles(readTree()));
  });
});

describe("the protocol", () => {
  test("a source imports no package and nothing of Node, whatever the syntax", () => {
    for (const name of ["node:fs", "fs", "ajv", "@framerail/client", "framerail"])
      expect(judge(`${protocol}/frame/x.ts`, name)).toContain(`may not import ${name}`);
    const forms = [
      'import "ajv";',
      'import type { A } from "ajv";',
      'export { a } from "ajv";',
      'const a = await import("ajv");',
      'type A = import("ajv").A;',
      'import a = require("ajv");',
    ];
    for (const form of forms)
      expect(summarize(checkLayers(new Map([[`${protocol}/frame/x.ts`, form]]))), form).toEqual([
        `${protocol}/frame/x.ts:1 layers`,
      ]);
  });

  test("an arrow against the table is named with its line and the row it breaks", () => {
    const tree = new Map([[`${protocol}/frame/x.ts`, '// Header.\n\nimport { y } from "../event/y.js";\n']]);
    expect(checkLayers(tree)).toEqual([
      {
        file: `${protocol}/frame/x.ts`,
        line: 3,
        rule: "layers",
        says: "frame may not import event (../event/y.js); it may import schema, error, limits, clock (tidy/arrows.ts)",
      },
    ]);
  });

  test("folders depend downwards only", () => {
    const order = ["error", "schema", "frame", "event", "lifecycle", "pipeline"];
    for (const [index, folder] of order.entries())
      for (const above of order.slice(index + 1))
        expect(
          judge(`${protocol}/${folder}${folder === "error" ? "" : "/x"}.ts`, `../${above}/y.js`),
          above,
        ).toBeDefined();
    for (const [folder, below] of [
      ["codec", "frame"],
      ["envelope", "lifecycle"],
      ["transcript", "codec"],
      ["schema", "clock"],
    ])
      expect(judge(`${protocol}/${folder}/x.ts`, `../${below}/y.js`), folder).toContain(`may not import ${below}`);
  });

  test("a folder and a root file without a row are refused", () => {
    expect(judge(`${protocol}/extras/x.ts`, "./y.js")).toContain("has no row");
    expect(judge(`${protocol}/extras.ts`, "./error.js")).toContain("has no row");
    expect(judge(`${protocol}/frame/x.ts`, "../extras/y.js")).toContain("has no row");
    expect(judge("packages/extras/src/x.ts", "./y.js")).toContain("has no row");
  });

  test("sources leave test code, dev tools and other packages' folders alone", () => {
    expect(judge(`${protocol}/frame/x.ts`, "./testing/y.js")).toContain("is test code");
    expect(judge(`${protocol}/frame/x.ts`, "./y.test.js")).toContain("is test code");
    expect(judge(`${protocol}/frame/x.ts`, "../../contract/compare.js")).toContain("is not a source");
    expect(judge("packages/client/src/x.ts", "../../protocol/src/error.js")).toContain("leaves the package");
  });

  test("tests import anything of their package and any tool, but no other package's folders", () => {
    for (const name of ["vitest", "node:fs", "../pipeline/y.js", "./testing/y.js", "../../contract/compare.js"])
      expect(judge(`${protocol}/frame/x.test.ts`, name), name).toBeUndefined();
    expect(judge(`${protocol}/frame/testing/x.ts`, "fast-check")).toBeUndefined();
    expect(judge(`${protocol}/whole-package.test.ts`, "./index.js")).toBeUndefined();
    expect(judge(`${protocol}/whole-package.test.ts`, "framerail")).toContain("may not import");
    expect(judge(`${protocol}/frame/x.test.ts`, "../../../client/src/y.js")).toContain("leaves the package");
    expect(judge(`${protocol}/frame/x.test.ts`, "@framerail/client")).toContain("may not import");
  });
});

describe("the client and the console", () => {
  test("both import the protocol by its doors and nothing else", () => {
    for (const name of ["client", "console"]) {
      expect(judge(`packages/${name}/src/x.ts`, "@framerail/protocol")).toBeUndefined();
      expect(judge(`packages/${name}/src/x.ts`, "@framerail/protocol/schema")).toBeUndefined();
      expect(judge(`packages/${name}/src/x.ts`, "@framerail/protocol/dist/error.js")).toContain("is not a door");
      for (const other of ["framerail", "framerail/agent", "node:http", "lodash"])
        expect(judge(`packages/${name}/src/x.ts`, other), other).toContain(`may not import ${other}`);
    }
  });

  test("React is for the client's react folder", () => {
    expect(judge("packages/client/src/react/use-turn.ts", "react")).toBeUndefined();
    expect(judge("packages/client/src/react/use-turn.ts", "react-dom")).toContain("may not import");
    expect(judge("packages/client/src/turn.ts", "react")).toContain("may not import react");
  });
});

describe("the runtime", () => {
  test("a driver is imported by cli and by tests only", () => {
    for (const driver of ["log/memory", "log/redis", "store/embedded", "store/postgres"]) {
      const port = driver.split("/")[0];
      for (const folder of Object.keys(ARROWS.framerail?.folders ?? {})) {
        if (folder === "cli" || folder === driver) continue;
        expect(
          judge(`${framerail}/${folder}/x.ts`, `${folder.includes("/") ? "../../" : "../"}${driver}/y.js`),
          folder,
        ).toBeDefined();
      }
      expect(judge(`${framerail}/cli/serve.ts`, `../${driver}/y.js`)).toBeUndefined();
      expect(judge(`${framerail}/publish/x.test.ts`, `../${driver}/y.js`)).toBeUndefined();
      expect(judge(`${framerail}/${driver}/x.ts`, `../${port}.js`)).toBeUndefined();
    }
  });

  test("the path of a turn is one-way", () => {
    const against = [
      ["agent", "worker"],
      ["agent", "publish"],
      ["policy", "publish"],
      ["log", "publish"],
      ["log", "gateway"],
      ["publish", "dispatch"],
      ["dispatch", "gateway"],
      ["dispatch", "worker"],
      ["worker", "dispatch"],
      ["store", "history"],
      ["gateway", "store"],
      ["gateway", "agent"],
      ["telemetry", "log"],
    ];
    for (const [from, to] of against)
      expect(judge(`${framerail}/${from}/x.ts`, `../${to}/y.js`), `${from} → ${to}`).toContain(`may not import ${to}`);
    expect(judge(`${framerail}/publish/x.ts`, "../policy/decide.js")).toBeUndefined();
    expect(judge(`${framerail}/gateway/x.ts`, "pg")).toBeUndefined();
  });

  test("only cli uses the client", () => {
    expect(judge(`${framerail}/cli/chat.ts`, "@framerail/client")).toBeUndefined();
    expect(judge(`${framerail}/gateway/x.ts`, "@framerail/client")).toContain("may not import");
  });

  test("the table itself has no arrow that comes back", () => {
    for (const { folders } of Object.values(ARROWS)) {
      const reaches = (from: string, seen: Set<string>): Set<string> => {
        for (const to of folders[from] ?? []) if (!seen.has(to)) reaches(to, seen.add(to));
        return seen;
      };
      for (const folder of Object.keys(folders))
        if (folder !== "*") expect(reaches(folder, new Set())).not.toContain(folder);
    }
  });
});

describe("cycles", () => {
  test("a cycle over three files is named once, in order, types included", () => {
    const tree = new Map([
      ["packages/client/src/a.ts", 'import { b } from "./b.js";'],
      ["packages/client/src/b.ts", '\nimport type { C } from "./c.js";'],
      ["packages/client/src/c.ts", 'export { a } from "./a.js";'],
      ["packages/client/src/d.ts", 'import { a } from "./a.js";'],
    ]);
    expect(checkCycles(tree)).toEqual([
      {
        file: "packages/client/src/c.ts",
        line: 1,
        rule: "cycles",
        says: "closes packages/client/src/a.ts → packages/client/src/b.ts → packages/client/src/c.ts → packages/client/src/a.ts",
      },
    ]);
  });

  test("a file that imports itself is a cycle, a diamond is none", () => {
    expect(summarize(checkCycles(new Map([["tidy/a.ts", 'import "./a.js";']])))).toEqual(["tidy/a.ts:1 cycles"]);
    const diamond = new Map([
      ["tidy/a.ts", 'import "./b.js"; import "./c.js";'],
      ["tidy/b.ts", 'import "./d.js";'],
      ["tidy/c.ts", 'import "./d.js";'],
      ["tidy/d.ts", ""],
    ]);
    expect(checkCycles(diamond)).toEqual([]);
  });
});
