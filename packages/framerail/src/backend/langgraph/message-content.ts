// The text and the reasoning in one message or piece of a message, in the order of its blocks. Providers differ: text is
// a string or `text` blocks; reasoning is a `reasoning` or `thinking` block, a summary, or a field beside the content.

import type { Fields } from "./graph.js";
import { isFields, objectsIn, textField } from "./graph.js";

export interface ContentPart {
  readonly type: "text" | "reasoning";
  readonly content: string;
}

export function contentParts(message: Fields): ContentPart[] {
  const parts: ContentPart[] = [];
  const add = (type: ContentPart["type"], content: string | undefined) => {
    if (content !== undefined && content !== "") parts.push({ type, content });
  };
  if (isFields(message.additional_kwargs)) add("reasoning", textField(message.additional_kwargs, "reasoning_content"));
  if (typeof message.content === "string") add("text", message.content);
  for (const block of objectsIn(message.content)) {
    switch (block.type) {
      case "text":
        add("text", textField(block, "text"));
        break;
      case "thinking":
        add("reasoning", textField(block, "thinking"));
        break;
      case "reasoning":
        add("reasoning", textField(block, "reasoning"));
        for (const piece of objectsIn(block.summary)) add("reasoning", textField(piece, "text"));
        break;
      default: // Images, tool calls and the like: the first have no event, the second are read where calls are.
    }
  }
  return parts;
}
