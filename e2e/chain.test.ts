import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyEmbeddedTemplate } from "../packages/framerail/src/store/testing/open-store.js";
import { call, open, openSession, readBody } from "./harness/caller.js";
import type { FakeModel } from "./harness/fake-model.js";
import { startFakeModel } from "./harness/fake-model.js";
import type { Program } from "./harness/program.js";
import { startProgram } from "./harness/program.js";
import { readSse } from "./harness/sse-reader.js";

let [model, program, folder]: [FakeModel | undefined, Program | undefined, string] = [undefined, undefined, ""];
beforeAll(async () => {
  folder = copyEmbeddedTemplate();
  model = await startFakeModel();
  const args = ["dev", "--agents", "e2e/harness/agents", "--data", folder, "--port", "0"];
  program = await startProgram({ args, env: { FAKE_MODEL_URL: model.url } });
});
afterAll(async () => {
  await program?.stop();
  await model?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a message goes from its session and its context to the model, from there token by token to the reader, and into history, frames and accounts [R-6-6]", async () => {
  const url = program?.url ?? "";
  const session = await openSession(url, "assistant");
  const tell = async (message: string) => {
    const headers = { accept: "text/event-stream" };
    const response = await open(`${url}/v1/sessions/${session}/turns`, { method: "POST", headers, body: { message } });
    const { text } = await readBody(response);
    const frames = readSse(text).events.flatMap(({ data }) => (data === "[DONE]" ? [] : [JSON.parse(data)]));
    return { turnId: String(response.headers["framerail-turn-id"]), frames };
  };
  await tell("say 3 words");
  const { turnId, frames } = await tell("say 5 words");

  const [earlier, asked] = model?.calls ?? [];
  expect(model?.calls).toHaveLength(2);
  expect(earlier?.said).toMatchObject([{ role: "system" }, { role: "user" }]);
  // The context: what was said and answered before.
  expect(asked?.said.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  const pieces = frames.filter(({ event_type }) => event_type === "text").map(({ chunk }) => chunk as string);
  expect(pieces).toHaveLength(asked?.words ?? 0);
  expect(frames.at(-1)).toMatchObject({ event_type: "completed" });

  const { json: turn } = await call(`${url}/v1/turns/${turnId}`);
  expect(turn).toMatchObject({ status: "ended", outcome: { kind: "completed" }, last_seq: frames.length });
  const history = JSON.parse((await call(`${url}/v1/conversations/${turn.conversation_id}/messages`)).text);
  expect(history.at(-1)).toMatchObject({
    role: "assistant",
    content_items: [{ type: "message", content: pieces.join("") }],
  });
  const replayed = await call(`${url}/v1/turns/${turnId}/stream?after=0`);
  expect(readSse(replayed.text).events.filter(({ id }) => id !== undefined)).toHaveLength(frames.length);
  const { json: usage } = await call(`${url}/v1/usage?group_by=agent`);
  expect(usage.usage).toMatchObject([{ agent: "assistant", calls: 2 }]);
});
