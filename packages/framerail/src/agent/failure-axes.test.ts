import type { Failure } from "@framerail/protocol";
import { ENVELOPE_FAILURE_REASONS, ERROR_CODES } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import type { KeptFrames } from "../dispatch/testing/turn-bench.js";
import { play } from "../dispatch/testing/turn-bench.js";
import { defineAgent } from "./define-agent.js";
import { oddModel } from "./model/testing/odd-model.js";
import { defineSubAgent } from "./sub-agent.js";
import type { Steps } from "./testing/dispatching.js";
import { asks, sub } from "./testing/dispatching.js";
import {
  began,
  CLOSING,
  ended,
  envelope,
  framesOf,
  OPENING,
  saysWhole,
  textOf,
  tool,
  wrote,
} from "./testing/scripted.js";

const told = (error: Failure, is_final: boolean) => ({ event_type: "error", error, is_final });

/** What telemetry reads has no sentence, and what the user reads has no code. */
function expectApart(sink: KeptFrames) {
  for (const code of [...ERROR_CODES, "CCS_ENVELOPE_ERROR", "PARTIAL_FAN_OUT", ...ENVELOPE_FAILURE_REASONS]) {
    expect(textOf(sink)).not.toContain(code);
  }
  const errors = sink.frames().filter(({ event_type: type }) => type === "error");
  for (const error of errors) expect(JSON.stringify(error)).not.toMatch(/"(?:[^"]* ){2}/);
}

describe("axis 1", () => {
  const failsWith = (error: Error) => {
    const model = { ...oddModel({ parts: [] }), doStream: () => Promise.reject(error) };
    return defineSubAgent({ id: "shop", onCancel: () => undefined, model });
  };
  const breaksOff = sub("shop", [
    { call: 1, tool_calls: [{ name: "offers" }] },
    { call: 2, text: "CANARY", fail: { status: 400, after_tokens: 1 } },
  ]);
  const offers = [began(2, "offers"), ended(2, "offers")];

  test.each([
    ["by its provider", sub("shop", [{ fail: { status: 500 } }]), []],
    ["by an exception", failsWith(new RangeError("CANARY at /srv/app")), []],
    ["by a time-out of its model", failsWith(new DOMException("CANARY", "TimeoutError")), []],
    ["halfway, with a failed tool behind it", breaksOff, offers],
  ])(
    "the only one asked fails, %s: the turn ends with its name and nothing else [W-ERR-3] [W-ERR-9] [W-AC-11] [W-FR-8]",
    async (_, failing, within) => {
      const reports: { what: string }[] = [];
      const { sink, failures } = await play(asks([failing], "never", reports));
      expect(framesOf(sink)).toEqual([
        ...OPENING,
        ...[began(1, "shop", "sub_agent"), ...within, ended(1, "shop", "sub_agent")],
        { event_type: "usage" },
        told({ code: "SUB_AGENT_FAILED", sub_agent_id: "shop" }, true),
      ]);
      expect(sink.wire()).not.toContain("CANARY");
      expect(reports.map(({ what }) => what)).toContain("sub-agent shop");
      expect(failures).toMatchObject([{ code: "SUB_AGENT_FAILED", cause: { code: "MODEL_FAILED" } }]);
      expectApart(sink);
    },
  );
});

