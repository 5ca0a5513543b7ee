// The table `organizations`: who pays and who is isolated.

import { requireTextOrNull } from "./checked-value.js";
import type { Sql } from "./sql.js";

/** Makes the tenant's row where it is missing. A name that is given is kept; none given changes none. */
export async function ensureOrganization(sql: Sql, orgId: string, name?: string): Promise<void> {
  await sql.query(
    name === undefined
      ? "insert into organizations (id, name) values ($1, coalesce($2, '')) on conflict (id) do nothing"
      : "insert into organizations (id, name) values ($1, $2) on conflict (id) do update set name = excluded.name",
    [orgId, requireTextOrNull("name", name)],
  );
}
