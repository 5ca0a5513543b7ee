-- The whole schema. One dialect: it runs unchanged in process (PGlite) and on a Postgres server from version 15.
--
-- Rules that hold for every table here:
--   K1. A tenant's row is keyed by (org_id, id), and foreign keys carry org_id too: uniqueness and foreign keys do not
--       obey row security, so a key without the tenant would tell one tenant what another has.
--   K2. Times are timestamptz; who reads them gets epoch milliseconds.
--   K3. Nothing is deleted by a cascade that an auditor would miss: the audit log refers to no row that can go away.

create table organizations (
  id uuid primary key,
  name text not null default '',
  created_at timestamptz not null default now()
);

create table conversations (
  org_id uuid not null references organizations (id),
  id uuid not null,
  user_id text not null,
  created_at timestamptz not null default now(),
  primary key (org_id, id)
);

create table agent_sessions (
  org_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  agent_id text not null,
  user_id text not null,
  status text not null default 'active'
    check (status in ('initializing', 'active', 'suspended', 'error', 'terminated')),
  locale text,
  metadata jsonb not null default '{}',
  -- What the session began with. Never changed afterwards, and never reused for checkpoints.
  snapshot_data jsonb not null default '{}',
  -- Points at the row of agent_checkpoints that a resume starts from.
  checkpoint_key text,
  loop_count integer not null default 0 check (loop_count >= 0),
  last_heartbeat timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, id),
  foreign key (org_id, conversation_id) references conversations (org_id, id)
);
create index agent_sessions_conversation on agent_sessions (org_id, conversation_id);

create table agent_checkpoints (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null references organizations (id),
  session_id uuid not null,
  checkpoint_key text not null,
  bytes bytea not null,
  bytes_sha256 text not null,
  loop_iteration integer not null check (loop_iteration >= 0),
  created_at timestamptz not null default now(),
  unique (session_id, loop_iteration),
  foreign key (org_id, session_id) references agent_sessions (org_id, id) on delete cascade
);
create index idx_checkpoints_session_latest on agent_checkpoints (session_id, loop_iteration desc);

create table turns (
  org_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  conversation_id uuid not null,
  agent_id text not null,
  user_id text not null,
  status text not null default 'dispatching' check (status in ('dispatching', 'refused', 'running', 'ended')),
  -- Who runs it, and for which time: a frame or an end of an earlier epoch is refused.
  owner uuid not null,
  epoch integer not null default 1 check (epoch > 0),
  on_disconnect jsonb not null default '{}',
  episode_id text,
  parent_run_id uuid,
  outcome jsonb,
  usage jsonb,
  last_seq integer not null default 0,
  -- The terminal frame as it goes over the wire: what a new owner appends when the old one died after its commit.
  terminal bytea,
  created_at timestamptz not null default now(),
  first_frame_at timestamptz,
  ended_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, session_id) references agent_sessions (org_id, id) on delete cascade,
  foreign key (org_id, conversation_id) references conversations (org_id, id),
  check ((status = 'ended') = (outcome is not null)),
  check ((status = 'ended') = (terminal is not null))
);
-- A session has one turn at a time.
create unique index turns_one_open on turns (org_id, session_id) where status in ('dispatching', 'running');
create index turns_open on turns (owner) where status in ('dispatching', 'running');
create index turns_session on turns (org_id, session_id, created_at desc);
create index turns_ended on turns (ended_at) where status = 'ended';

create table turn_frames (
  org_id uuid not null,
  turn_id uuid not null,
  epoch integer not null,
  first_seq integer not null check (first_seq > 0),
  last_seq integer not null check (last_seq >= first_seq),
  -- The frames' SSE bytes, one after the other, compressed.
  bytes bytea not null,
  created_at timestamptz not null default now(),
  primary key (org_id, turn_id, first_seq),
  foreign key (org_id, turn_id) references turns (org_id, id) on delete cascade
);
create index turn_frames_created on turn_frames (created_at);

create table turn_events (
  org_id uuid not null,
  turn_id uuid not null,
  epoch integer not null,
  -- The how-manieth event of its epoch, and the last frame that was out when it was written.
  position integer not null check (position > 0),
  after_seq integer not null check (after_seq >= 0),
  type text not null,
  emitter text not null,
  event jsonb not null,
  created_at timestamptz not null default now(),
  primary key (org_id, turn_id, epoch, position),
  foreign key (org_id, turn_id) references turns (org_id, id) on delete cascade
);
create index turn_events_created on turn_events (created_at);

create table messages (
  org_id uuid not null,
  id text not null check (id ~ '^msg_[0-9a-f-]{36}$'),
  conversation_id uuid not null,
  run_id uuid not null,
  role text not null check (role in ('user', 'assistant')),
  content_items jsonb not null,
  created_at timestamptz not null,
  completed_at timestamptz,
  duration_ms bigint not null default 0 check (duration_ms >= 0),
  tokens_used jsonb,
  incomplete boolean not null default false,
  primary key (org_id, id),
  -- One message of each role per turn: a commit that is tried twice cannot write a second.
  unique (org_id, run_id, role),
  foreign key (org_id, conversation_id) references conversations (org_id, id),
  foreign key (org_id, run_id) references turns (org_id, id) on delete cascade
);
create index messages_conversation_created on messages (conversation_id, created_at desc, id desc);
create index messages_run on messages (run_id);

