import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyEmbeddedTemplate } from "../packages/framerail/src/store/testing/open-store.js";
import { checkHistory } from "./checker/check-history.js";
import { framesOf } from "./checker/frame.js";
import { loadFromFolder } from "./checker/load-history.js";
import { call } from "./harness/caller.js";
import type { FakeModel } from "./harness/fake-model.js";
import { startFakeModel } from "./harness/fake-model.js";
import type { Program } from "./harness/program.js";
import { startProgram } from "./harness/program.js";
import { createRecorder } from "./harness/recorder.js";
import { chooseSeed, seededRandom } from "./harness/seeded-random.js";

const KILLS = process.env.FRAMERAIL_LONG ? 200 : 10;
const TURNS = 3;
/** A program starts again within this, also on a machine that is busy. */
const PATIENCE_MS = 90_000;
/** None of these ends before its process is killed. */
const SAYS = [
  ["errands", "600 errands every 30 ms"],
  ["assistant", "call look_up first and say 600 words every 30 ms"],
  ["assistant", "say 600 words every 30 ms"],
] as const;

let folder: string;
let model: FakeModel;
beforeAll(async () => {
  folder = copyEmbeddedTemplate();
  model = await startFakeModel();
});
afterAll(async () => {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

const start = () =>
  startProgram({
    args: ["dev", "--agents", "e2e/harness/agents", "--data", folder, "--port", "0"],
    env: { FAKE_MODEL_URL: model.url },
  });

test(`an embedded program that is killed ${KILLS} times gives its readers every journalled frame once and then the end, its history the same text, and its accounts a row for every model call [G1] [G2] [G3] [G9] [D-1] [D-3]`, {
  timeout: KILLS * PATIENCE_MS,
}, async () => {
  const random = seededRandom(chooseSeed("kills of an embedded program"));
  const recorder = createRecorder(model);
  let program = await start();
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const { begun, ended } = play(program);
    // Every third time it may hit a turn that is on its way; otherwise a slow machine would never let one begin.
    if (kill % 3 !== 0) await begun;
    await sleep(random() * 1_500);
    await program.kill();
    program = await start();
    await ended;
  }
  expect(await program.stop()).toBe(0);
  expect(checkHistory(recorder.history(await loadFromFolder(folder)))).toEqual([]);
  expect(recorder.accepted.length).toBeGreaterThan(KILLS);

  function play(victim: Program) {
    const begins = Array.from({ length: TURNS }, (_, place) => {
      const [agentId, says] = SAYS[place % SAYS.length] ?? SAYS[0];
      return recorder.begin({ url: victim.url, agentId, message: `${randomUUID()} ${says}` });
    });
    const ends = begins.map(async (begin) => {
      const turnId = await begin;
      if (turnId === undefined) return;
      const client = await recorder.follow({
        turnId,
        server: () => program.url,
        silenceMs: 30_000,
        patienceMs: PATIENCE_MS,
      });
      const last = framesOf(client.readings.map(({ body }) => body).join("")).filter((it) => typeof it !== "string");
      expect(last.at(-1)?.body).toMatchObject({
        event_type: "error",
        error: { code: "INTERNAL_ERROR" },
        is_final: true,
      });
      await expectHistory(turnId, last.map(({ body }) => body.chunk ?? "").join(""));
    });
    return { begun: Promise.all(begins), ended: Promise.all(ends) };
  }

  async function expectHistory(turnId: string, text: string): Promise<void> {
    const { json } = await call(`${program.url}/v1/turns/${turnId}`);
    const { text: messages } = await call(`${program.url}/v1/conversations/${String(json.conversation_id)}/messages`);
    const [, answer] = JSON.parse(messages) as { incomplete: boolean; content_items: { content?: string }[] }[];
    expect(answer).toMatchObject({ incomplete: true });
    expect(answer?.content_items.map(({ content = "" }) => content).join("")).toBe(text);
  }
});
