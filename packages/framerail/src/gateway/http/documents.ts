// What goes in and out of the routes, in the language of the contract: checked on the way in, published in /openapi.json.

import type { Infer } from "@framerail/protocol/schema";
import {
  array,
  boolean,
  count,
  integer,
  json,
  map,
  nullable,
  object,
  oneOf,
  optional,
  string,
} from "@framerail/protocol/schema";
import { LOCALE_LENGTH_MAX, MESSAGE_LENGTH_MAX } from "../limits.js";

const ID_LENGTH_MAX = 256;
const id = (says: string) => string({ lengthMin: 1, lengthMax: ID_LENGTH_MAX, says });
const time = (says: string) => integer({ says: `${says} Milliseconds since 1970.` });

export const SESSION_REQUEST = object({
  agent_id: id("Which agent answers."),
  user_id: optional(id("Who talks with it. Only a service's key may name a user other than the caller.")),
  conversation_id: optional(id("A conversation of the user that is continued; without it a new one begins.")),
  locale: optional(string({ lengthMin: 1, lengthMax: LOCALE_LENGTH_MAX, says: "In which language status is told." })),
  metadata: optional(map(json(), { says: "Handed to the agent with every turn." })),
});
export type SessionRequest = Infer<typeof SESSION_REQUEST>;

export const SESSION = object({
  session_id: id("The session."),
  conversation_id: id("Its conversation."),
  agent_id: id("Which agent answers."),
  user_id: id("Who talks with it."),
  status: oneOf(["initializing", "active", "suspended", "error", "terminated"]),
  locale: nullable(string()),
  metadata: map(json()),
  created_at: time("When it was opened."),
  updated_at: time("When its status changed last."),
});

export const TURN_REQUEST = object({
  message: string({ lengthMin: 1, lengthMax: MESSAGE_LENGTH_MAX, says: "What the user says." }),
  on_disconnect: optional(
    object(
      {
        action: oneOf(["cancel", "continue"]),
        grace_ms: optional(count({ says: "How long nobody may read the turn before it is cancelled." })),
      },
      { says: "What becomes of the turn when nobody reads it." },
    ),
  ),
  limits: optional(object({ time_ms: optional(integer({ min: 1, says: "How long the turn may take." })) })),
  episode_id: optional(id("What the turn belongs to, in the caller's own books.")),
});
export type TurnRequest = Infer<typeof TURN_REQUEST>;

const USAGE_FIELDS = {
  input_tokens: count(),
  output_tokens: count(),
  total_tokens: count(),
  reasoning_tokens: count(),
  cached_tokens: count(),
};

export const MESSAGE = object(
  {
    _id: string(),
    conversation_id: string(),
    run_id: string({ says: "The turn." }),
    role: oneOf(["user", "assistant"]),
    content_items: array(json(), { says: "Items as in /schemas/content-items.json." }),
    created_at: time("When it was said."),
    completed_at: optional(time("When it was complete.")),
    incomplete: optional(boolean({ says: "The turn did not end by completing." })),
  },
  { says: "A message of a conversation." },
);

export const TURN = object({
  turn_id: id("The turn; frames call it response_id."),
  session_id: id("Its session."),
  conversation_id: id("Its conversation."),
  agent_id: id("Who answers."),
  status: oneOf(["running", "ended"]),
  outcome: nullable(
    object({
      kind: oneOf(["completed", "paused", "failed", "cancelled"]),
      code: optional(string()),
      has_more: boolean({ says: "The turn stopped at a limit and can be continued." }),
    }),
  ),
  usage: nullable(object(USAGE_FIELDS)),
  created_at: time("When it was asked for."),
  first_frame_at: nullable(time("When its first frame went out.")),
  ended_at: nullable(time("When it ended.")),
  last_seq: count({ says: "The number of its last frame so far." }),
  cursor: string({ says: "Where a reader who has seen everything so far goes on." }),
  message: nullable(MESSAGE),
});

export const TICKET = object({
  ticket: string({ says: "To be put into the address of the stream, as ?ticket=, within 30 seconds." }),
  url: string({ says: "The stream with the ticket in it." }),
});

export const AGENT = object({
  agent_id: id("The agent."),
  emitters: array(object({ id: string(), emits: array(string()) }), { says: "Who writes status, and which." }),
});

export const BUDGET_REQUEST = object({
  agent_id: optional(nullable(id("The agent it is for; without one it is the tenant's."))),
  token_limit: count({ says: "Tokens of one period." }),
  period: oneOf(["day", "month", "total"]),
});
export type BudgetRequest = Infer<typeof BUDGET_REQUEST>;

export const PROBLEM = object(
  {
    type: string(),
    title: string(),
    status: integer(),
    code: string({ says: "One of the codes in the protocol." }),
    detail: optional(string()),
  },
  { says: "RFC 9457." },
);
