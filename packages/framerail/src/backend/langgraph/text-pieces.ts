// Text and reasoning of one message, written as they come.
//   W1. Half of a surrogate pair at the end of a piece is held back until its other half comes: a model's stream may be
//       cut anywhere, an event may not.

import type { AgentEvent } from "@framerail/protocol";
import { splitText } from "@framerail/protocol";
import { COPY_LENGTH_MAX } from "../limits.js";
import type { ContentPart } from "./message-content.js";

export interface TextPieces {
  add(part: ContentPart): void;
  /** Writes a half that was never completed, as the sign for a broken character. */
  end(): void;
  /** Characters so far, to estimate the cost from. */
  readonly length: number;
  /** The text so far, up to COPY_LENGTH_MAX; to know a copy by. */
  readonly said: string;
}

export function createTextPieces(write: (event: AgentEvent) => void): TextPieces {
  const held = { text: "", reasoning: "" };
  let length = 0;
  let said = "";
  const writeParts = (type: ContentPart["type"], text: string) => {
    if (text !== "") for (const content of splitText(text)) write({ type, content });
  };
  return {
    add({ type, content }) {
      length += content.length;
      if (type === "text" && said.length <= COPY_LENGTH_MAX) said += content;
      const text = held[type] + content;
      const whole = endsInHalf(text) ? text.length - 1 : text.length;
      held[type] = text.slice(whole);
      writeParts(type, text.slice(0, whole));
    },
    end() {
      writeParts("reasoning", held.reasoning);
      writeParts("text", held.text);
    },
    get length() {
      return length;
    },
    get said() {
      return said;
    },
  };
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
