import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FIRST_READER_MS } from "../packages/framerail/src/dispatch/limits.js";
import { beginTurn, call, openSession } from "./harness/caller.js";
import type { FakeModel } from "./harness/fake-model.js";
import { startFakeModel } from "./harness/fake-model.js";
import type { Random } from "./harness/seeded-random.js";
import { chooseSeed, seededRandom } from "./harness/seeded-random.js";
import { abortRequest, requestText } from "./load/abort-request.js";
import type { ProbedProgram } from "./load/probed-program.js";
import { processorWaitMs, startProbed } from "./load/probed-program.js";

const LONG = process.env.FRAMERAIL_LONG !== undefined;
const ABORTS = LONG ? 10_000 : 500;
const WARM_UP = 100;
const LANES = 10;
const TIMEOUT_MS = LONG ? 3_600_000 : 300_000;
/** What it may take until the model's request is closed: of a turn that was read [G11], and of one whose reader never came. */
const CLOSED_MS_MAX = 250;
const UNREAD_MS_MAX = FIRST_READER_MS + CLOSED_MS_MAX;
/** After this nothing of the callers is left: Node's fetch keeps an idle connection for 4 s. */
const REST_MS = 6_000;
const RESTS_MAX = 5;
const LEFT = { action: "cancel", grace_ms: 0 };

let model: FakeModel;
let program: ProbedProgram;
beforeAll(async () => {
  model = await startFakeModel();
  program = await startProbed({ FAKE_MODEL_URL: model.url });
}, 120_000);
afterAll(async () => {
  await program?.close();
  await model.close();
});

interface Left {
  readonly name: string;
  readonly how: string;
  readonly at: number;
  readonly closedMsMax: number;
  /** What this process and the program had waited for a processor when the caller left. */
  readonly waited: number;
}

const waitedBoth = () => processorWaitMs(process.pid) + processorWaitMs(program.pid);

interface Plan {
  readonly isPost: boolean;
  readonly accept: string;
  /** In the request, at once behind it, in the head of the answer, or among its frames. */
  readonly where: "request" | "answer" | "head" | "frames";
  /** How far in there. */
  readonly share: number;
  readonly resets: boolean;
}

function choosePlan(random: Random): Plan {
  return {
    isPost: random() < 0.6,
    accept: random() < 0.5 ? "text/event-stream" : "application/x-ndjson",
    where: (["request", "answer", "head", "frames"] as const)[Math.floor(random() * 4)] ?? "frames",
    share: random(),
    resets: random() < 0.5,
  };
}

/** One caller that leaves, somewhere. */
async function leaveOne({ isPost, accept, where, share, resets }: Plan): Promise<Left> {
  const name = randomUUID();
  const session = await openSession(program.url, "assistant");
  const body = { message: `${name}: say 100000 words every 5 ms`, on_disconnect: LEFT };
  const path = isPost
    ? `/v1/sessions/${session}/turns`
    : `/v1/turns/${await beginTurn(program.url, session, body)}/stream`;
  const request = requestText(program.port, {
    method: isPost ? "POST" : "GET",
    path,
    accept,
    ...(isPost && { body }),
  });
  const reads = { request: 0, answer: 0, head: 1 + share * 300, frames: 400 + share * 6_000 }[where];
  const sends = where === "request" ? Math.floor(share * request.length) : request.length;
  const { at } = await abortRequest({ port: program.port, request, sends, reads, resets });
  const how = `${isPost ? "POST" : "GET"} ${accept} ${where} ${Math.round(reads)}`;
  // A turn that is not begun by its reader knows of it when its request has come.
  const closedMsMax = isPost || reads > 0 ? CLOSED_MS_MAX : UNREAD_MS_MAX;
  return { name, how, at, closedMsMax, waited: waitedBoth() };
}

