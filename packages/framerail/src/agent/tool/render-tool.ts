// A tool whose result is shown, not told: the model asks for it, the client gets the data, the model gets a count.
// Owns: the order of what is shown. Does not own: unwrapping (enrichment-envelope.ts), which items fit (fit-items.ts).
//   D1. A collection is `data_loading`, then `data_loaded` with the same id, which is the call's: unique in the turn and
//       the same on both [W-FR-16, W-AC-8]. A component is one `component` [W-ENV-4].
//   D2. What cannot be shown is not shown as something else: no empty list in the place of a failure. The placeholder
//       is dropped by clients at the end of the turn [I-24].
//   D3. What is dropped on the way makes the result partial for the model, and is told to operators.

import type { Json } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { requireValue } from "../author-hooks.js";
import type { Tool, ToolBasics, ToolContext } from "./define-tool.js";
import { basicsOf, demand, requireBasics } from "./define-tool.js";
import type { Opened } from "./enrichment-envelope.js";
import type { ItemSchemas } from "./fit-items.js";
import { capItems, findItemSchema, keepValidItems } from "./fit-items.js";
import { countJsonBytes } from "./json-value.js";
import { KEY_BYTES_MAX, SHOWN_BYTES_MAX } from "./limits.js";
import type { OutputOf, StandardSchema } from "./standard-schema.js";
import { isStandardSchema } from "./standard-schema.js";
import { PARTIAL_NOTE } from "./tool-outcome.js";

export interface RenderBasics<S extends StandardSchema> extends ToolBasics<S> {
  /** What clients know the data by, such as `offer_list`. */
  readonly dataType: string;
  readonly itemSchemas?: ItemSchemas;
  /** Loads what is shown: for a collection a list of items, for a component one value; either may be in an envelope. */
  load(input: OutputOf<S>, context: ToolContext): unknown;
}

export interface CollectionDefinition<S extends StandardSchema> extends RenderBasics<S> {
  readonly shape: "collection";
  /** What is being loaded, for the placeholder, such as `[{ id: "OFF_1" }]`. */
  key(input: OutputOf<S>): readonly { readonly [name: string]: Json }[];
}

export interface ComponentDefinition<S extends StandardSchema> extends RenderBasics<S> {
  readonly shape: "component";
  readonly key?: undefined;
}

type Data = Extract<Opened, { kind: "data" }>;
type Key = { readonly ids: readonly { readonly [name: string]: Json }[] };

const RENDER_NAME = /^render_/;

export function defineRenderTool<const S extends StandardSchema>(
  definition: CollectionDefinition<S> | ComponentDefinition<S>,
): Tool {
  const { name, dataType, shape, itemSchemas = {} } = definition;
  requireBasics(definition);
  demand(RENDER_NAME.test(name), name, "shows data and needs a name that starts with render_");
  demand(typeof definition.load === "function", name, "needs a function load");
  demand(typeof dataType === "string" && /^.{1,256}$/u.test(dataType), name, "needs a dataType of 1 to 256 characters");
  demand(Object.values(itemSchemas).every(isStandardSchema), name, "has item schemas that are no Standard Schema");
  if (shape === "component") return Object.freeze({ ...basicsOf(definition), ...renderComponent(definition) });
  demand(shape === "collection", name, "has the shape collection or component");
  demand(typeof definition.key === "function", name, "shows a collection and needs a function key");
  return Object.freeze({ ...basicsOf(definition), ...renderCollection(definition) });
}

type Rendering = Required<Pick<Tool, "run" | "present">>;

function renderCollection<S extends StandardSchema>(definition: CollectionDefinition<S>): Rendering {
  const { name, dataType, itemSchemas = {} } = definition;
  // The key is asked for once per call, so that both frames say the same.
  const keys = new WeakMap<ToolContext, Key>();
  return {
    run(input, context) {
      const key = { ids: requireValue(definition.key(input), `key of ${name}`) };
      if (countJsonBytes(key) > KEY_BYTES_MAX) throw cannotShow(name, `its key has more than ${KEY_BYTES_MAX} bytes`);
      keys.set(context, key);
      context.writer.dataLoading({ id: context.callId, data_type: dataType, key });
      return definition.load(input, context);
    },
    async present(_input, { payload, partial, source }: Data, context) {
      const loaded = itemsOf(payload);
      const valid = await keepValidItems(loaded, findItemSchema(itemSchemas, source, dataType));
      const key = keys.get(context) as Key;
      const data = { id: context.callId, data_type: dataType, key };
      const items = capItems(valid, SHOWN_BYTES_MAX - countJsonBytes({ data: { ...data, items: [] } }));
      tellDropped(name, context, [loaded.length - valid.length, valid.length - items.length]);
      if (items.length === 0 && loaded.length > 0) throw cannotShow(name, "none of its items can be shown"); // D2
      context.writer.dataLoaded({ ...data, items, tool_call_id: context.callId });
      return acknowledge(items.length, partial || items.length < loaded.length);
    },
  };
}

function renderComponent<S extends StandardSchema>(definition: ComponentDefinition<S>): Rendering {
  const { name, dataType, itemSchemas = {}, type = "function" } = definition;
  return {
    run: (input, context) => definition.load(input, context),
    async present(_input, { payload, partial, source }: Data, context) {
      if (payload === null) throw cannotShow(name, "it loaded nothing");
      const valid = await keepValidItems([payload], findItemSchema(itemSchemas, source, dataType));
      if (valid.length === 0) throw cannotShow(name, "its component has the wrong shape");
      const tool = { tool_call_id: context.callId, tool_name: name, tool_type: type };
      if (countJsonBytes({ chunk: payload, tool }) > SHOWN_BYTES_MAX)
        throw cannotShow(name, "its component is too large");
      context.writer.component({ data_id: context.callId, data_type: dataType, chunk: payload, ...tool });
      return acknowledge(1, partial);
    },
  };
}

/** A backend's payload for one thing is a collection of one; nothing is an empty collection. */
function itemsOf(payload: Json): readonly Json[] {
  if (payload === null) return [];
  return Array.isArray(payload) ? (payload as readonly Json[]) : [payload];
}

function acknowledge(shown: number, partial: boolean): Json {
  return partial ? { shown, note: PARTIAL_NOTE } : { shown };
}

// D3
function tellDropped(name: string, { writer }: ToolContext, [misshapen, overflowing]: [number, number]): void {
  if (misshapen > 0) writer.log("warn", `tool ${name} dropped ${misshapen} items of the wrong shape`);
  if (overflowing > 0) writer.log("warn", `tool ${name} dropped ${overflowing} items that do not fit into one frame`);
}

function cannotShow(name: string, why: string): FramerailError {
  return new FramerailError("TOOL_FAILED", `tool ${name} shows nothing: ${why}`);
}
