-- What is looked for by the minute is not read from the beginning: the keys of a turn that is refused, a span of usage.

create index idempotency_keys_turn on idempotency_keys (turn_id);
create index llm_usage_events_time on llm_usage_events (org_id, occurred_at);

-- From version 16 on, who makes a role is a member of it that may not take it, until it is given once more.
do $$
declare
  name text;
begin
  if current_setting('server_version_num')::int < 160000 then return; end if;
  foreach name in array array['framerail_app', 'framerail_system'] loop
    if not pg_has_role(current_user, name, 'set') then execute format('grant %I to current_user', name); end if;
  end loop;
end $$;