describe("axis 2", () => {
  const refusing = envelope({
    status: "error",
    partial: [{ source: "CANARY", reason: "upstream_timeout" }],
    cache_meta: { key: "CANARY" },
  });
  const failure = { code: "CCS_ENVELOPE_ERROR", enricher_id: "offers", reason: "upstream_timeout" } as const;

  test("a tool answers with an error: telemetry has the code, the user the model's words, and the turn completes [W-AC-3] [W-AC-11] [W-ERR-4] [W-ERR-9] [W-FR-8]", async () => {
    const agent = defineAgent({
      id: "assistant",
      model: saysWhole(
        { call: 1, tool_calls: [{ name: "offers" }] },
        { call: 2, text: "I could not reach the offers." },
      ),
      tools: [tool("offers", () => refusing)],
    });
    const { sink } = await play(agent);
    expect(framesOf(sink)).toEqual([
      ...OPENING,
      ...[began(1, "offers"), ended(1, "offers")],
      told(failure, false),
      wrote("I could not reach the offers."),
      ...CLOSING,
    ]);
    expect(sink.wire()).not.toContain("CANARY");
    expectApart(sink);
  });

  test("whoever listens to the turn gets the pair that the client got, from the agent's tools and its sub-agents' [W-ERR-11]", async () => {
    const steps: Steps = [
      { call: 1, tool_calls: [{ name: "offers" }] },
      { call: 2, text: "partly" },
    ];
    const { events, sink } = await play(asks([sub("shop", steps, [tool("offers", () => refusing)])], "I could not."));
    const heard = events.flatMap(({ event }) => (event.type === "part_failed" ? [event.error] : []));
    const read = sink.frames().flatMap((frame) => (frame.event_type === "error" ? [frame.error] : []));
    expect(heard).toEqual([failure]);
    expect(read).toEqual(heard);
    expect(events.flatMap(({ event }) => (event.type === "tool_result" ? [event.result] : [])).at(-1)).toEqual({
      answer: "partly",
      incomplete: true,
    });
  });
});

describe("axis 3", () => {
  const partly: Steps = [
    { call: 1, tool_calls: [{ name: "offers" }] },
    { call: 2, text: "partly" },
  ];

  test("some of several fail: told once with a record for each, and the turn completes [W-ERR-5] [W-ERR-9] [I-4] [W-FR-8]", async () => {
    const agent = asks(
      [sub("shop", [{ fail: { status: 500 } }]), sub("rewards", [{ text: "120" }]), sub("receipts", partly)],
      "Some of it.",
    );
    const { sink } = await play(agent);
    const failed = [
      { code: "SUB_AGENT_FAILED", sub_agent_id: "shop" },
      { code: "CCS_ENVELOPE_ERROR", enricher_id: "offers", reason: "upstream_unavailable" },
    ] as const;
    const frames = framesOf(sink);
    expect(frames.slice(-4)).toEqual([
      told({ code: "PARTIAL_FAN_OUT", failed: [...failed] }, false),
      wrote("Some of it."),
      ...CLOSING,
    ]);
    expect(frames.filter((frame) => "error" in frame)).toHaveLength(1);
    expectApart(sink);
  });

  test("one that failed as a whole is one record, whatever its tools had failed in before [I-4]", async () => {
    const steps: Steps = [
      { call: 1, tool_calls: [{ name: "offers" }] },
      { call: 2, fail: { status: 500 } },
    ];
    const { sink } = await play(asks([sub("shop", steps), sub("rewards", [{ text: "120" }])], "Some."));
    expect(framesOf(sink).filter((frame) => "error" in frame)).toEqual([
      told({ code: "PARTIAL_FAN_OUT", failed: [{ code: "SUB_AGENT_FAILED", sub_agent_id: "shop" }] }, false),
    ]);
  });

  test("all of several fail: told once, and the model acknowledges it [W-GAP-3] [I-4]", async () => {
    const broken = (id: string) => sub(id, [{ fail: { status: 500 } }]);
    const { sink } = await play(asks([broken("a"), broken("b")], "Nothing worked."));
    const failed = ["a", "b"].map((id) => ({ code: "SUB_AGENT_FAILED", sub_agent_id: id }) as const);
    expect(framesOf(sink).slice(-4)).toEqual([
      told({ code: "PARTIAL_FAN_OUT", failed }, false),
      wrote("Nothing worked."),
      ...CLOSING,
    ]);
    expect(framesOf(sink).filter((frame) => "error" in frame)).toHaveLength(1);
  });

  test("several that go well tell nothing [I-4]", async () => {
    const { sink } = await play(asks([sub("a", [{ text: "1" }]), sub("b", [{ text: "2" }])], "Both."));
    expect(sink.types()).not.toContain("error");
    expect(sink.types().at(-1)).toBe("completed");
  });
});
