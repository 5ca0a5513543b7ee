// What a model call costs [R-6-3]. One table has one currency; a model it does not know has no price, which is not the
// same as costing nothing.
//   P1. A dated name (`gpt-5.2-2026-02-01`, `claude-x@20260201`, `…-latest`) has the price of the longest name it extends.
//       Only a date extends a name: `gpt-5-mini` never gets the price of `gpt-5`.
//   P2. Cached tokens are part of the input and are priced once, at `cached_input`, or as input where that is not given.

import type { Usage } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";

const TOKENS_PER_PRICE = 1_000_000;
const CURRENCY = /^[A-Z]{3}$/;
const DATED = /^[-@:](?:(?:preview|exp)-)?(?:latest|\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{3,8})$/;

/** Per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cached_input?: number;
}

export interface PriceTableOptions {
  /** Such as `USD`. */
  readonly currency: string;
  readonly models: { readonly [modelId: string]: ModelPrice };
}

export interface PriceTable {
  readonly currency: string;
  costOf(model: string, usage: Usage): number | undefined;
}

export function createPriceTable({ currency, models }: PriceTableOptions): PriceTable {
  if (!CURRENCY.test(currency)) throw refusePrice("currency", "must be a code of three capital letters");
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
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) continue;
    throw refusePrice(`models.${model}.${field}`, "must be a price per million tokens, zero or more");
  }
}

function refusePrice(path: string, rule: string): FramerailError {
  const message = `${path} ${rule}`;
  return new FramerailError("INVALID_ARGUMENT", `a price table: ${message}`, {
    issue: { path, rule: "price", message },
  });
}
