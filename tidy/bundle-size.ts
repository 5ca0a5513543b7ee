// Judges measured bundle sizes against the committed ones.
//   Z1. A bundle never grows unseen: over the committed number fails, so the number is part of the change.
//   Z2. A number that is far above the truth guards nothing: it is renewed when the bundle shrinks.
//   Z3. The decode path, which every client loads, and our own client with and without its hooks have ceilings that no
//       commit may raise.

import type { Sizes } from "./measure-bundle.js";

export const BYTES_MAX: Readonly<Partial<Sizes>> = {
  "decode path": 12_288,
  client: 15_000,
  "client with react": 17_000,
};
const STALE_SHARE = 0.1;
/** The same bytes compress to a few more or less under another Node, whose zlib differs. */
const ZLIB_SLACK_BYTES = 24;

const RENEW = "run `npx tsx tidy/measure-bundle.ts` and commit tidy/bundle-size.json";

export function judgeSizes(measured: Sizes, committed: Sizes): string[] {
  const broken: string[] = [];
  for (const name of Object.keys(measured) as (keyof Sizes)[]) {
    const [now, then] = [measured[name], committed[name]];
    if (!(now <= then + ZLIB_SLACK_BYTES)) broken.push(`${name}: ${now} bytes, over the committed ${then}: ${RENEW}`);
    else if (now < then * (1 - STALE_SHARE))
      broken.push(`${name}: ${now} bytes, far under the committed ${then}: ${RENEW}`);
  }
  for (const [name, bytesMax] of Object.entries(BYTES_MAX) as [keyof Sizes, number][])
    if (committed[name] > bytesMax)
      broken.push(`${name}: the committed ${committed[name]} is over ${bytesMax} bytes: make it smaller`);
  return broken;
}
