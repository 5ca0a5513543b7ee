// Which events become content items. The events themselves are those of the vocabulary, whole and unchanged.

import type { EventOf } from "../event/vocabulary.js";

const TRANSCRIPT_TYPES = ["reasoning", "text", "tool_call", "tool_result", "data_loaded", "component"] as const;

export type TranscriptEvent = EventOf<(typeof TRANSCRIPT_TYPES)[number]>;

const types: ReadonlySet<string> = new Set(TRANSCRIPT_TYPES);

export function isTranscriptEventType(type: string): type is TranscriptEvent["type"] {
  return types.has(type);
}
