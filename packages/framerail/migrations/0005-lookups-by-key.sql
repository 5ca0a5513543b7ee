-- A row is found by its key, whatever the tables looked like when the database made its plan. Plans are kept, and one that
-- was made for a small table reads a whole tenant once the table is large. So:
--   K4. No index but a key begins with org_id: where rows are few, it looks to a planner as good as the key.
--   K5. What is open has a column of its own. An index over `status` would be taken for the end of a turn, which names the
--       status too, and each end would read all turns that run.

alter table turns add column is_open boolean not null generated always as (status in ('dispatching', 'running')) stored;

drop index turns_one_open;
drop index turns_open;
drop index turns_session;
-- A session has one turn at a time.
create unique index turns_one_open on turns (session_id, org_id) where is_open;
create index turns_open on turns (owner) where is_open;
create index turns_session on turns (session_id, created_at desc);

drop index agent_sessions_conversation;
create index agent_sessions_conversation on agent_sessions (conversation_id);
drop index agent_audit_log_session;
create index agent_audit_log_session on agent_audit_log (session_id, occurred_at);
drop index approvals_pending;
create index approvals_pending on approvals (session_id) where status = 'pending';
drop index budget_reservations_turn;
create index budget_reservations_turn on budget_reservations (turn_id);
