import specification from "@asyncapi/specs/schemas/3.0.0-without-$id.json" with { type: "json" };
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { FRAME_TYPES } from "../src/frame/vocabulary.js";
import type { Json } from "../src/schema/schema.js";
import { asyncApiDocument, toDraft07 } from "./asyncapi.js";
import { PUBLISHED } from "./published.js";

interface Document {
  readonly channels: { readonly [name: string]: { readonly address: string; readonly messages: object } };
  readonly operations: { readonly [name: string]: { readonly action: string; readonly messages: readonly object[] } };
  readonly components: {
    readonly messages: { readonly [name: string]: { readonly contentType: string } };
    readonly schemas: { readonly [name: string]: object };
  };
}

const document = asyncApiDocument(PUBLISHED) as unknown as Document;
// The specification uses formats such as uri-reference, and a few keywords beyond draft 07.
const isAsyncApi = new Ajv({ strict: false, validateFormats: false }).compile(specification);

test("the document is AsyncAPI 3.0 by the official schema [F-1]", () => {
  expect(isAsyncApi(document), JSON.stringify(isAsyncApi.errors)).toBe(true);
  expect(isAsyncApi({ ...document, asyncapi: "2.0.0" })).toBe(false);
  expect(isAsyncApi({ ...document, operations: { turn_stream: { action: "emit" } } })).toBe(false);
});

test("every reference leads to something [F-1]", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path as string);
  expect(references.length).toBeGreaterThan(100);
  for (const path of references) {
    const found = path.split("/").reduce<unknown>((part, key) => (part as { [key: string]: unknown })?.[key], document);
    expect(found, path).toBeDefined();
  }
});

describe("the channels", () => {
  test("carry every frame on the turn stream, as server-sent events [W-FR-1, F-1]", () => {
    const { address, messages } = document.channels.turn_stream ?? { address: "", messages: {} };
    expect(address).toBe("/v1/turns/{turn_id}/stream");
    expect(Object.keys(messages)).toEqual(FRAME_TYPES);
    expect(document.components.messages.frame_text?.contentType).toBe("text/event-stream");
  });

  test("carry on each pipeline route the messages of its table and eof, as NDJSON [F-1]", () => {
    const typesOf = (route: string) => Object.keys(document.channels[route]?.messages ?? {});
    expect(typesOf("pipeline_check")).toEqual(["log", "connection_status", "eof"]);
    expect(typesOf("pipeline_read")).toEqual([
      ...["log", "catalog", "stream_status", "record", "source_state", "progress", "error", "eof"],
    ]);
    expect(Object.keys(document.channels)).toEqual(["turn_stream", ...Object.keys(PUBLISHED.routes)]);
    expect(document.components.messages.pipeline_eof?.contentType).toBe("application/x-ndjson");
  });

  test("are each sent by the server, with all of their messages [F-1]", () => {
    for (const [name, { messages }] of Object.entries(document.channels)) {
      expect(document.operations[name]?.action).toBe("send");
      expect(document.operations[name]?.messages).toHaveLength(Object.keys(messages).length);
    }
  });
});

describe("the schemas are draft 07", () => {
  test("and judge frames as the published ones do [F-1]", () => {
    const ajv = new Ajv({ strict: true });
    for (const schema of Object.values(document.components.schemas)) expect(ajv.compile(schema)).toBeTypeOf("function");
    const envelope = { version: "0.5", timestamp: "2026-05-15T18:00:00.000Z", response_id: "r" };
    const thinking = { ...envelope, event_type: "thinking", content: "so" };
    const judge = ajv.compile(document.components.schemas.frame_thinking as object);
    expect([judge(thinking), judge({ ...thinking, role: "reasoning" })]).toEqual([false, true]);
  });

  test("and a keyword is rewritten where it is one, not where a property is called like it [F-1]", () => {
    const inner: Json = { type: "object", properties: { dependentRequired: {} }, dependentRequired: { a: ["b"] } };
    const wanted: Json = { type: "object", properties: { dependentRequired: {} }, dependencies: { a: ["b"] } };
    const places = (schema: Json): Json => ({
      oneOf: [{ items: schema }, { additionalProperties: schema }],
      anyOf: [{ properties: { p: schema } }, false],
      allOf: [schema],
    });
    expect(toDraft07(places(inner))).toEqual(places(wanted));
  });
});
