import { ENVELOPE_FAILURE_REASONS, JSON_DEPTH_MAX, toFrame } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "./define-tool.js";
import { isEnvelope, openResult } from "./enrichment-envelope.js";
import { runTool } from "./run-tool.js";
import { envelopeOf, startBackend } from "./testing/enrichment-backend.js";
import { PRINCIPAL, toolBench } from "./testing/tool-bench.js";

const CALL = { id: "call_1", argumentsText: "{}" };

/** What a tool that returns `value` gives, and everything that was written and reported meanwhile. */
async function play(value: unknown) {
  const bench = toolBench();
  const tool = defineTool({ name: "offers", description: "d", input: z.object({}), run: () => value });
  const outcome = await runTool(tool, CALL, bench.context);
  return { ...bench, outcome, said: JSON.stringify([outcome, bench.events()]) + bench.wire() };
}
const outcomeOf = async (value: unknown) => (await play(value)).outcome;
const NOT_AVAILABLE = /^The data of offers is not available/;

describe("what an envelope is", () => {
  test("all nine fields make one, and of them the payload alone goes on [W-ENV-1]", async () => {
    const envelope = envelopeOf();
    expect(Object.keys(envelope)).toEqual([
      "enricher_id",
      "domain_type",
      "principal",
      "version",
      "status",
      "partial",
      "cache_meta",
      "timing",
      "payload",
    ]);
    expect(await outcomeOf(envelope)).toEqual({ result: envelope.payload, isError: false });
  });

  test("it comes whole from the backend, in one answer [W-ENV-1]", async () => {
    await using backend = await startBackend(envelopeOf());
    const tool = defineTool({
      name: "offers",
      description: "d",
      input: z.object({}),
      run: async (_input, { signal }) => (await fetch(backend.url, { signal })).json(),
    });
    expect((await runTool(tool, CALL, toolBench().context)).result).toEqual([{ id: "OFF_1" }, { id: "OFF_2" }]);
  });

  test("plain data that shares a word or two with it stays plain", () => {
    for (const plain of [{ status: "ok", version: "1", payload: 1, timing: 2 }, { principal: "me" }, [], null, "x"]) {
      expect(isEnvelope(plain)).toBe(false);
      expect(openResult(plain, PRINCIPAL)).toMatchObject({ kind: "data", payload: plain });
    }
  });

  test.each([
    ["no enricher_id", { enricher_id: undefined }],
    ["an enricher_id that is no text", { enricher_id: { id: 7 }, version: "9" }],
    ["no domain_type", { domain_type: undefined }],
    ["a status of its own", { status: "fine" }],
    ["no principal", { principal: undefined }],
    ["half a principal", { principal: { tenant_id: "tenant_1" } }],
    ["no version", { version: undefined }],
    ["a version that is a word", { version: "latest" }],
    ["a partial that is no list", { partial: "some" }],
    ["no payload", { payload: undefined }],
    ["a payload that is no JSON", { payload: { at: new Date(0) } }],
  ])("one with %s is refused, and nothing of it is passed on [W-R-5]", async (_what, changes) => {
    const { outcome, said, codes } = await play(envelopeOf({ cache_meta: "C4NARY", payload: ["C4NARY"], ...changes }));
    expect(outcome.isError).toBe(true);
    expect((outcome.result as { error: string }).error).toMatch(NOT_AVAILABLE);
    expect(outcome.failure).toBeUndefined();
    expect(said).not.toContain("C4NARY");
    expect(codes()).toEqual(["TOOL_FAILED"]);
  });

  test("two of its rarer words are enough to be one, and to be refused when the rest is missing [W-R-5]", async () => {
    const { outcome, said } = await play({ domain_type: "offer_list", principal: PRINCIPAL, payload: "C4NARY" });
    expect(outcome.isError).toBe(true);
    expect(said).not.toContain("C4NARY");
  });

  test("its payload may be nested as deep as plain data, and no deeper [W-R-5]", async () => {
    const nested = (depth: number) => JSON.parse("[".repeat(depth) + "]".repeat(depth)) as unknown;
    for (const wrap of [(value: unknown) => value, (payload: unknown) => envelopeOf({ payload })]) {
      expect((await outcomeOf(wrap(nested(JSON_DEPTH_MAX)))).isError).toBe(false);
      expect((await outcomeOf(wrap(nested(JSON_DEPTH_MAX + 1)))).isError).toBe(true);
    }
  });
});

describe("whose data it is", () => {
  test.each([
    ["tenant", { tenant_id: "tenant_2", user_id: "user_1" }],
    ["user", { tenant_id: "tenant_1", user_id: "user_2" }],
  ])("data for another %s is a failure, unauthorized, and appears nowhere [W-ENV-2]", async (_who, principal) => {
    for (const status of ["ok", "partial", "error"]) {
      const { outcome, said } = await play(envelopeOf({ principal, status, payload: ["C4NARY"] }));
      expect(outcome.failure).toEqual({
        code: "CCS_ENVELOPE_ERROR",
        enricher_id: "ccs-offers",
        reason: "unauthorized",
      });
      expect(outcome.isError).toBe(true);
      expect(said).not.toContain("C4NARY");
      expect(said).not.toContain("_2");
    }
  });

  test("what else a principal holds does not matter", async () => {
    expect((await outcomeOf(envelopeOf({ principal: { ...PRINCIPAL, roles: ["buyer"] } }))).isError).toBe(false);
  });
});

