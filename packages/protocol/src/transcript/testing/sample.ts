// One turn with a tool, as events and as the document that history keeps of it.

import type { AssistantMessage } from "../assistant-message.js";
import type { TranscriptEvent } from "../transcript-event.js";

const T0 = 1_699_999_999_000;

export const SAMPLE_MESSAGE_ID = "msg_3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b";
export const SAMPLE_TURN = { runId: "run_789", conversationId: "conv_xyz", startedAt: T0 };
export const SAMPLE_END = {
  messageId: SAMPLE_MESSAGE_ID,
  endedAt: T0 + 700,
  tokensUsed: { prompt_tokens: 45, completion_tokens: 28, reasoning_tokens: 15 },
  incomplete: false,
};

export const SAMPLE_STEPS: readonly (readonly [event: TranscriptEvent | { readonly type: string }, now: number])[] = [
  [{ type: "init_stream", run_id: "run_789", conversation_id: "conv_xyz", timestamp: T0 } as { type: string }, T0],
  [{ type: "reasoning", content: "Let me calculate this " }, T0],
  [{ type: "reasoning", content: "using the calculator tool." }, T0 + 100],
  [{ type: "text", content: "I'll use the calculator " }, T0 + 200],
  [{ type: "text", content: "to solve this." }, T0 + 250],
  [
    {
      type: "tool_call",
      tool_call_id: "call_1",
      tool_name: "calculator",
      arguments: { expression: "2+2" },
      timestamp: T0 + 300,
    },
    T0 + 310,
  ],
  [{ type: "tool_result", tool_call_id: "call_1", result: { answer: 4 }, is_error: false, duration_ms: 50 }, T0 + 350],
  [{ type: "reasoning", content: "The calculator returned 4, which is correct." }, T0 + 400],
  [{ type: "text", content: "The answer " }, T0 + 600],
  [{ type: "text", content: "is 4." }, T0 + 650],
  [{ type: "end_stream" }, T0 + 700],
];

export const SAMPLE_DOCUMENT: AssistantMessage = {
  _id: SAMPLE_MESSAGE_ID,
  conversation_id: "conv_xyz",
  run_id: "run_789",
  role: "assistant",
  content_items: [
    {
      type: "reasoning",
      sequence: 0,
      content: "Let me calculate this using the calculator tool.",
      timestamp: 1_699_999_999_000,
    },
    {
      type: "message",
      sequence: 1,
      content: "I'll use the calculator to solve this.",
      timestamp: 1_699_999_999_200,
    },
    {
      type: "tool_call",
      sequence: 2,
      tool_call_id: "call_1",
      tool_name: "calculator",
      arguments: { expression: "2+2" },
      timestamp: 1_699_999_999_300,
    },
    {
      type: "tool_result",
      sequence: 3,
      tool_call_id: "call_1",
      result: { answer: 4 },
      is_error: false,
      duration_ms: 50,
      timestamp: 1_699_999_999_350,
    },
    {
      type: "reasoning",
      sequence: 4,
      content: "The calculator returned 4, which is correct.",
      timestamp: 1_699_999_999_400,
    },
    { type: "message", sequence: 5, content: "The answer is 4.", timestamp: 1_699_999_999_600 },
  ],
  created_at: 1_699_999_999_000,
  completed_at: 1_699_999_999_700,
  duration_ms: 700,
  tokens_used: { prompt_tokens: 45, completion_tokens: 28, reasoning_tokens: 15 },
  incomplete: false,
};
