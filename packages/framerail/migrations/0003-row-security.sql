-- Who sees which rows. Requests run as framerail_app with one tenant set for the transaction; the program's own chores
-- (group commit, sealing, retention, key lookup) run as framerail_system, which sees the tables of those chores only.
-- Forced: the owner of the tables obeys too. Without a tenant, nothing is seen.

do $$
declare
  name text;
begin
  foreach name in array array['framerail_app', 'framerail_system'] loop
    begin
      execute format('create role %I nologin nosuperuser nobypassrls', name);
    exception
      -- Roles belong to the whole server: another database of it may have made them, perhaps at this moment.
      when duplicate_object or unique_violation then null;
    end;
    -- Where the roles were made and given by somebody else, we may have no right to give them again.
    if not pg_has_role(current_user, name, 'member') then
      execute format('grant %I to current_user', name);
    end if;
  end loop;
end $$;

-- After a transaction that set it, an unset variable reads as '', which no cast accepts.
create function current_org() returns uuid language sql stable as $$
  select nullif(current_setting('app.org_id', true), '')::uuid
$$;

do $$
declare
  name text;
begin
  foreach name in array array[
    'conversations', 'agent_sessions', 'turns', 'turn_frames', 'turn_events', 'messages', 'llm_usage_events',
    'agent_audit_log', 'approvals', 'budgets', 'budget_periods', 'budget_reservations', 'idempotency_keys',
    'pipeline_states', 'api_keys'
  ] loop
    execute format(
      'create policy %I on %I to framerail_app using (org_id = current_org()) with check (org_id = current_org())',
      name || '_org_isolation', name);
  end loop;
  foreach name in array array['turns', 'turn_frames', 'turn_events', 'idempotency_keys', 'api_keys', 'leases'] loop
    execute format('create policy %I on %I to framerail_system using (true) with check (true)', name || '_system', name);
  end loop;
end $$;

create policy organizations_org_isolation on organizations to framerail_app
  using (id = current_org()) with check (id = current_org());
create policy checkpoints_org_isolation on agent_checkpoints to framerail_app
  using (org_id = current_org()) with check (org_id = current_org());

do $$
declare
  name text;
begin
  for name in select tablename from pg_tables where schemaname = current_schema() and tablename <> 'framerail_migrations'
  loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
  end loop;
end $$;

grant select, insert, update, delete on
  conversations, agent_sessions, agent_checkpoints, turns, turn_frames, turn_events, messages, approvals, budgets,
  budget_periods, budget_reservations, idempotency_keys, pipeline_states, api_keys
  to framerail_app;
grant select, insert, update on organizations to framerail_app;
grant select, insert on agent_audit_log, llm_usage_events to framerail_app;

grant select, update on turns to framerail_system;
grant select, insert, delete on turn_frames, turn_events to framerail_system;
grant select, delete on idempotency_keys to framerail_system;
grant select on api_keys to framerail_system;
grant select, insert, update, delete on leases to framerail_system;
