// API keys as their owners know them: made, listed, ended; and found by the text that a caller sends.
// Owns: their documents, and the ids they are made with. Does not own: rows and hashes (store/api-keys.ts), what a key may
// do (gateway/auth).
//   K1. The key itself is in the answer that makes it and nowhere else [D-13].
//   K2. Names are printable: they are shown on terminals.

import { randomUUID } from "node:crypto";
import { FramerailError } from "@framerail/protocol";
import type { ApiKey, KeyHolder } from "../store/api-keys.js";
import { createApiKey, findApiKey, hasUsableApiKey, listApiKeys, revokeApiKey } from "../store/api-keys.js";
import type { Database } from "../store/database.js";
import { ensureOrganization } from "../store/organizations.js";

export type { KeyHolder };

export interface KeyWanted {
  readonly name: string;
  /** The user whose key it is; without one it is a service's, which may speak for users [D-18]. */
  readonly userId?: string;
  readonly expiresAt?: number;
}

export interface KeyDocument {
  readonly key_id: string;
  readonly name: string;
  readonly kind: "service" | "user";
  readonly user_id: string | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

export interface ApiKeys {
  /** Makes a key, and the tenant where it is missing (K1). */
  create(tenantId: string, wanted: KeyWanted): Promise<KeyDocument & { readonly key: string }>;
  /** Newest first; at most KEYS_LISTED_MAX. */
  list(tenantId: string): Promise<KeyDocument[]>;
  /** Throws NOT_FOUND for a key that is not the tenant's. */
  revoke(tenantId: string, keyId: string): Promise<KeyDocument>;
  /** Undefined for every text that is no usable key. */
  find(key: string): Promise<KeyHolder | undefined>;
  /** Whether anybody at all could come in by a key. */
  hasUsable(): Promise<boolean>;
}

export function createApiKeys(database: Database): ApiKeys {
  return {
    async create(tenantId, { name, userId, expiresAt }) {
      requirePrintable("name", name);
      if (userId !== undefined) requirePrintable("user id", userId);
      const owner = userId === undefined ? { kind: "service" as const } : { kind: "user" as const, userId };
      const ends = expiresAt === undefined ? {} : { expiresAt };
      const { key, row } = await database.asTenant(tenantId, async (sql) => {
        await ensureOrganization(sql, tenantId);
        return createApiKey(sql, { id: randomUUID(), name, ...owner, ...ends });
      });
      return { key, ...describe(row) };
    },
    async list(tenantId) {
      const rows = await database.asTenant(tenantId, (sql) => listApiKeys(sql));
      return rows.map(describe);
    },
    async revoke(tenantId, keyId) {
      return describe(await database.asTenant(tenantId, (sql) => revokeApiKey(sql, keyId)));
    },
    find: (key) => findApiKey(database, key),
    hasUsable: () => hasUsableApiKey(database),
  };
}

function describe(row: ApiKey): KeyDocument {
  return {
    key_id: row.id,
    name: row.name,
    kind: row.kind,
    user_id: row.userId,
    created_at: row.createdAt,
    expires_at: row.expiresAt,
    revoked_at: row.revokedAt,
  };
}

// K2.
function requirePrintable(what: string, text: string): void {
  if (text.trim() === "" || /\p{Cc}/u.test(text)) {
    throw new FramerailError("INVALID_ARGUMENT", `${what} must be printable and not empty`);
  }
}
