// Which model the demo agents talk with: a scripted one, which needs no key, or a real one when there is a key.
//   OPENAI_API_KEY          a real model, of OpenAI or of any provider that speaks its protocol (OPENAI_BASE_URL)
//   OPENAI_MODEL            its name
//   FRAMERAIL_SCRIPT_SPEED  how many times as fast as written scripts are played

import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { systemClock } from "@framerail/protocol";
import type { Script } from "framerail/agent";
import { createPriceTable, loadScript, scriptedModel } from "framerail/agent";

const OPENAI_URL = "https://api.openai.com/v1";
const MODEL = "gpt-4.1-mini";

const { env } = process;
const speed = Number(env.FRAMERAIL_SCRIPT_SPEED) > 0 ? Number(env.FRAMERAIL_SCRIPT_SPEED) : 1;

/** What a token costs, in dollars per million: of the scripted model as of a small real one. */
export const prices = createPriceTable({
  currency: "USD",
  models: { scripted: { input: 0.4, output: 1.6, cached_input: 0.1 } },
});

/** Plays the script, or the file of one, unless there is a key. */
export async function demoModel(given: Script | URL) {
  if (env.OPENAI_API_KEY === undefined || env.OPENAI_API_KEY === "") {
    const script = given instanceof URL ? await loadScript(fileURLToPath(given)) : given;
    return scriptedModel({ script, clock: systemClock, speed });
  }
  const { OPENAI_BASE_URL: baseURL = OPENAI_URL, OPENAI_API_KEY: apiKey, OPENAI_MODEL: model = MODEL } = env;
  return createOpenAICompatible({ name: "openai", baseURL, apiKey, includeUsage: true }).chatModel(model);
}

/** The time that a backend takes. */
export async function takeTime(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms / speed, undefined, signal && { signal });
}