describe("the version", () => {
  test("versions 1.0 and 1.7, 1 and 2 give identical outcomes [W-ENV-5] [W-ENV-2]", async () => {
    const plain = await outcomeOf(envelopeOf());
    for (const version of ["1.7", "1.0.3", "1", 1, "2.0", 2]) {
      expect(await outcomeOf({ ...envelopeOf({ version }), added_later: "C4NARY" })).toEqual(plain);
    }
  });

  test("an unknown major version is a failure, invalid_request, whatever its other fields are [W-ENV-2]", async () => {
    const { outcome, said } = await play({ enricher_id: "ccs-offers", version: "3.0", body: "C4NARY" });
    expect(outcome.failure).toEqual({
      code: "CCS_ENVELOPE_ERROR",
      enricher_id: "ccs-offers",
      reason: "invalid_request",
    });
    expect(said).not.toContain("C4NARY");
  });
});

describe("the status", () => {
  test("an error is a failure with exactly code, enricher_id and reason [W-ERR-4]", async () => {
    const { failure, ...outcome } = await outcomeOf(
      envelopeOf({ status: "error", partial: [{ reason: "upstream_timeout", source: "C4NARY" }], payload: null }),
    );
    expect(failure).toEqual({ code: "CCS_ENVELOPE_ERROR", enricher_id: "ccs-offers", reason: "upstream_timeout" });
    expect(outcome).toEqual({
      result: {
        error: "The data of offers is not available (upstream_timeout). Go on without it and say that it is missing.",
      },
      isError: true,
    });
  });

  test.each<[unknown, string]>([
    ...ENVELOPE_FAILURE_REASONS.map((reason): [unknown, string] => [reason, reason]),
    ["quota_exceeded", "quota_exceeded"],
    ["connect ECONNREFUSED 10.0.0.7:5432", "upstream_unavailable"],
    ["Timeout", "upstream_unavailable"],
    [`a${"b".repeat(64)}`, "upstream_unavailable"],
    [{ code: 7 }, "upstream_unavailable"],
    [undefined, "upstream_unavailable"],
  ])("the reason %j is told as %s [W-ERR-7]", async (reason, told) => {
    for (const changes of [{ reason }, { partial: [{ reason }] }]) {
      const { failure } = await outcomeOf(envelopeOf({ status: "error", ...changes }));
      expect(failure).toMatchObject({ reason: told });
    }
  });

  test.each(["the offers backend", "db.internal:5432", "x".repeat(65), "ééé"])(
    "an enricher_id that is no plain name, %j, is told as unknown [W-ERR-8]",
    async (enricher_id) => {
      const { failure } = await outcomeOf(envelopeOf({ status: "error", enricher_id, reason: "upstream_timeout" }));
      expect(failure).toEqual({ code: "CCS_ENVELOPE_ERROR", enricher_id: "unknown", reason: "upstream_timeout" });
    },
  );

  test("a failure that is told carries nothing else of the envelope to the wire [W-ERR-8]", async () => {
    const { outcome, context, frames, wire } = await play(
      envelopeOf({
        status: "error",
        version: "1.9",
        partial: [{ reason: "see http://C4NARY.internal/x", source: "C4NARY", detail: "C4NARY" }],
        cache_meta: { key: "C4NARY" },
        timing: { host: "C4NARY" },
        payload: { stack: "C4NARY" },
        domain_type: "C4NARY",
      }),
    );
    if (outcome.failure === undefined) throw new Error("no failure");
    context.writer.write({ type: "part_failed", error: outcome.failure });
    expect(toFrame({ type: "part_failed", error: outcome.failure })?.payload).toEqual({
      error: { code: "CCS_ENVELOPE_ERROR", enricher_id: "ccs-offers", reason: "upstream_unavailable" },
      is_final: false,
    });
    expect(frames().at(-1)?.event_type).toBe("error");
    expect(wire() + JSON.stringify(outcome)).not.toContain("C4NARY");
  });

  test("partial data goes on with a caveat for the model, and what is missing stays inside [W-ENV-3]", async () => {
    const partial = [{ reason: "upstream_timeout", source: "C4NARY" }];
    for (const status of ["partial", "ok"]) {
      const { outcome, said } = await play(envelopeOf({ status, partial }));
      expect(outcome).toMatchObject({
        isError: false,
        result: { data: [{ id: "OFF_1" }, { id: "OFF_2" }], note: expect.stringContaining("incomplete") as string },
      });
      expect(said).not.toContain("C4NARY");
    }
  });
});

describe("a list of envelopes", () => {
  const other = { tenant_id: "tenant_2", user_id: "user_1" };

  test("each gives its payload in its place, and one that is refused is missing [W-ENV-2]", async () => {
    const list = [envelopeOf({ payload: 1 }), envelopeOf({ payload: "C4NARY", principal: other }), 3];
    const { outcome, said } = await play(list);
    expect(outcome).toMatchObject({ isError: false, result: { data: [1, 3] } });
    expect(said).not.toContain("C4NARY");
    expect(await outcomeOf([envelopeOf({ payload: 1 })])).toEqual({ result: [1], isError: false });
  });

  test("one of which none can be used is refused as a whole", async () => {
    expect(await outcomeOf([envelopeOf({ principal: other })])).toMatchObject({
      isError: true,
      failure: { reason: "unauthorized" },
    });
  });
});
