// Judges measured bundle sizes against the committed ones.
//   Z1. A bundle never grows unseen: over the committed number fails, so the number is part of the change.
//   Z2. A number that is far above the truth guards nothing: it is renewed when the bundle shrinks.
//   Z3. The decode path, which every client loads, has a ceiling that no commit may raise.

import type { Sizes } from "./measure-bundle.js";

export const DECODE_PATH_BYTES_MAX = 12_288;
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
  if (committed["decode path"] > DECODE_PATH_BYTES_MAX)
    broken.push(
      `decode path: the committed ${committed["decode path"]} is over ${DECODE_PATH_BYTES_MAX} bytes: make it smaller`,
    );
  return broken;
}
