import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createAuthenticator } from "../gateway/auth/authenticate.js";
import type { KeyDocument } from "../session/api-keys.js";
import { createApiKeys } from "../session/api-keys.js";
import { createDatabase } from "../store/database.js";
import { openEmbeddedDriver } from "../store/embedded/embedded-driver.js";
import { createPostgresDriver } from "../store/postgres/postgres-driver.js";
import type { SqlDriver } from "../store/sql.js";
import type { DriverName } from "../store/testing/open-store.js";
import { copyEmbeddedTemplate, createPostgresDatabase, DRIVERS } from "../store/testing/open-store.js";
import { THREAD } from "../store/testing/thread.js";
import type { OpenStore } from "./key-command.js";
import { addKeyCommand } from "./key-command.js";
import { runProgram } from "./program.js";
import { createTerminal } from "./terminal.js";

/** The program; on a folder, with the thread of the embedded database as it is built. */
async function run(args: readonly string[], openStore?: OpenStore) {
  let [out, err] = ["", ""];
  const terminal = createTerminal({ out: (text) => (out += text), err: (text) => (err += text) });
  if (openStore === undefined) return { code: await runProgram(["key", ...args], terminal), out, err };
  const program = new Command().exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  addKeyCommand(program, terminal, openStore);
  await program.parseAsync(["key", ...args], { from: "user" });
  return { code: 0, out, err };
}

const openFolder: OpenStore = (_command, { data = "" }) => openEmbeddedDriver({ folder: data, thread: THREAD });

interface Place {
  readonly args: readonly string[];
  open(): Promise<SqlDriver> | SqlDriver;
  dispose(): Promise<void>;
}

async function createPlace(name: DriverName): Promise<Place> {
  if (name === "postgres") {
    const { url, drop } = await createPostgresDatabase();
    return { args: ["--database-url", url], open: () => createPostgresDriver({ url }), dispose: drop };
  }
  const folder = copyEmbeddedTemplate();
  return {
    args: ["--data", folder],
    open: () => openEmbeddedDriver({ folder, thread: THREAD }),
    dispose: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  };
}

describe.each(DRIVERS)("keys by the program on the %s driver", (name) => {
  const tenant = randomUUID();
  let place: Place;
  beforeAll(async () => {
    // What is named wins over the environment.
    vi.stubEnv("DATABASE_URL", "postgres://127.0.0.1:1/nowhere");
    place = await createPlace(name);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await place.dispose();
  });

  const key = (...args: readonly string[]) =>
    run([...args, "--tenant", tenant, ...place.args], name === "embedded" ? openFolder : undefined);
  const list = async () => JSON.parse((await key("list", "--json")).out) as KeyDocument[];

  /** Whom the text of a key leads to, as a server would say it. */
  async function callerOf(text: string) {
    const driver = await place.open();
    try {
      const keys = createApiKeys(createDatabase(driver));
      expect(await keys.hasUsable()).toBe(true);
      return await createAuthenticator({ findKey: keys.find })(`Bearer ${text}`);
    } finally {
      await driver.close();
    }
  }

  test("a key is alone on stdout, shown once, and leads to its tenant, which is made with it [D-13, D-18]", async () => {
    const { out, err, code } = await key("create", "--name", "backend");
    expect(code).toBe(0);
    expect(out).toMatch(/^frk_[\w-]{43}\n$/);
    expect(err).toMatch(/^made key [0-9a-f-]{36}; keep it now, it is not shown again\n$/);
    expect(await callerOf(out.trim())).toMatchObject({ tenantId: tenant, kind: "service", userId: undefined });
    for (const args of [["list"], ["list", "--json"]])
      expect((await key(...args)).out).not.toContain(out.trim().slice(4));
  });

  test("a user's key with an end is listed with both, and leads to its user [D-18]", async () => {
    const made = await key("create", "--name", "Zoë's laptop", "--user", "user_1", "--expires-days", "90", "--json");
    const { key: text, ...row } = JSON.parse(made.out) as KeyDocument & { key: string };
    expect(made.err).toBe("");
    expect(row).toMatchObject({ name: "Zoë's laptop", kind: "user", user_id: "user_1", revoked_at: null });
    expect(((row.expires_at ?? 0) - row.created_at) / 86_400_000).toBeCloseTo(90, 1);
    expect(await callerOf(text)).toMatchObject({ kind: "user", userId: "user_1", subject: `key:${row.key_id}` });
    expect((await list())[0]).toEqual(row);
    expect((await key("list")).out).toMatch(
      new RegExp(`^ID .*\\n${row.key_id} +Zoë's laptop +user +user_1 +20.* usable\\n`),
    );
  });

  test("a revoked key is refused by the next who looks, stays in the list, and can be revoked again [D-18]", async () => {
    const { key: text, key_id: id } = JSON.parse(
      (await key("create", "--name", "old", "--json")).out,
    ) as KeyDocument & {
      key: string;
    };
    const revoked = `revoked ${id}; every server refuses it within 5 s\n`;
    for (const spelling of [id, id.toUpperCase()])
      expect(await key("revoke", spelling)).toEqual({ out: revoked, err: "", code: 0 });
    await expect(callerOf(text)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    expect((await list()).find(({ key_id }) => key_id === id)?.revoked_at).toEqual(expect.any(Number));
    expect((await key("list")).out).toMatch(new RegExp(`${id} .* revoked\\n`));
  });
});

test("another tenant's key is not there to revoke, and names that would write on terminals are refused [D-12]", async () => {
  const { url, drop } = await createPostgresDatabase();
  const at = (tenant: string) => ["--tenant", tenant, "--database-url", url];
  const [mine, other] = [randomUUID(), randomUUID()];
  const { key_id } = JSON.parse((await run(["create", "--name", "a", "--json", ...at(mine)])).out) as KeyDocument;
  for (const id of [key_id, "nonsense"])
    expect(await run(["revoke", id, ...at(other)])).toEqual({ out: "", err: "error: there is no such key\n", code: 1 });
  expect(JSON.parse((await run(["list", "--json", ...at(other)])).out)).toEqual([]);
  for (const name of ["", "  ", "\u001b[2J", "a\nb"])
    expect(await run(["create", "--name", name, ...at(mine)])).toMatchObject({ out: "", code: 1 });
  expect(JSON.parse((await run(["list", "--json", ...at(mine)])).out)).toHaveLength(1);
  await drop();
});

test("a folder without our schema is refused with what to do about it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "framerail-empty-"));
  const attempt = run(["list", "--tenant", randomUUID(), "--data", folder], openFolder);
  await expect(attempt).rejects.toMatchObject({
    code: "STORE_REFUSED",
    message: expect.stringContaining("framerail migrate") as string,
  });
  rmSync(folder, { recursive: true, force: true });
});