create table llm_usage_events (
  org_id uuid not null,
  turn_id uuid not null,
  -- The how-manieth model call of its turn.
  call integer not null check (call > 0),
  session_id uuid not null,
  agent_id text not null,
  model text not null,
  input_tokens bigint not null check (input_tokens >= 0),
  output_tokens bigint not null check (output_tokens >= 0),
  reasoning_tokens bigint not null default 0 check (reasoning_tokens >= 0),
  cached_tokens bigint not null default 0 check (cached_tokens >= 0),
  cost_usd numeric(18, 9) not null default 0,
  ttft_ms integer not null default 0,
  total_ms integer not null default 0,
  estimated boolean not null default false,
  occurred_at timestamptz not null,
  primary key (org_id, turn_id, call),
  foreign key (org_id, turn_id) references turns (org_id, id)
);
create index llm_usage_events_agent on llm_usage_events (org_id, agent_id, occurred_at);

create table agent_audit_log (
  org_id uuid not null references organizations (id),
  id uuid not null,
  session_id uuid not null,
  turn_id uuid,
  action_type text not null,
  parent_id uuid,
  -- From the message that started it down to this action.
  provenance_chain jsonb not null check (jsonb_typeof(provenance_chain) = 'array' and provenance_chain <> '[]'),
  detail jsonb not null default '{}',
  duration_ms integer,
  occurred_at timestamptz not null default now(),
  primary key (org_id, id)
);
create index agent_audit_log_session on agent_audit_log (org_id, session_id, occurred_at);

create table approvals (
  org_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  turn_id uuid not null,
  tool_call_id text not null,
  tool_name text not null,
  -- Of the tool and its arguments: what was approved is what may run.
  digest text not null,
  summary jsonb not null default '{}',
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'expired', 'withdrawn', 'used')),
  note text,
  resolved_by text,
  requested_at timestamptz not null default now(),
  expires_at timestamptz not null,
  resolved_at timestamptz,
  primary key (org_id, id),
  unique (org_id, turn_id, tool_call_id),
  foreign key (org_id, session_id) references agent_sessions (org_id, id) on delete cascade,
  foreign key (org_id, turn_id) references turns (org_id, id) on delete cascade
);
create index approvals_pending on approvals (org_id, session_id) where status = 'pending';

create table budgets (
  org_id uuid not null references organizations (id),
  id uuid not null,
  -- Null: the whole tenant's.
  agent_id text,
  token_limit bigint not null check (token_limit >= 0),
  period text not null default 'month' check (period in ('day', 'month', 'total')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, id),
  unique nulls not distinct (org_id, agent_id)
);

create table budget_periods (
  org_id uuid not null,
  budget_id uuid not null,
  period_start timestamptz not null,
  settled_tokens bigint not null default 0 check (settled_tokens >= 0),
  reserved_tokens bigint not null default 0 check (reserved_tokens >= 0),
  -- The highest threshold that was audited: 0, 70, 90 or 100.
  audited_percent integer not null default 0,
  primary key (org_id, budget_id, period_start),
  foreign key (org_id, budget_id) references budgets (org_id, id) on delete cascade
);

create table budget_reservations (
  org_id uuid not null,
  id uuid not null,
  budget_id uuid not null,
  period_start timestamptz not null,
  turn_id uuid not null,
  tokens bigint not null check (tokens > 0),
  created_at timestamptz not null default now(),
  -- One call may hold a share of the agent's budget and one of the tenant's.
  primary key (org_id, id, budget_id),
  foreign key (org_id, budget_id, period_start)
    references budget_periods (org_id, budget_id, period_start) on delete cascade,
  foreign key (org_id, turn_id) references turns (org_id, id) on delete cascade
);
create index budget_reservations_turn on budget_reservations (org_id, turn_id);

create table idempotency_keys (
  org_id uuid not null,
  principal text not null,
  session_id uuid not null,
  key text not null check (length(key) between 1 and 255),
  body_sha256 text not null,
  turn_id uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (org_id, principal, session_id, key),
  foreign key (org_id, session_id) references agent_sessions (org_id, id) on delete cascade,
  foreign key (org_id, turn_id) references turns (org_id, id) on delete cascade
);
create index idempotency_keys_expires on idempotency_keys (expires_at);

create table pipeline_states (
  org_id uuid not null references organizations (id),
  pipeline_id text not null,
  stream text not null,
  state jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (org_id, pipeline_id, stream)
);

create table api_keys (
  org_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  -- SHA-256 of the key; the key itself is shown once and kept nowhere.
  key_hash bytea not null unique,
  kind text not null check (kind in ('service', 'user')),
  user_id text,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (org_id, id),
  check (kind = 'service' or user_id is not null)
);

-- One row per process. Its expiry is on the database's clock, so no process's own clock decides who is alive.
create table leases (
  owner uuid primary key,
  expires_at timestamptz not null
);
