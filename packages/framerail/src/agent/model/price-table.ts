// What a model call costs [R-6-3], in US dollars: the ledger keeps its costs in them, and adds up what is told to it. A model
// that a table does not know has no price, which is not the same as costing nothing.
//   P1. A dated name (`gpt-5.2-2026-02-01`, `claude-x@20260201`, `…-latest`) has the price of the longest name it extends.
//       Only a date extends a name: `gpt-5-mini` never gets the price of `gpt-5`.
//   P2. Cached tokens are part of the input and are priced once, at `cached_input`, or as input where that is not given.
//   P3. A table in another currency is refused: unconverted, its figures would stand in the ledger as dollars.
//   P4. A table of the author's own that gives no price, or fails, costs the call its price and nothing else.

import type { Usage } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { hearRejection } from "../author-hooks.js";

const TOKENS_PER_PRICE = 1_000_000;
const CURRENCY = "USD";
const DATED = /^[-@:](?:(?:preview|exp)-)?(?:latest|\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{3,8})$/;

/** Per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cached_input?: number;
}

export interface PriceTableOptions {
  /** Of the ledger. Convert prices in another one. */
  readonly currency: "USD";
  readonly models: { readonly [modelId: string]: ModelPrice };
}

export interface PriceTable {
  readonly currency: "USD";
  costOf(model: string, usage: Usage): number | undefined;
}

export function createPriceTable({ currency, models }: PriceTableOptions): PriceTable {
  if (currency !== CURRENCY) throw refusePrice("currency", "must be USD, in which costs are kept: convert the prices");
  for (const [model, price] of Object.entries(models)) requirePrice(model, price);
  const prices = new Map(Object.entries(models));
  const byLength = [...prices.keys()].sort((a, b) => b.length - a.length);
  return {
    currency,
    costOf(model, usage) {
      const name = prices.has(model) ? model : byLength.find((known) => isDatedNameOf(known, model));
      const price = name === undefined ? undefined : prices.get(name);
      return price && costAt(price, usage);
    },
  };
}

/** The price by any table (P4). */
export function askPrice(prices: PriceTable | undefined, model: string, usage: Usage): number | undefined {
  try {
    const cost: unknown = prices?.costOf(model, usage);
    return !hearRejection(cost) && isPrice(cost) ? cost : undefined;
  } catch {
    // P4. The call was made, and its counts are told whatever its price.
    return undefined;
  }
}

function isPrice(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isDatedNameOf(known: string, model: string): boolean {
  return model.startsWith(known) && DATED.test(model.slice(known.length));
}

function costAt({ input, output, cached_input = input }: ModelPrice, usage: Usage): number {
  const fresh = usage.input_tokens - usage.cached_tokens;
  return (fresh * input + usage.cached_tokens * cached_input + usage.output_tokens * output) / TOKENS_PER_PRICE;
}

function requirePrice(model: string, price: ModelPrice): void {
  for (const field of ["input", "output", "cached_input"] as const) {
    const value: unknown = price[field];
    if (value === undefined && field === "cached_input") continue;
    if (isPrice(value)) continue;
    throw refusePrice(`models.${model}.${field}`, "must be a price per million tokens, zero or more");
  }
}

function refusePrice(path: string, rule: string): FramerailError {
  const message = `${path} ${rule}`;
  return new FramerailError("INVALID_ARGUMENT", `a price table: ${message}`, {
    issue: { path, rule: "price", message },
  });
}
