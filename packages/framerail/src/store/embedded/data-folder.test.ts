import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AS_CONNECTED } from "../sql.js";
import { copyEmbeddedTemplate } from "../testing/open-store.js";
import { THREAD } from "../testing/thread.js";
import { EMBEDDED_VERSION } from "./data-folder.js";
import { openEmbeddedDriver } from "./embedded-driver.js";

const PROGRAM = fileURLToPath(new URL("../../cli/main.js", THREAD));

let folder: string;
beforeAll(() => {
  folder = copyEmbeddedTemplate();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inside = (path: string) => join(folder, "postgres", path);
/** Damages one file or folder of the database, and puts it back afterwards. */
async function withDamage(path: string, damage: () => void, look: () => Promise<void>): Promise<void> {
  const kept = join(folder, "kept");
  cpSync(inside(path), kept, { recursive: true });
  try {
    damage();
    await look();
  } finally {
    rmSync(inside(path), { recursive: true, force: true });
    renameSync(kept, inside(path));
    rmSync(inside("postmaster.pid"), { force: true });
  }
}
const walSegments = () => readdirSync(inside("pg_wal")).filter((name) => /^[0-9A-F]{24}$/.test(name));

/** Every file with the digest of its bytes; but for the note of a start, which the database leaves even when it fails. */
function digestFolder(): Record<string, string> {
  const digests: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === "postmaster.pid") continue;
    const path = join(entry.parentPath, entry.name);
    digests[relative(folder, path)] = createHash("sha256").update(readFileSync(path)).digest("hex");
  }
  return digests;
}

const flip = (path: string, index: number) => {
  const bytes = readFileSync(inside(path));
  bytes[index] = (bytes[index] ?? 0) ^ 0xff;
  writeFileSync(inside(path), bytes);
};
const removeLog = () => {
  for (const name of walSegments()) rmSync(inside(`pg_wal/${name}`));
};
const cutLog = (bytes: number) => {
  for (const name of walSegments()) truncateSync(inside(`pg_wal/${name}`), bytes);
};

const DAMAGE: readonly [says: string, path: string, damage: (path: string) => void][] = [
  ["whose control file has a flipped byte", "global/pg_control", (path) => flip(path, 40)],
  ["whose control file is cut short", "global/pg_control", (path) => truncateSync(inside(path), 100)],
  ["whose log is gone", "pg_wal", removeLog],
  ["whose log is empty", "pg_wal", () => cutLog(0)],
  ["whose log is cut short", "pg_wal", () => cutLog(8_192)],
  ["without its version", "PG_VERSION", (path) => rmSync(inside(path))],
  ["of an older version", "PG_VERSION", (path) => writeFileSync(inside(path), "17\n")],
  ["without its tables", "base", (path) => rmSync(inside(path), { recursive: true })],
  ["whose map of tables is empty", "global/pg_filenode.map", (path) => truncateSync(inside(path), 0)],
  ["without its record of commits", "pg_xact", (path) => rmSync(inside(path), { recursive: true })],
];

test.each(DAMAGE)("a folder %s is refused, and not a byte of it is changed", (_, path, damage) =>
  withDamage(
    path,
    () => damage(path),
    async () => {
      const before = digestFolder();
      await expect(openEmbeddedDriver({ folder, thread: THREAD })).rejects.toMatchObject({ code: "STORE_REFUSED" });
      expect(digestFolder()).toEqual(before);
    },
  ),
);

test("the program says it in one line and ends with 1", async () => {
  const older = () => writeFileSync(inside("PG_VERSION"), "17\n");
  const args = [PROGRAM, "migrate", "--data", folder];
  const run = () => Promise.resolve(spawnSync(process.execPath, args, { encoding: "utf8" }));
  let ended: Awaited<ReturnType<typeof run>> | undefined;
  await withDamage("PG_VERSION", older, async () => {
    ended = await run();
  });
  const { status, stdout, stderr = "" } = ended ?? {};
  const says = `it is of Postgres 17, this program's is ${EMBEDDED_VERSION}; nothing was changed.`;
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^error: the database in [^\n]*\n$/);
  expect(stderr).toContain(says);
});

test("the database that is made has the version that is asked for", () => {
  expect(readFileSync(inside("PG_VERSION"), "utf8").trim()).toBe(EMBEDDED_VERSION);
});

test("a damaged page of a table is an error of what reads it, and never a wrong row", async () => {
  let driver = await openEmbeddedDriver({ folder, thread: THREAD });
  await driver.once(AS_CONNECTED, { text: "insert into organizations (id) values (gen_random_uuid())" });
  const [{ path } = { path: "" }] = await driver.once<{ path: string }>(AS_CONNECTED, {
    text: "select pg_relation_filepath('organizations') as path",
  });
  await driver.close();
  flip(path, 8_180);
  driver = await openEmbeddedDriver({ folder, thread: THREAD });
  const read = driver.once(AS_CONNECTED, { text: "select * from organizations" });
  await expect(read).rejects.toMatchObject({ code: "XX001" });
  await driver.close();
});
