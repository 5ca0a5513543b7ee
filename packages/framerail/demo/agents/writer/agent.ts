// Writes a long answer: 4,000 tokens, 60 a second. The one to reload, to stop and to replay.

import { defineAgent } from "framerail/agent";
import { demoModel, prices } from "../../demo-model.js";
import { walkThroughNumbers } from "./numbers.js";

const TOKENS = 4_000;
const TOKENS_PER_SECOND = 60;
const TOKEN_LENGTH = 4;

export default defineAgent({
  id: "writer",
  instructions: "You write long, calm essays in markdown, with headings, lists and a table.",
  model: await demoModel({
    tokens_per_second: TOKENS_PER_SECOND,
    token_length: TOKEN_LENGTH,
    steps: [{ text: walkThroughNumbers(TOKENS * TOKEN_LENGTH) }],
  }),
  prices,
});
