// Agents on the workbench: a scripted model that waits for nothing, and tools that do what a test says.

import { systemClock } from "@framerail/protocol";
import { z } from "zod";
import type { KeptFrames } from "../../dispatch/testing/turn-bench.js";
import type { Script, ScriptStep } from "../model/script.js";
import { scriptedModel } from "../model/scripted-model.js";
import { defineTool } from "../tool/define-tool.js";

export const says = (...steps: ScriptStep[]) => scripted({ steps });

export function scripted(script: Script, speed: number = Number.POSITIVE_INFINITY) {
  return scriptedModel({ script, clock: systemClock, speed });
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
