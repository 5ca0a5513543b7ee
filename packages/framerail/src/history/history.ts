// The history of conversations as callers read it.

import type { Database } from "../store/database.js";
import type { HistoryPage, HistoryRequest } from "./read-history.js";
import { readHistory } from "./read-history.js";

export interface History {
  /** Throws NOT_FOUND for a conversation that is not the caller's, INVALID_ARGUMENT for a limit or cursor that is none. */
  page(tenantId: string, request: HistoryRequest): Promise<HistoryPage>;
}

export function createHistory(database: Database): History {
  return { page: (tenantId, request) => database.asTenant(tenantId, (sql) => readHistory(sql, request)) };
}
