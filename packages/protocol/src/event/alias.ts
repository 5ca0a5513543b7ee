// Other speakers' names for our events [C-11]. An agent service written against an older vocabulary, or a worker in
// another language, says `message` or `token` for what we call `text`; here its words become ours, at the border and
// nowhere else, so that the rest of the code knows one name per thing.

//   A1. What a speaker does not tell is filled in plainly: a missing time is the time of reading, a missing duration is 0,
//       and a run without a conversation is its own.

type Fields = { readonly [name: string]: unknown };
type Translate = (event: Fields, now: number) => Fields;

const end: Translate = (event) => ({ total_duration_ms: 0, ...event, type: "end_stream", status: "success" });

/** The speaker's `type` → our event. Fields that already agree are kept as they are. */
export const ALIASES: { readonly [type: string]: Translate } = {
  message: (event) => ({ ...event, type: "text" }),
  token: ({ text, ...event }) => ({ content: text, ...event, type: "text" }),
  tool_call_start: (event, now) => ({ timestamp: now, arguments: null, ...event, type: "tool_call" }),
  response_id: ({ response_id, ...event }, now) => ({
    conversation_id: response_id,
    timestamp: now,
    ...event,
    type: "init_stream",
    run_id: response_id,
  }),
  completed: end,
  completion: end,
};
