import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestStore } from "./testing/open-store.js";
import { DRIVERS, openStore } from "./testing/open-store.js";

/** Asked of the database's own catalogue, so that what is added later is judged too. */
describe.each(DRIVERS)("the schema on the %s driver", (name) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(() => store.close());

  test("row security is on and forced for every table but the list of migrations [D-12] [R-5.1-3]", async () => {
    const open = await store.admin(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and not (relrowsecurity and relforcerowsecurity)`,
    );
    expect(open).toEqual([{ relname: "framerail_migrations" }]);
  });

  test("every policy of requests compares the tenant, for reading and for writing alike [D-12] [R-5.1-3]", async () => {
    const policies = await store.admin<Record<"tablename" | "policyname" | "qual" | "with_check", string>>(
      `select tablename, policyname, qual, with_check from pg_policies
        where schemaname = 'public' and 'framerail_app' = any (roles) order by 1`,
    );
    expect(policies.length).toBeGreaterThan(15);
    for (const { tablename, qual, with_check } of policies) {
      const key = tablename === "organizations" ? "id" : "org_id";
      expect([qual, with_check]).toEqual([`(${key} = current_org())`, `(${key} = current_org())`]);
    }
    const checkpoints = policies.filter(({ tablename }) => tablename === "agent_checkpoints");
    expect(checkpoints.map(({ policyname }) => policyname)).toEqual(["checkpoints_org_isolation"]);
  });

  test("no policy and no right is for everyone, and every policy lets in what it names alone [D-12]", async () => {
    const policies = await store.admin(
      `select policyname from pg_policies where schemaname = 'public'
        and (not roles <@ array['framerail_app', 'framerail_system']::name[] or cardinality(roles) <> 1)`,
    );
    const rights = await store.admin(
      `select c.relname from pg_class c, aclexplode(c.relacl) a
        where c.relnamespace = 'public'::regnamespace and a.grantee = 0`,
    );
    expect([...policies, ...rights]).toEqual([]);
  });

  test("there is no view and no function that sees with another's eyes [D-12]", async () => {
    const views = await store.admin(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and (relkind = 'm' or relkind = 'v'
        and not coalesce(reloptions::text[] && array['security_invoker=true', 'security_invoker=on'], false))`,
    );
    const functions = await store.admin(
      "select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef",
    );
    expect([...views, ...functions]).toEqual([]);
  });

  test("our roles cannot log in, see past row security, make roles, or be each other [D-12]", async () => {
    const roles = await store.admin(
      `select rolname, rolsuper or rolbypassrls or rolcanlogin or rolcreaterole or rolcreatedb or rolreplication as more,
          (select count(*) from pg_auth_members m where m.member = r.oid) as memberships
        from pg_roles r where rolname like 'framerail%' order by 1`,
    );
    expect(roles).toEqual([
      { rolname: "framerail_app", more: false, memberships: 0 },
      { rolname: "framerail_system", more: false, memberships: 0 },
    ]);
  });

  test("uniqueness crosses tenants in known places and nowhere else [D-12] [R-5.1-2]", async () => {
    const keys = await store.admin<{ key: string }>(
      `select c.relname || ' (' || string_agg(a.attname, ', ' order by k.place) || ')' as key
        from pg_index i join pg_class c on c.oid = i.indrelid, unnest(i.indkey) with ordinality as k (column_, place)
        join pg_attribute a on a.attnum = k.column_
        where a.attrelid = i.indrelid and i.indisunique and c.relnamespace = 'public'::regnamespace
        group by i.indexrelid, c.relname having not bool_or(a.attname = 'org_id') order by 1`,
    );
    expect(keys.map(({ key }) => key)).toEqual([
      "agent_checkpoints (id)",
      "agent_checkpoints (session_id, loop_iteration)",
      "api_keys (key_hash)",
      "framerail_migrations (version)",
      "leases (owner)",
      "organizations (id)",
    ]);
  });

  test("a row refers to rows of its own tenant by a key that says so [D-12]", async () => {
    const keys = await store.admin<{ name: string; columns: string; others: string }>(
      `select conname as name, other.relname as others, (
          select string_agg(a.attname || '=' || b.attname, ', ') from unnest(k.conkey, k.confkey) as pair (mine, theirs)
            join pg_attribute a on a.attrelid = k.conrelid and a.attnum = pair.mine
            join pg_attribute b on b.attrelid = k.confrelid and b.attnum = pair.theirs) as columns
        from pg_constraint k join pg_class other on other.oid = k.confrelid
        where k.contype = 'f' and k.connamespace = 'public'::regnamespace`,
    );
    expect(keys.length).toBeGreaterThan(15);
    for (const { name: key, columns, others } of keys)
      expect(columns, key).toContain(others === "organizations" ? "org_id=id" : "org_id=org_id");
  });

  test("checkpoints have the agreed columns and index, and go with their session [R-5.1-1] [R-5.1-2]", async () => {
    const columns = await store.admin(
      `select column_name || ' ' || data_type || ' ' || coalesce(column_default, '-') as says, is_nullable
        from information_schema.columns where table_name = 'agent_checkpoints' order by ordinal_position`,
    );
    const says = [
      "id uuid gen_random_uuid()",
      "org_id uuid -",
      "session_id uuid -",
      "checkpoint_key text -",
      "bytes bytea -",
      "bytes_sha256 text -",
      "loop_iteration integer -",
      "created_at timestamp with time zone now()",
    ];
    expect(columns).toEqual(says.map((column) => ({ says: column, is_nullable: "NO" })));
    const [index] = await store.admin("select pg_get_indexdef('idx_checkpoints_session_latest'::regclass) as def");
    expect(index).toEqual({ def: expect.stringMatching(/\(session_id, loop_iteration DESC\)$/) as string });
    const cascades = await store.admin(
      `select conname from pg_constraint where conrelid = 'agent_checkpoints'::regclass and contype = 'f'
        and confrelid = 'agent_sessions'::regclass and confdeltype = 'c'`,
    );
    expect(cascades).toHaveLength(1);
  });
});
