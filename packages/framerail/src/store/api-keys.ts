// The table `api_keys`: credentials of programs and users that have no token of an identity provider.
// Owns: making, finding and revoking keys. Does not own: what a key may do (the gateway).
//   A1. A key is 256 random bits [D-13]. It is shown when it is made and kept nowhere: the table has its SHA-256, which is
//       enough for bits that nobody can guess.
//   A2. Finding does the same work for every text: one hash, one look-up by the hash. How long it takes says nothing
//       about how near a guess was.
//   A3. A key that is revoked or has expired, by the database's clock, is found no more.

import { createHash, randomBytes } from "node:crypto";
import { FramerailError } from "@framerail/protocol";
import { notFound, requireText, requireTextOrNull, requireTime, requireUuid } from "./checked-value.js";
import type { Database } from "./database.js";
import type { Sql } from "./sql.js";
import { isUuid } from "./uuid.js";

const PREFIX = "frk_";
const KEY_BYTES = 32;
/** The newest that a list shows. */
export const KEYS_LISTED_MAX = 1_000;

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** Only a service may speak for users [D-18]; a user's key speaks for its one user. */
  readonly kind: "service" | "user";
  readonly userId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface NewApiKey {
  readonly id: string;
  readonly name: string;
  readonly kind: "service" | "user";
  readonly userId?: string;
  readonly expiresAt?: number;
}

/** Whom a key stands for. */
export interface KeyHolder {
  readonly orgId: string;
  readonly keyId: string;
  readonly kind: "service" | "user";
  readonly userId: string | null;
}

const COLUMNS = `id, name, kind, user_id as "userId", created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt"`;
const USABLE = "revoked_at is null and (expires_at is null or expires_at > clock_timestamp())";

/** Makes a key. `key` is the only time that it is told (A1). */
export async function createApiKey(
  sql: Sql,
  wanted: NewApiKey,
): Promise<{ readonly key: string; readonly row: ApiKey }> {
  const { id, name, kind, userId, expiresAt } = wanted;
  if ((kind === "user") !== (userId !== undefined)) {
    throw new FramerailError("INVALID_ARGUMENT", "a user's key names its user, and a service's key names none");
  }
  const key = `${PREFIX}${randomBytes(KEY_BYTES).toString("base64url")}`;
  const [row] = await sql.query<ApiKey>(
    `insert into api_keys (org_id, id, name, key_hash, kind, user_id, expires_at)
    values (current_org(), $1, $2, $3, $4, $5, $6) returning ${COLUMNS}`,
    [
      requireUuid("key id", id),
      requireText("name", name),
      hashKey(key),
      kind,
      requireTextOrNull("user id", userId),
      expiresAt === undefined ? null : requireTime("expires_at", expiresAt),
    ],
  );
  return { key, row: row as ApiKey };
}

/** Before anybody knows a tenant, so as the program itself. Undefined for every text that is no usable key (A2, A3). */
export async function findApiKey(database: Database, key: string): Promise<KeyHolder | undefined> {
  const [holder] = await database.asSystem<KeyHolder>({
    text: `select org_id as "orgId", id as "keyId", kind, user_id as "userId" from api_keys
      where key_hash = $1 and ${USABLE}`,
    values: [hashKey(key)],
  });
  return holder;
}

/** Whether anybody at all could come in by a key. */
export async function hasUsableApiKey(database: Database): Promise<boolean> {
  const [row] = await database.asSystem<{ any: boolean }>({
    text: `select exists (select from api_keys where ${USABLE}) as any`,
  });
  return row?.any === true;
}

/** Ends a key at once. Revoking it again changes nothing; a key that is not this tenant's is NOT_FOUND. */
export async function revokeApiKey(sql: Sql, keyId: string): Promise<ApiKey> {
  if (!isUuid(keyId)) throw notFound("key");
  const [row] = await sql.query<ApiKey>(
    `update api_keys set revoked_at = coalesce(revoked_at, clock_timestamp())
    where org_id = current_org() and id = $1 returning ${COLUMNS}`,
    [keyId],
  );
  if (row === undefined) throw notFound("key");
  return row;
}

/** The tenant's keys, newest first, without anything of the keys themselves (A1). */
export function listApiKeys(sql: Sql): Promise<ApiKey[]> {
  return sql.query<ApiKey>(
    `select ${COLUMNS} from api_keys where org_id = current_org() order by created_at desc, id limit $1`,
    [KEYS_LISTED_MAX],
  );
}

function hashKey(key: string): Uint8Array {
  return createHash("sha256").update(key, "utf8").digest();
}
