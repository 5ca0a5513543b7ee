// A database whose first commit is not answered, as when the line breaks at that moment: before the server had it, or after.

import { FramerailError } from "@framerail/protocol";
import type { Database } from "../database.js";
import type { Sql } from "../sql.js";

export function loseAnswer(database: Database, when: "before" | "after"): Database {
  let lost = false;
  const asTenant = async (orgId: string, work: (sql: Sql) => Promise<unknown>): Promise<unknown> => {
    if (lost) return database.asTenant(orgId, work);
    lost = true;
    const unknown = new FramerailError("COMMIT_UNKNOWN", "the line broke");
    await database.asTenant(orgId, async (sql) => {
      await work(sql);
      // What is thrown here rolls it back.
      if (when === "before") throw unknown;
    });
    throw unknown;
  };
  return { ...database, asTenant } as Database;
}
