// What the server keeps of a conversation that a page shows: the truth to compare the screen with.

import type { Page } from "playwright-core";
import { call } from "../harness/caller.js";

interface Stored {
  readonly conversationId: string;
  readonly last: { readonly turnId: string };
}

interface StoredMessage {
  readonly role: "user" | "assistant";
  readonly run_id: string;
  readonly content_items: readonly { readonly type: string; readonly content?: string }[];
}

/** The newest conversation that the page's browser remembers. */
export async function storedConversation(page: Page): Promise<Stored> {
  return page.evaluate<Stored>("JSON.parse(localStorage.getItem('framerail.conversations'))[0]");
}

export async function readHistory(page: Page, url: string) {
  const { conversationId } = await storedConversation(page);
  const { text } = await call(`${url}/v1/conversations/${conversationId}/messages`);
  const messages = JSON.parse(text) as readonly StoredMessage[];
  const answers = messages.filter(({ role }) => role === "assistant");
  return {
    turns: new Set(messages.map(({ run_id }) => run_id)).size,
    lastAnswer:
      answers
        .at(-1)
        ?.content_items.map(({ content = "" }) => content)
        .join("") ?? "",
  };
}
