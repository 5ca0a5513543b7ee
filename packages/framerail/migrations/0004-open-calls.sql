-- Model calls under way. A row is written before the model is asked and goes with the turn's final commit, which has a usage
-- row for each; what a process that died leaves here is what it may have spent without telling.

create table open_calls (
  org_id uuid not null,
  turn_id uuid not null,
  -- The how-manieth model call of its turn.
  call integer not null check (call > 0),
  model text not null,
  -- What it was about to send, by estimate.
  input_tokens bigint not null check (input_tokens >= 0),
  cost_usd numeric(18, 9) not null default 0,
  -- How many calls of the turn had told their figures when this one began: none of those figures is its own.
  told integer not null check (told >= 0),
  begun_at timestamptz not null,
  primary key (org_id, turn_id, call),
  foreign key (org_id, turn_id) references turns (org_id, id) on delete cascade
);

create policy open_calls_org_isolation on open_calls to framerail_app
  using (org_id = current_org()) with check (org_id = current_org());
alter table open_calls enable row level security;
alter table open_calls force row level security;
grant select, insert, update, delete on open_calls to framerail_app;
