// What a thousand cancelled turns leave behind: nothing. Counted, not guessed: timers on the clock and in the process,
// listeners on the turns' signals, sockets at the provider, turns that something still holds, and promises that wait.

import { createHook } from "node:async_hooks";
import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { systemClock } from "@framerail/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { handClock, start, tick } from "../dispatch/testing/turn-bench.js";
import type { Agent } from "./agent.js";
import { defineAgent } from "./define-agent.js";
import { chunk, startFakeOpenAi } from "./model/testing/fake-openai.js";
import { defineSubAgent } from "./sub-agent.js";
import { says } from "./testing/scripted.js";
import { defineTool } from "./tool/define-tool.js";

const TURNS = 1_000;
const AT_ONCE = 50;
/** A few seconds on a machine of its own; more where it is shared. */
const TIME_MS_MAX = 180_000;
const COLLECT_MS_MAX = 20_000;
/** Of a thousand turns or of fifty: what the runtime and the test keep for themselves, far below one for each turn. */
const KEPT_MAX = 10;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Waits until a count is down to what may stay; what leaks never comes down. */
async function settleTo(max: number, count: () => number): Promise<void> {
  const look = async () => {
    collectGarbage();
    await tick();
    return count();
  };
  // Sockets that were cut off take a moment to be closed at both ends, and hold their promises for as long.
  await expect.poll(look, { timeout: COLLECT_MS_MAX, interval: 20 }).toBeLessThanOrEqual(max);
}

/** Holds `body` to leave no more than `max` promises that neither settle nor are dropped by everybody. */
async function leavePending(max: number, body: () => Promise<void>): Promise<void> {
  const pending = new Set<number>();
  const hook = createHook({
    init: (id, type) => void (type === "PROMISE" && pending.add(id)),
    promiseResolve: (id) => void pending.delete(id),
    destroy: (id) => void pending.delete(id),
  });
  hook.enable();
  try {
    await body();
    await settleTo(max, () => pending.size);
  } finally {
    hook.disable();
  }
}

const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

/** The same agent, and the signals of its turns: what is left on them, and whether anything still holds them. */
function watchTurns(agent: Agent) {
  const signals: WeakRef<AbortSignal>[] = [];
  const run: Agent["run"] = (input, context) => {
    signals.push(new WeakRef(context.signal));
    return agent.run(input, context);
  };
  const held = () => signals.flatMap((signal) => signal.deref() ?? []);
  return {
    agent: { ...agent, run },
    held,
    listeners: () => held().flatMap((signal) => getEventListeners(signal, "abort")),
  };
}

/** Starts and cancels turns, so many at once; `isUnderWay` says when they are in the middle. */
async function cancelTurns(agent: Agent, count: number, isUnderWay: (turns: number) => boolean, clock = systemClock) {
  for (let done = 0; done < count; done += AT_ONCE) {
    const turns = Array.from({ length: AT_ONCE }, () => start(agent, { clock }));
    while (!isUnderWay(done + AT_ONCE)) await tick();
    for (const { turn } of turns) turn.cancel();
    const outcomes = await Promise.all(turns.map(({ turn }) => turn.ended));
    expect(outcomes).toEqual(Array(AT_ONCE).fill({ kind: "cancelled", code: "REQUEST_CANCELLED" }));
    for (const { sink } of turns) expect(sink.types().at(-1)).toBe("cancelled");
  }
}

test("a thousand turns cancelled in the middle of an answer leave no timer, listener, socket or promise behind [W-FR-13] [W-R-3] [G11]", {
  timeout: TIME_MS_MAX,
}, async () => {
  const fake = await startFakeOpenAi();
  try {
    fake.answer("endless", { chunks: [chunk({ content: "Once upon" })], end: "hang" });
    const { agent, held, listeners } = watchTurns(defineAgent({ id: "assistant", model: fake.model("endless") }));
    const cancelSome = (count: number) => {
      fake.requests.length = 0;
      return cancelTurns(agent, count, (turns) => fake.requests.length >= turns);
    };
    // Once, for what is made once: the pool of connections, the parser, the compiled code.
    await cancelSome(AT_ONCE);
    const timers = countTimers();
    await cancelSome(TURNS);
    expect(listeners()).toEqual([]);
    expect(countTimers()).toBeLessThanOrEqual(timers);
    expect(fake.requests).toHaveLength(TURNS);
    await settleTo(0, () => fake.requests.filter(({ socket }) => !socket.destroyed).length);
    // The pool of the client keeps some for later: so many at once, not one for each turn.
    expect(await fake.connections()).toBeLessThan(TURNS / 4);
    await settleTo(KEPT_MAX, () => held().length);
    await leavePending(KEPT_MAX, () => cancelSome(AT_ONCE));
  } finally {
    await fake.close();
  }
});

test("a thousand turns cancelled among tools and sub-agents leave no timer, listener or promise behind [W-FR-13] [W-R-3]", {
  timeout: TIME_MS_MAX,
}, async () => {
  const clock = handClock();
  let waiting = 0;
  const wait = defineTool({
    name: "wait",
    description: "d",
    input: z.object({}),
    cancel: "abort",
    run(_input, { signal }) {
      waiting += 1;
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
    },
  });
  const shop = defineSubAgent({
    id: "shop",
    tools: [wait],
    model: says({ tool_calls: [{ name: "wait" }] }),
    onCancel: () => undefined,
  });
  const model = says({ call: 1, tool_calls: [{ name: "shop", arguments: { task: "x" } }, { name: "wait" }] });
  const { agent, held, listeners } = watchTurns(
    defineAgent({ id: "assistant", model, subAgents: [shop], tools: [wait], clock }),
  );
  const cancelSome = (count: number) => {
    waiting = 0;
    return cancelTurns(agent, count, (turns) => waiting >= 2 * turns, clock);
  };
  await cancelSome(TURNS);
  expect(clock.waiting).toBe(0);
  expect(listeners()).toEqual([]);
  await settleTo(KEPT_MAX, () => held().length);
  await leavePending(KEPT_MAX, () => cancelSome(AT_ONCE));
});
