// README.md and docs/: every block of code there runs, and what it shows is compared with what it prints.

import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyEmbeddedTemplate, createEmptyDatabase } from "../packages/framerail/src/store/testing/open-store.js";
import { checkJson } from "./docs/check-json.js";
import { checkTypes } from "./docs/check-types.js";
import { checkYaml, generateStatusIds } from "./docs/check-yaml.js";
import { type Page, readPage, withPlaces } from "./docs/page.js";
import { runProgram } from "./docs/program.js";
import { createProject, type Project, ROOT } from "./docs/project.js";
import { runScreens } from "./docs/screen.js";
import { findMisquoted, runShell } from "./docs/shell.js";
import { call, openSession } from "./harness/caller.js";
import type { Program } from "./harness/program.js";
import { startProgram } from "./harness/program.js";

const readPages = (paths: readonly string[]) =>
  paths.map((path) => readPage(basename(path, ".md"), readFileSync(join(ROOT, path), "utf8")));

/** Together they are one project, and talk with its agents. */
const GUIDES = ["write-an-agent", "registry-and-languages", "connect-a-client", "how-turns-end", "operate"];
const guides = readPages(GUIDES.map((name) => `docs/${name}.md`));
/** They talk with the demo agents. README has an agent besides, and is read in the repository's root. */
const [readme, ...others] = readPages(["README.md", "docs/terminal.md"]) as [Page, ...Page[]];
const tours = [readme, ...others];
const pages = [...guides, ...tours];

/** What the pages name, and what it is in this run. */
const places = new Map<string, string>();
const DATABASE = "postgres://framerail@db/framerail";
const SERVER_PORT = "4180";
/** Of what the pages start by themselves. */
const OWN_PORTS = ["4181", "4190", "9094"];
const here = (page: Page) => withPlaces(page, places);

let project: Project;
let tour: Project;
beforeAll(async () => {
  let free = PORT_MIN + (process.pid % PORTS);
  for (const named of OWN_PORTS) {
    free = await findPort(free + 1);
    places.set(named, String(free));
  }
  project = createProject(guides.map(here));
  tour = createProject(tours.map(here), {
    "backend.ts": join(ROOT, "e2e/docs/readme/backend.ts"),
    registry: join(ROOT, "examples/registry"),
  });
});
afterAll(() => {
  project?.remove();
  tour?.remove();
});

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
  test("stands on a page that is looked at", () => {
    const files = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
    const unread = files.filter((name) => !pages.some((page) => `${page.name}.md` === name));
    const left = readPages(unread.map((name) => `docs/${name}`));
    expect(left.flatMap(({ blocks, findings }) => [...blocks, ...findings])).toEqual([]);
  });

  test("says how it is run", () => {
    expect([...pages.flatMap(({ findings }) => findings), ...project.findings, ...tour.findings]).toEqual([]);
  });

  test("is a sound registry, or a script that a model can play", async () => {
    expect(await checkYaml(guides, project.folder)).toEqual([]);
    expect(await checkYaml(tours, tour.folder)).toEqual([]);
  });

  test("compiles, with the status ids of its project's registry", () => {
    for (const [set, { folder }] of [
      [guides, project],
      [tours, tour],
    ] as const) {
      const generated = generateStatusIds(folder, "status-ids.d.ts");
      expect(generated).toHaveLength(1);
      expect(checkTypes(set, folder, generated)).toEqual([]);
    }
  }, 120_000);

  test("is a frame or an event where it says so", () => {
    expect(pages.flatMap(checkJson)).toEqual([]);
  });

  test("is what another page runs where it says so", () => {
    expect(pages.flatMap((page) => findMisquoted(page, pages))).toEqual([]);
  });
});

describe("with a server on the guides' own agents, every block that runs", () => {
  let data: string;
  let server: Program;
  let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
  beforeAll(async () => {
    data = copyEmbeddedTemplate();
    database = await createEmptyDatabase();
    places.set(DATABASE, database.url);
    // Where a server that the pages start has its own, without the time it takes to make one.
    cpSync(data, join(project.folder, ".framerail"), { recursive: true });
    const folders = ["--agents", join(project.folder, "agents"), "--registry", join(project.folder, "registry")];
    server = await startProgram({ args: ["dev", ...folders, "--data", data, "--port", "0"] });
    places.set(SERVER_PORT, String(server.port));
  }, 120_000);
  afterAll(async () => {
    await server?.kill();
    await database?.drop();
    if (data !== undefined) rmSync(data, { recursive: true, force: true });
  });

  for (const page of guides) {
    test(`prints in a shell what ${page.name} shows`, async () => {
      expect(await runShell(here(page), project.folder)).toEqual([]);
    }, 180_000);

    test(`prints in Node what ${page.name} shows`, async () => {
      expect(await runProgram(here(page), project.folder)).toEqual([]);
    }, 180_000);
  }
});

describe("with a server on the demo agents, every block that runs", () => {
  let data: string;
  let server: Program;
  beforeAll(async () => {
    data = copyEmbeddedTemplate();
    const env = { FRAMERAIL_SCRIPT_SPEED: "4", OPENAI_API_KEY: "" };
    server = await startProgram({ args: ["dev", "--data", data, "--port", "0"], env });
    places.set(SERVER_PORT, String(server.port));
  }, 120_000);
  afterAll(async () => {
    await server?.kill();
    if (data !== undefined) rmSync(data, { recursive: true, force: true });
  });

  for (const page of tours) {
    const cwd = () => (page === readme ? ROOT : tour.folder);

    test(`prints in a shell what ${page.name} shows`, async () => {
      expect(await runShell(here(page), tour.folder, cwd())).toEqual([]);
    }, 180_000);

    test(`prints in Node what ${page.name} shows`, async () => {
      expect(await runProgram(here(page), tour.folder)).toEqual([]);
    }, 180_000);

    test(`leaves on a terminal what ${page.name} shows`, async () => {
      expect(await runScreens(here(page), tour.folder, cwd())).toEqual([]);
    }, 180_000);
  }
});

test("the agent of README answers, with its sub-agent's status", async () => {
  const folders = ["agents", "registry", "data"].flatMap((name) => [`--${name}`, join(tour.folder, name)]);
  await using server = await startProgram({ args: ["dev", ...folders, "--port", "0"] });
  const session = await openSession(server.url, "assistant");
  const { text } = await call(`${server.url}/v1/sessions/${session}/turns`, {
    method: "POST",
    headers: { accept: "application/x-ndjson" },
    body: { message: "Any coffee?" },
  });
  expect(text).toMatch(
    /"event_id":"searching_offers"[\s\S]*"chunk":"Two for one on coffee\."[\s\S]*"event_type":"completed"/,
  );
}, 120_000);
