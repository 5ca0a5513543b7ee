import { expect, test } from "vitest";
import type { Cohort } from "./cohort.js";
import { openBench } from "./testing/policy-bench.js";

/** Steps: milliseconds that pass, `emitter:status id`, or a piece of text. */
interface Pattern {
  readonly name: string;
  readonly steps: readonly (number | string)[];
  readonly policies?: Cohort["policies"];
  readonly shown: readonly string[];
}

const SEARCH = "shop:searching_offers";
const POINTS = "wallet:looking_up_points_balance";
const STOCK = "shop:checking_stock";

const PATTERNS: readonly Pattern[] = [
  {
    name: "two at once are one line",
    steps: [SEARCH, POINTS, 150, "text"],
    shown: ["status:Searching offers and looking up your points…", "text:text"],
  },
  {
    name: "two in sequence stay two lines",
    steps: [SEARCH, 600, POINTS, 600, "text"],
    shown: ["status:Searching offers…", "status:Looking up your points…", "text:text"],
  },
  {
    name: "a fast answer is not overtaken by its own status",
    steps: [SEARCH, 10, POINTS, 10, "text", 1_000],
    shown: ["status:Searching offers and looking up your points…", "text:text"],
  },
  {
    name: "emitters that repeat each other do not flood",
    steps: [SEARCH, SEARCH, POINTS, SEARCH, POINTS, 150, SEARCH, POINTS, 50, SEARCH, 50, "text"],
    shown: ["status:Searching offers and looking up your points…", "text:text"],
  },
  {
    name: "what is shown at once is interleaved as it was written",
    steps: ["shop:comparing", "wallet:asking_partner", "a", "wallet:writing_answer", "b"],
    shown: ["status:Comparing…", "status:Asking a partner…", "text:a", "status:Writing the answer…", "text:b"],
  },
  {
    name: "one is suppressed in favour of the other",
    steps: [SEARCH, POINTS, STOCK, 150],
    policies: { looking_up_points_balance: "suppress", checking_stock: "suppress" },
    shown: ["status:Searching offers…"],
  },
  {
    name: "a third that comes after the window opens the next",
    steps: [SEARCH, POINTS, 150, STOCK, 150],
    shown: ["status:Searching offers and looking up your points…", "status:Checking the stock…"],
  },
];

for (const { name, steps, policies, shown } of PATTERNS)
  test(`in fan-out, ${name} [W-FR-5] [W-POL-7] [W-R-2]`, () => {
    const cohort = policies && { name: "tuned", flag: "ai_assistant_fan_out", policies };
    const stage = openBench({ cohort });
    for (const step of steps) {
      if (typeof step === "number") stage.clock.advance(step);
      else if (step.includes(":")) stage.status(step.split(":")[1] as string, undefined, step.split(":")[0] as string);
      else stage.text(step);
    }
    stage.turn.flush();
    expect(stage.shown()).toEqual(shown);
  });
