// Content items as training examples: one per item, in order, without any restructuring [P-58].

import { refuse } from "../error.js";
import { compileCheck } from "../schema/check.js";
import { array } from "../schema/schema.js";
import { compileWrite } from "../schema/write.js";
import type { ContentItem, ContentItemType } from "./content-item.js";
import { contentItemSchema } from "./content-item.js";

export interface TrainingExample {
  readonly role: ContentItemType;
  /** The text of a text item; of any other the item itself as compact JSON. */
  readonly content: string;
  readonly timestamp: number;
}

const check = compileCheck(array(contentItemSchema));
const write = compileWrite(contentItemSchema);

export function exportItems(items: readonly ContentItem[]): TrainingExample[] {
  const issue = check(items);
  if (issue) throw refuse("INVALID_ITEM", "items cannot be exported", issue);
  return items.map((item) => ({
    role: item.type,
    content: item.type === "message" || item.type === "reasoning" ? item.content : write(item),
    timestamp: item.timestamp,
  }));
}
