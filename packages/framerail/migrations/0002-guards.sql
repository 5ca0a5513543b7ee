-- What the database itself refuses, whoever asks.

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create trigger agent_audit_log_append_only before update or delete on agent_audit_log
  for each row execute function refuse_change();
create trigger agent_audit_log_no_truncate before truncate on agent_audit_log
  for each statement execute function refuse_change();

create function keep_snapshot() returns trigger language plpgsql as $$
begin
  if new.snapshot_data is distinct from old.snapshot_data then
    raise exception 'the snapshot of a session is never changed' using errcode = 'check_violation';
  end if;
  return new;
end $$;

create trigger agent_sessions_snapshot before update on agent_sessions
  for each row execute function keep_snapshot();

-- The key (session_id, loop_iteration) has no tenant in it, and uniqueness is checked before foreign keys are: without
-- this, a stranger who tries an iteration would learn from the kind of error whether the session has it.
create function require_session() returns trigger language plpgsql as $$
begin
  if not exists (select from agent_sessions where org_id = new.org_id and id = new.session_id) then
    raise exception 'no such session' using errcode = 'foreign_key_violation';
  end if;
  return new;
end $$;

create trigger agent_checkpoints_session before insert on agent_checkpoints
  for each row execute function require_session();