/** A lane waits for its turn's end, so that no more turns run than there are lanes. */
async function leaveMany(plans: readonly Plan[]): Promise<Closed[]> {
  const closed: Closed[] = [];
  const left = plans.values();
  const lane = async () => {
    for (const plan of left) closed.push(await watchClose(await leaveOne(plan)));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return closed;
}

interface Closed extends Left {
  /** Undefined: no turn came of it. */
  readonly closedMs: number | undefined;
  /** Of these, how long one of the two processes was ready to run and could not. */
  readonly waitedMs: number;
}

/** How long a request that was left may take to be seen at the model, before it counts as none. */
const NO_TURN_MS = 1_500;

async function watchClose(left: Left): Promise<Closed> {
  const patience = left.at + 30_000;
  for (;;) {
    const [asked] = model.callsOf(left.name);
    const waited = waitedBoth() - left.waited;
    if (asked?.endedAt !== undefined) {
      // A turn may begin to ask its model after its caller has left.
      return { ...left, closedMs: asked.endedAt - Math.max(left.at, asked.at), waitedMs: waited };
    }
    const now = performance.now();
    if (asked === undefined && now > left.at + NO_TURN_MS) return { ...left, closedMs: undefined, waitedMs: waited };
    if (now > patience) throw new Error(`the model is still asked: ${left.how}`);
    await sleep(5);
  }
}

const noneRuns = async () => {
  const { text } = await call(`${program.url}/metrics`);
  return /^framerail_turns_running (\d+)$/m.exec(text)?.[1];
};

/** What ended turns hold, and what was freed, is given back after a while: measured when it no longer gets less. */
async function measureAtRest() {
  let last = await program.measure();
  for (let look = 0; look < RESTS_MAX; look += 1) {
    await sleep(REST_MS);
    const next = await program.measure();
    if (next.rss > last.rss * 0.99) return next;
    last = next;
  }
  return last;
}

test(`${ABORTS} callers that leave at any byte take their turns with them within 250 ms, and leave nothing behind [G5] [G8] [G11] [D-9] [W-FR-13] [W-CAN-1]`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const random = seededRandom(chooseSeed("aborts"));
  const plans = Array.from({ length: WARM_UP + ABORTS }, () => choosePlan(random));
  await leaveMany(plans.slice(0, WARM_UP));
  await expect.poll(noneRuns, { timeout: 20_000 }).toBe("0");
  const before = await measureAtRest();
  const closed = await leaveMany(plans.slice(WARM_UP));
  await expect.poll(noneRuns, { timeout: 20_000 }).toBe("0");

  const turns = closed.flatMap(({ closedMs, ...rest }) => (closedMs === undefined ? [] : [{ ...rest, closedMs }]));
  expect(turns.length).toBeGreaterThan(ABORTS / 2);
  const took = turns
    .flatMap(({ closedMs, closedMsMax }) => (closedMsMax === CLOSED_MS_MAX ? [closedMs] : []))
    .sort((a, b) => a - b);
  const late = turns.filter(({ closedMs, closedMsMax }) => closedMs > closedMsMax);
  console.info(
    `aborts: ${ABORTS}, with a turn ${turns.length}; model closed p50 ${took[took.length >> 1]?.toFixed(1)} ms, ` +
      `p99 ${took[Math.floor(took.length * 0.99)]?.toFixed(1)} ms, max ${took.at(-1)?.toFixed(1)} ms; ` +
      `over their bound: ${late.length}`,
  );
  for (const { how, closedMs, waitedMs } of late)
    console.info(
      `late: ${how}: ${closedMs.toFixed(1)} ms, of which no processor was free for ${waitedMs.toFixed(1)} ms`,
    );
  // The bound is for the program: while it, or the clock that judges it, is not let run, nothing is measured.
  expect(late.filter(({ closedMs, closedMsMax, waitedMs }) => closedMs - waitedMs > closedMsMax)).toEqual([]);
  expect(model.calls.filter(({ end }) => end !== "closed_by_caller")).toEqual([]);

  // The caller's end is told before the last socket is closed: what stays is what is still there after a while.
  const counted = async () => (await program.measure()).descriptors;
  await expect.poll(counted, { timeout: 10_000, interval: 500 }).toBe(before.descriptors);
  const after = await measureAtRest();
  console.info(`held before ${JSON.stringify(before)}, after ${JSON.stringify(after)}`);
  expect((await call(`${program.url}/healthz`)).json).toEqual({ status: "ok" });
  expect(program.log()).toBe("");
  expect(after.descriptors).toBe(before.descriptors);
  expect(after.held).toEqual(before.held);
  expect(after.rss).toBeLessThan(before.rss * 1.1);
});
