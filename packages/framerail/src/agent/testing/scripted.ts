// Agents on the workbench: a scripted model that waits for nothing, a model that plays given parts, and tools that do
// what a test says; and the whole of what a client read.

import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { systemClock } from "@framerail/protocol";
import { z } from "zod";
import type { KeptFrames } from "../../dispatch/testing/turn-bench.js";
import type { Script, ScriptStep } from "../model/script.js";
import { scriptedModel } from "../model/scripted-model.js";
import { oddModel } from "../model/testing/odd-model.js";
import { defineTool } from "../tool/define-tool.js";

export const says = (...steps: ScriptStep[]) => scripted({ steps });
/** Says each text in one piece, so that the frames of a turn can be compared whole. */
export const saysWhole = (...steps: ScriptStep[]) => scripted({ token_length: 1_000, steps });

export function scripted(script: Script, speed: number = Number.POSITIVE_INFINITY) {
  return scriptedModel({ script, clock: systemClock, speed });
}

/** Streams the given parts, one list for each call. */
export function playsParts(...answers: readonly (readonly unknown[])[]): LanguageModelV3 {
  const left = answers.values();
  return {
    ...oddModel({ parts: [] }),
    doStream: (options) => oddModel({ parts: left.next().value ?? [] }).doStream(options),
  };
}

/** The same model, and what it was asked. */
export function keepAsked(model: LanguageModelV3) {
  const asked: LanguageModelV3CallOptions[] = [];
  const doStream: LanguageModelV3["doStream"] = (options) => {
    // The loop goes on with its list of messages: what counts is what the model could read.
    asked.push({ ...options, prompt: structuredClone(options.prompt) });
    return model.doStream(options);
  };
  return { asked, model: { ...model, doStream } };
}

export const tool = (name: string, run: () => unknown, cancel: "finish" | "abort" = "finish") =>
  defineTool({ name, description: name, input: z.object({}).loose(), cancel, run });

/** An answer of an enrichment backend for the bench's principal. */
export const envelope = (fields: object) => ({
  enricher_id: "offers",
  domain_type: "offer_list",
  principal: { tenant_id: "tenant_1", user_id: "user_1" },
  version: "1.0",
  status: "ok",
  partial: [],
  cache_meta: {},
  timing: {},
  payload: [],
  ...fields,
});

/** The answer as the client reads it. */
export const textOf = (sink: KeptFrames) =>
  sink
    .frames()
    .flatMap((frame) => (frame.event_type === "text" ? [frame.chunk] : []))
    .join("");

/** Every frame whole, but for what all frames have and the figures of `usage`; calls are numbered as they began. */
export function framesOf(sink: KeptFrames): object[] {
  const numbers = new Map<string, string>();
  const numberOf = (id: string) => {
    const number = numbers.get(id) ?? `call_${numbers.size + 1}`;
    numbers.set(id, number);
    return number;
  };
  return sink.frames().map(({ version, timestamp, response_id, seq, ...rest }) => {
    if (rest.event_type === "usage") return { event_type: "usage" };
    return JSON.parse(JSON.stringify(rest).replace(/call_[0-9a-f]{12}_\d+(?:~\d+)?/g, numberOf)) as object;
  });
}

/** A frame of a tool's call, as `framesOf` gives it. */
export const began = (number: number, name: string, type = "function") => ({
  event_type: "tool_call",
  tool_call: { id: `call_${number}`, name, type },
});
export const ended = (number: number, name: string, type = "function") => ({
  ...began(number, name, type),
  event_type: "tool_completed",
});
export const wrote = (chunk: string) => ({ event_type: "text", chunk });
/** How every turn of a model begins, and how one that goes well ends. */
export const OPENING = [{ event_type: "response_id" }, { event_type: "thinking" }];
export const CLOSING = [{ event_type: "usage" }, { event_type: "completed" }];
