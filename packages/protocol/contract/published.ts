// What is published of the protocol, gathered from the folders that declare it. Every generator takes this value as its
// argument, so that a test can hand in a changed contract and see what becomes stale.

import { agentCompletionSchema, agentEventSchema } from "../src/envelope/agent-event.js";
import { toolsFacetSchema } from "../src/envelope/tools-facet.js";
import { FramerailError } from "../src/error.js";
import { EVENTS } from "../src/event/vocabulary.js";
import type { FrameDefinition } from "../src/frame/define-frame.js";
import { WIRE_VERSION } from "../src/frame/define-frame.js";
import type { FrameSet } from "../src/frame/frame-set.js";
import { FRAME_SETS } from "../src/frame/frame-set.js";
import { FRAMES } from "../src/frame/vocabulary.js";
import { pipelineMessageSchema } from "../src/pipeline/message.js";
import { ROUTES } from "../src/pipeline/routes.js";
import type { Schema } from "../src/schema/schema.js";
import { assistantMessageSchema, userMessageSchema } from "../src/transcript/assistant-message.js";
import { contentItemSchema } from "../src/transcript/content-item.js";

export interface Schemas {
  readonly [name: string]: Schema;
}

export interface Route {
  readonly prelude: readonly string[];
  readonly streaming: readonly string[];
  readonly silentEnd: "complete" | "violation";
}

export interface Contract {
  /** The version that `frames` defines. */
  readonly version: string;
  readonly frames: { readonly [type: string]: FrameDefinition };
  /** The whole frames of every version that is still spoken. */
  readonly frameSets: { readonly [version: string]: FrameSet };
  readonly events: Schemas;
  readonly pipelineMessages: Schemas;
  readonly routes: { readonly [route: string]: Route };
  readonly agentEvents: Schemas;
  readonly messages: Schemas;
}

export const PUBLISHED: Contract = {
  version: WIRE_VERSION,
  frames: FRAMES,
  frameSets: FRAME_SETS,
  events: EVENTS,
  pipelineMessages: variantsOf(pipelineMessageSchema),
  routes: ROUTES,
  agentEvents: { event: agentEventSchema, completion: agentCompletionSchema, tools_facet: toolsFacetSchema },
  messages: {
    content_item: contentItemSchema,
    assistant_message: assistantMessageSchema,
    user_message: userMessageSchema,
  },
};

/** The alternatives of a choice by their discriminator. */
export function variantsOf(schema: Schema): Schemas {
  if (schema.kind === "choice") return schema.variants;
  throw new FramerailError("INVALID_ARGUMENT", `a choice is needed here, not a schema of kind ${schema.kind}`);
}

/** The message types that a route may carry, in the order of its table; every route ends with `eof`. */
export function messageTypesOf({ prelude, streaming }: Route): string[] {
  const types = [...prelude, ...streaming].map((entry) => entry.replace(/\(.*$/, ""));
  return [...new Set([...types, "eof"])];
}
