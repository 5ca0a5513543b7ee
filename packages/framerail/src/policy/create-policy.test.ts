import type { AgentEvent, Draft, EventType } from "@framerail/protocol";
import { EVENT_TYPES, FRAME_OF_EVENT, SUPPRESS, toFrame } from "@framerail/protocol";
import { describe, expect, test } from "vitest";
import type { PolicyName } from "../registry/registry.js";
import { POLICIES } from "../registry/registry.js";
import type { Cohort } from "./cohort.js";
import { createPolicy } from "./create-policy.js";
import { createFakeClock } from "./testing/fake-clock.js";
import { EVENT_OF, openBench, SHOP, SHOP_ENTRIES } from "./testing/policy-bench.js";

/** Written out, so that a type that changes its side changes this table too. */
const DEFAULTS: { readonly [T in EventType]: PolicyName } = {
  init_stream: "forward",
  episode: "forward",
  thinking: "forward",
  reasoning: "forward",
  text: "forward",
  tool_call: "forward",
  tool_result: "suppress",
  tool_call_end: "forward",
  status: "transform",
  data_loading: "forward",
  data_loaded: "forward",
  component: "forward",
  part_failed: "forward",
  metrics: "suppress",
  usage: "forward",
  node_enter: "suppress",
  node_exit: "suppress",
  support_content: "suppress",
  log: "suppress",
  mcp_list_tools_start: "forward",
  mcp_list_tools_completed: "forward",
  mcp_session_start: "forward",
  mcp_session_progress: "forward",
  error: "forward",
  end_stream: "forward",
};

describe("one decision per event", () => {
  test("every type has its default, and a frame exactly when that is to show it [W-FR-4] [W-POL-1] [W-TST-1]", () => {
    for (const type of EVENT_TYPES) {
      const stage = openBench();
      expect(stage.turn.apply(EVENT_OF[type], "shop"), type).toBe(DEFAULTS[type]);
      expect(stage.policy.shows(type), type).toBe(DEFAULTS[type] === "forward");
      if (DEFAULTS[type] === "forward") expect(stage.drafts, type).toEqual([toFrame(EVENT_OF[type])]);
      else expect(stage.drafts, type).toHaveLength(type === "status" ? 1 : 0);
    }
  });

  test("under every override an event has its one decision, or the override is refused [W-FR-4] [W-TST-1]", () => {
    const always = new Set<EventType>(["init_stream", "error", "end_stream"]);
    const pairs: { readonly [T in EventType]?: EventType } = {
      tool_call: "tool_call_end",
      tool_call_end: "tool_call",
      data_loaded: "data_loading",
    };
    const expected = (type: EventType, policy: PolicyName): PolicyName | "refused" => {
      if (type === "status") return policy === "forward" ? "transform" : policy;
      if (DEFAULTS[type] === "suppress") return policy === "suppress" ? "suppress" : "refused";
      if (policy === "forward") return "forward";
      return policy === "suppress" && !always.has(type) ? "suppress" : "refused";
    };
    const decide = (type: EventType, policy: PolicyName): PolicyName | "refused" => {
      const partner = pairs[type];
      const policies = { [type]: policy, ...(partner !== undefined && { [partner]: policy }) };
      try {
        const stage = openBench({ cohort: { name: "one", flag: "ai_assistant_matrix", policies } });
        const decision = stage.turn.apply(EVENT_OF[type], "shop");
        expect(stage.drafts.length, `${type} ${policy}`).toBe(["forward", "transform"].includes(decision) ? 1 : 0);
        expect(stage.policy.shows(type), `${type} ${policy}`).toBe(decision === "forward");
        return decision;
      } catch (error) {
        expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
        return "refused";
      }
    };
    const matrix = EVENT_TYPES.flatMap((type) => POLICIES.map((policy) => [type, policy] as const));
    expect(matrix.map(([type, policy]) => [type, policy, decide(type, policy)])).toEqual(
      matrix.map(([type, policy]) => [type, policy, expected(type, policy)]),
    );
  });

  test("every registered status has the decision of its entry [W-FR-4] [W-TST-1]", () => {
    const stage = openBench();
    const decisions = SHOP_ENTRIES.map(({ id }) => stage.turn.apply({ type: "status", event_id: id }, "shop"));
    const batch = ["batch", "batch", "batch"];
    expect(decisions).toEqual([...batch, "transform", "transform", "transform", "suppress", "transform"]);
  });

  test("whoever writes it, an event gets the same decision and the same frame [W-FR-4]", () => {
    const statuses = SHOP_ENTRIES.map(({ id }): AgentEvent => ({ type: "status", event_id: id, values: { count: 1 } }));
    const play = (emitter: string) => {
      const stage = openBench();
      const decisions = [...Object.values(EVENT_OF), ...statuses].map((event) => stage.turn.apply(event, emitter));
      stage.turn.flush();
      return { decisions, drafts: stage.drafts };
    };
    expect(play("wallet")).toEqual(play("shop"));
  });

  test("a status is always the one frame called status, with its id as data [W-POL-6]", () => {
    const stage = openBench();
    for (const { id } of SHOP_ENTRIES) {
      stage.status(id, { count: 1 });
      stage.clock.advance(1_000);
    }
    expect(new Set(stage.drafts.map(({ type }) => type))).toEqual(new Set(["status"]));
    expect(stage.drafts).toHaveLength(SHOP_ENTRIES.length - 1);
  });
});

