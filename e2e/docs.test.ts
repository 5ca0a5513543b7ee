import { cpSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyEmbeddedTemplate } from "../packages/framerail/src/store/testing/open-store.js";
import { checkJson } from "./docs/check-json.js";
import { checkTypes } from "./docs/check-types.js";
import { checkYaml, generateStatusIds } from "./docs/check-yaml.js";
import { type Page, readPage, withPorts } from "./docs/page.js";
import { runProgram } from "./docs/program.js";
import { createProject, type Project, ROOT } from "./docs/project.js";
import { runShell } from "./docs/shell.js";
import type { Program } from "./harness/program.js";
import { startProgram } from "./harness/program.js";

const PAGES = ["write-an-agent", "registry-and-languages", "connect-a-client", "how-turns-end"];
const pages = PAGES.map((name) => readPage(name, readFileSync(join(ROOT, `docs/${name}.md`), "utf8")));

/** The ports that the pages name, and those of this run. */
const ports = new Map<number, number>();
const SERVER_PORT = 4180;
/** Of what the pages start by themselves. */
const OWN_PORTS = [4181, 4190];
const here = (page: Page) => withPorts(page, ports);

let project: Project;
beforeAll(async () => {
  let free = PORT_MIN + (process.pid % PORTS);
  for (const named of OWN_PORTS) {
    free = await findPort(free + 1);
    ports.set(named, free);
  }
  project = createProject(pages.map(here));
});
afterAll(() => project?.remove());

/** Below the ports that the system gives away by itself. */
const PORT_MIN = 20_000;
const PORTS = 8_000;

/** The first free port from this one on. */
async function findPort(from: number): Promise<number> {
  for (let port = from; ; port += 1) {
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => resolve(true));
    });
    await new Promise<void>((resolve) => void probe.close(() => resolve()));
    if (isFree) return port;
  }
}

describe("every block of code in the documentation", () => {
  test("says how it is run", () => {
    expect([...pages.flatMap(({ findings }) => findings), ...project.findings]).toEqual([]);
  });

  test("is a sound registry, or a script that a model can play", async () => {
    expect(await checkYaml(pages, project.folder)).toEqual([]);
  });

  test("compiles, with the status ids of the pages' own registry", () => {
    const generated = generateStatusIds(project.folder, "status-ids.d.ts");
    expect(generated).toHaveLength(1);
    expect(checkTypes(pages, project.folder, generated)).toEqual([]);
  }, 120_000);

  test("is a frame or an event where it says so", () => {
    expect(pages.flatMap(checkJson)).toEqual([]);
  });
});

describe("with a server on the pages' own agents, every block that runs", () => {
  let data: string;
  let server: Program;
  beforeAll(async () => {
    data = copyEmbeddedTemplate();
    // Where a server that the pages start has its own, without the time it takes to make one.
    cpSync(data, join(project.folder, ".framerail"), { recursive: true });
    const folders = ["--agents", join(project.folder, "agents"), "--registry", join(project.folder, "registry")];
    server = await startProgram({ args: ["dev", ...folders, "--data", data, "--port", "0"] });
    ports.set(SERVER_PORT, server.port);
  }, 120_000);
  afterAll(async () => {
    await server?.kill();
    if (data !== undefined) rmSync(data, { recursive: true, force: true });
  });

  for (const page of pages) {
    test(`prints in a shell what ${page.name} shows`, async () => {
      expect(await runShell(here(page), project.folder)).toEqual([]);
    }, 180_000);

    test(`prints in Node what ${page.name} shows`, async () => {
      expect(await runProgram(here(page), project.folder)).toEqual([]);
    }, 180_000);
  }
});
