import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { NewApiKey } from "./api-keys.js";
import { createApiKey, findApiKey, hasUsableApiKey, listApiKeys, revokeApiKey } from "./api-keys.js";
import type { Database } from "./database.js";
import type { Sql, Statement } from "./sql.js";
import type { TestStore } from "./testing/open-store.js";
import { createTenant, DRIVERS, openStore } from "./testing/open-store.js";

describe.each(DRIVERS)("keys on the %s driver", (name) => {
  let store: TestStore;
  let org: string;
  beforeAll(async () => {
    store = await openStore(name);
  });
  beforeEach(async () => {
    org = await createTenant(store.database);
  });
  afterAll(() => store.close());

  const run = <T>(work: (sql: Sql) => Promise<T>, orgId = org) => store.database.asTenant(orgId, work);
  const create = (fields: Partial<NewApiKey> = {}) =>
    run((sql) => createApiKey(sql, { id: randomUUID(), name: "backend", kind: "service", ...fields }));
  const find = (key: string) => findApiKey(store.database, key);

  test("nobody comes in by a key before there is one, nor after the last is revoked [D-18]", async () => {
    await store.admin("delete from api_keys");
    expect(await hasUsableApiKey(store.database)).toBe(false);
    const { row } = await create();
    expect(await hasUsableApiKey(store.database)).toBe(true);
    await run((sql) => revokeApiKey(sql, row.id));
    expect(await hasUsableApiKey(store.database)).toBe(false);
  });

  test("a key is frk_ and 256 random bits, and never the same twice [D-13]", async () => {
    const keys = new Set<string>();
    for (let index = 0; index < 20; index += 1) keys.add((await create()).key);
    expect(keys.size).toBe(20);
    for (const key of keys) {
      expect(key).toMatch(/^frk_[A-Za-z0-9_-]{43}$/);
      expect(Buffer.from(key.slice(4), "base64url")).toHaveLength(32);
    }
  });

  test("the key itself is nowhere in the database: only its SHA-256 is, and no list shows that [D-13]", async () => {
    const { key, row } = await create();
    const [kept] = await store.admin<{ whole: string; hash: string }>(
      `select k::text as whole, encode(key_hash, 'hex') as hash from api_keys as k where id = '${row.id}'`,
    );
    expect(kept?.hash).toBe(createHash("sha256").update(key).digest("hex"));
    expect(kept?.whole).not.toContain(key.slice(4));
    const told = JSON.stringify([row, await run((sql) => listApiKeys(sql)), await find(key)]);
    expect(told).not.toContain(key.slice(4));
    expect(told).not.toContain(kept?.hash);
    expect(told).not.toMatch(/hash/i);
  });

  test("a key leads to its tenant, and a user's key to its user [D-18]", async () => {
    const service = await create();
    const user = await create({ kind: "user", userId: "user_1" });
    expect(await find(service.key)).toEqual({ orgId: org, keyId: service.row.id, kind: "service", userId: null });
    expect(await find(user.key)).toEqual({ orgId: org, keyId: user.row.id, kind: "user", userId: "user_1" });
  });

  test("a user's key without a user, and a service's key with one, are refused [D-18]", async () => {
    await expect(create({ kind: "user" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(create({ userId: "user_1" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(create({ name: "\0" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await run((sql) => listApiKeys(sql))).toEqual([]);
  });

  test("a revoked key is found no more, and was revoked when it was first [D-18]", async () => {
    const { key, row } = await create();
    const first = await run((sql) => revokeApiKey(sql, row.id));
    expect(first.revokedAt).toEqual(expect.any(Number));
    expect(await find(key)).toBeUndefined();
    expect(await run((sql) => revokeApiKey(sql, row.id))).toEqual(first);
  });

  test("a key is found until it expires and no longer [D-18]", async () => {
    const late = await create({ expiresAt: Date.now() + 3_600_000 });
    const past = await create({ expiresAt: Date.now() - 3_600_000 });
    expect(await find(late.key)).toMatchObject({ keyId: late.row.id });
    expect(await find(past.key)).toBeUndefined();
  });

  test("another tenant can neither list nor revoke a key [D-12]", async () => {
    const { key, row } = await create();
    const stranger = await createTenant(store.database);
    expect(await run((sql) => listApiKeys(sql), stranger)).toEqual([]);
    for (const id of [row.id, "none"])
      await expect(run((sql) => revokeApiKey(sql, id), stranger)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await find(key)).toMatchObject({ orgId: org });
  });

  test("every text costs the same work: one look-up by a hash of 32 bytes, whatever was sent [D-13]", async () => {
    const { key } = await create();
    const asked: Statement[] = [];
    const watched = {
      asSystem: (statement: Statement) => {
        asked.push(statement);
        return store.database.asSystem(statement);
      },
    } as Database;
    const guesses = [
      "",
      "frk_",
      "nonsense \0\ud800",
      `${key}x`,
      key.slice(0, -1),
      key.toUpperCase(),
      "x".repeat(16_384),
    ];
    for (const guess of guesses) expect(await findApiKey(watched, guess)).toBeUndefined();
    expect(await findApiKey(watched, key)).toBeDefined();
    expect(asked).toHaveLength(guesses.length + 1);
    expect(new Set(asked.map(({ text }) => text)).size).toBe(1);
    for (const { values } of asked) expect(values?.map((value) => (value as Uint8Array).length)).toEqual([32]);
  });
});