describe("what stays inside", () => {
  const internal = EVENT_TYPES.filter((type) => FRAME_OF_EVENT[type] === SUPPRESS);

  test("internal types give no frame under any override that is taken, and are reported [W-POL-3] [W-R-6]", () => {
    const all = Object.fromEntries(EVENT_TYPES.map((type) => [type, "forward"])) as NonNullable<Cohort["policies"]>;
    const hidden = Object.fromEntries(internal.map((type) => [type, "suppress"])) as NonNullable<Cohort["policies"]>;
    for (const policies of [undefined, { ...all, ...hidden }]) {
      const cohort = policies && { name: "all", flag: "ai_assistant_all", policies };
      const stage = openBench({ cohort });
      for (const type of internal) expect(stage.turn.apply(EVENT_OF[type], "shop"), type).toBe("suppress");
      stage.turn.flush();
      expect(stage.drafts).toEqual([]);
      expect(stage.reports.map(({ event, decision }) => `${event.type} ${decision}`)).toEqual(
        internal.map((type) => `${type} suppress`),
      );
    }
  });

  test("a type that nobody lists is suppressed and not forwarded [W-R-6]", () => {
    const stage = openBench();
    for (const type of ["brand_new", "constructor", "__proto__", "searching_offers"])
      expect(stage.turn.apply({ type, content: "x" } as unknown as AgentEvent, "shop"), type).toBe("suppress");
    expect(stage.drafts).toEqual([]);
    expect(stage.reports).toHaveLength(4);
  });

  test("a stray status id shows nothing, is reported once as unregistered, and the turn goes on [W-REG-11]", () => {
    const stage = openBench();
    const event = { type: "status", event_id: "searching_offers_42" } as const;
    expect(stage.turn.apply(event, "shop")).toBe("suppress");
    stage.text("still here");
    stage.turn.flush();
    expect(stage.shown()).toEqual(["text:still here"]);
    expect(stage.reports).toEqual([{ event, emitter: "shop", decision: "suppress", unregistered: true }]);
  });
});

describe("a turn", () => {
  test("is told of all but plain forwarding, with the decision and the emitter", () => {
    const stage = openBench();
    stage.text("a");
    stage.status("comparing", undefined, "wallet");
    stage.status("searching_offers");
    stage.turn.apply(EVENT_OF.log, "shop");
    expect(stage.reports.map(({ emitter, decision }) => `${emitter} ${decision}`)).toEqual([
      "wallet transform",
      "shop batch",
      "shop suppress",
    ]);
  });

  test("shows nothing once it is closed, and leaves no timer behind", () => {
    const stage = openBench();
    stage.status("comparing");
    stage.status("searching_offers");
    for (const count of [1, 2]) stage.status("reading_pages", { count });
    stage.turn.close();
    expect(stage.clock.timerCount).toBe(0);
    stage.status("looking_up_points_balance");
    stage.text("late");
    stage.turn.flush();
    expect(stage.clock.timerCount).toBe(0);
    stage.clock.advance(10_000);
    expect(stage.shown()).toEqual(["status:Comparing…", "status:Reading 1 page…"]);
    const unused = openBench();
    unused.turn.close();
    unused.status("searching_offers");
    expect([unused.clock.timerCount, unused.drafts]).toEqual([0, []]);
  });

  test("does not share what waits with another turn of the same policy", () => {
    const clock = createFakeClock();
    const policy = createPolicy({ registry: SHOP, locale: "en", clock });
    const [one, other]: [Draft[], Draft[]] = [[], []];
    policy.open({ emit: (draft) => one.push(draft) }).apply({ type: "status", event_id: "searching_offers" }, "shop");
    policy.open({ emit: (draft) => other.push(draft) }).apply({ type: "status", event_id: "checking_stock" }, "shop");
    clock.advance(150);
    expect([one, other]).toMatchObject([
      [{ payload: { data: { message: "Searching offers…" } } }],
      [{ payload: { data: { message: "Checking the stock…" } } }],
    ]);
  });

  test("forwards a million pieces of text with one frame each and no timer", () => {
    const stage = openBench();
    stage.status("comparing");
    stage.clock.advance(2_000);
    const event: AgentEvent = { type: "text", content: "x" };
    for (let index = 0; index < 1_000_000; index += 1) stage.turn.apply(event, "assistant");
    expect([stage.drafts.length, stage.reports.length, stage.clock.timerCount]).toEqual([1_000_001, 1, 0]);
  });
});
