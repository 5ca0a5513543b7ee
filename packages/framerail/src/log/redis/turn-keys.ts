// The keys of a turn in Redis. Both have the turn as their hash tag, so that on a cluster they are in one slot.
//   state   hash: stream, epoch, owner, last (seq), sealed. Found by the turn alone: readers know no tenant.
//   stream  one entry per turn and tick, its id `<last seq>-0`; fields epoch, first (seq), seals, bytes (an HTTP chunk).

export interface TurnKeys {
  readonly state: string;
  readonly stream: string;
}

export const stateKeyOf = (turnId: string) => `framerail:turn:{${turnId}}`;

export const keysOf = (orgId: string, turnId: string): TurnKeys => ({
  state: stateKeyOf(turnId),
  stream: `framerail:${orgId}:turn:{${turnId}}`,
});

/** What a process writes to when it wants its own blocking read to return. */
export const wakeKeyOf = (owner: string) => `framerail:wake:${owner}`;
