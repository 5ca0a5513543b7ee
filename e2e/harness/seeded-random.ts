// Chance that can be had again: numbers by a seed, and the seed a run takes.

export type Random = () => number;

/** Numbers from 0 up to 1, always the same for one seed. Good enough to choose moments by, and for nothing else. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** FRAMERAIL_SEED, to have a run again; a new one otherwise. Printed, because a failure is worth little without it. */
export function chooseSeed(name: string): number {
  const seed = Number(process.env.FRAMERAIL_SEED ?? Math.floor(Math.random() * 2 ** 32));
  console.info(`${name}: FRAMERAIL_SEED=${seed}`);
  return seed;
}
