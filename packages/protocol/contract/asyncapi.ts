// The streams of a server as AsyncAPI 3.0: which channels there are and which messages each of them carries.
// Owns: channels, operations and messages, all from the server's point of view: it sends. Does not own: schemas.
//   Y1. AsyncAPI reads schemas as JSON Schema draft 07, so the one newer keyword we use is written in its older form.

import type { JsonSchema } from "../src/schema/json-schema.js";
import type { Json } from "../src/schema/schema.js";
import type { Contract } from "./published.js";
import { messageTypesOf } from "./published.js";
import { convert, frameDefinitions } from "./schema-documents.js";

const SSE = "text/event-stream";
const NDJSON = "application/x-ndjson";

type Entries = { readonly [name: string]: Json };

interface Stream {
  readonly name: string;
  readonly address: string;
  readonly method: "GET" | "POST";
  readonly description: string;
  readonly parameters?: Entries;
  /** The message's name on the channel → its name among the components. */
  readonly messages: ReadonlyMap<string, string>;
}

export function asyncApiDocument(contract: Contract): Json {
  const frames = frameDefinitions(contract, contract.version);
  const messages = convert(contract.pipelineMessages);
  const streams = [turnStream(Object.keys(frames)), ...pipelineStreams(contract)];
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Framerail streams",
      version: contract.version,
      description: "The streams that a Framerail server sends. Readers ignore unknown fields and unknown types.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    defaultContentType: "application/json",
    channels: fromStreams(streams, channelOf),
    operations: fromStreams(streams, operationOf),
    components: {
      messages: { ...messagesOf("frame", SSE, frames), ...messagesOf("pipeline", NDJSON, messages) },
      schemas: { ...schemasOf("frame", frames), ...schemasOf("pipeline", messages) },
    },
  };
}

function turnStream(types: readonly string[]): Stream {
  return {
    name: "turn_stream",
    address: "/v1/turns/{turn_id}/stream",
    method: "GET",
    description:
      `The frames of one turn as ${SSE}: each message is one event, its type in \`event:\` and its JSON in \`data:\`. ` +
      "After the terminal frame comes `data: [DONE]`, which is no frame.",
    parameters: { turn_id: { description: "The turn." } },
    messages: new Map(types.map((type) => [type, `frame_${type}`])),
  };
}

function pipelineStreams({ routes }: Contract): Stream[] {
  return Object.entries(routes).map(([route, table]) => ({
    name: route,
    address: `/${route}`,
    method: "POST",
    description: `Messages as ${NDJSON}: each is one line of JSON, and the last one is \`eof\`.`,
    messages: new Map(messageTypesOf(table).map((type) => [type, `pipeline_${type}`])),
  }));
}

function fromStreams(streams: readonly Stream[], make: (stream: Stream) => Json): Entries {
  return Object.fromEntries(streams.map((stream) => [stream.name, make(stream)]));
}

function channelOf({ address, description, parameters, messages }: Stream): Json {
  const refs = [...messages].map(([name, component]) => [name, { $ref: `#/components/messages/${component}` }]);
  return { address, description, ...(parameters && { parameters }), messages: Object.fromEntries(refs) as Json };
}

function operationOf({ name, method, messages }: Stream): Json {
  return {
    action: "send",
    channel: { $ref: `#/channels/${name}` },
    bindings: { http: { method, bindingVersion: "0.3.0" } },
    messages: [...messages.keys()].map((message) => ({ $ref: `#/channels/${name}/messages/${message}` })),
  };
}

function messagesOf(prefix: string, contentType: string, schemas: { readonly [type: string]: JsonSchema }): Entries {
  const messages = Object.keys(schemas).map((type) => [
    `${prefix}_${type}`,
    { name: type, contentType, payload: { $ref: `#/components/schemas/${prefix}_${type}` } },
  ]);
  return Object.fromEntries(messages);
}

function schemasOf(prefix: string, schemas: { readonly [type: string]: JsonSchema }): Entries {
  const entries = Object.entries(schemas).map(([type, schema]) => [`${prefix}_${type}`, toDraft07(schema)]);
  return Object.fromEntries(entries);
}

/** Walks schemas by their keywords, not by their keys: a property may be called like a keyword [Y1]. */
export function toDraft07(schema: Json): Json {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const entries = Object.entries(schema).map(([keyword, value]) => {
    switch (keyword) {
      case "dependentRequired":
        return ["dependencies", value];
      case "properties":
        return [keyword, mapValues(value as Entries, toDraft07)];
      case "items":
      case "additionalProperties":
        return [keyword, toDraft07(value)];
      case "oneOf":
      case "anyOf":
      case "allOf":
        return [keyword, (value as readonly Json[]).map(toDraft07)];
      default:
        return [keyword, value];
    }
  });
  return Object.fromEntries(entries);
}

function mapValues(entries: Entries, change: (value: Json) => Json): Entries {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, change(value)]));
}
