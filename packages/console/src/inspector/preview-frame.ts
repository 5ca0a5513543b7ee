// One line of what a frame carries.

import type { Frame } from "@framerail/protocol";

export function previewOf(frame: Frame): string {
  switch (frame.event_type) {
    case "text":
    case "reasoning":
      return JSON.stringify(frame.chunk);
    case "status":
      return frame.data.event_id;
    case "tool_call":
      return frame.tool_call.name;
    case "tool_completed":
      return frame.tool_call.status === undefined
        ? frame.tool_call.name
        : `${frame.tool_call.name} (${frame.tool_call.status})`;
    case "component":
      return frame.tool_call.name;
    case "data_loading":
    case "data_loaded":
      return frame.data.type;
    case "usage":
      return `${frame.total_tokens} tokens`;
    case "error":
    case "cancelled":
      return frame.error.code;
    default:
      return "";
  }
}
