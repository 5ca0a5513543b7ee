// The first step of a message: its turn is claimed, or found where the same request was sent before.
// Owns: when the claim is made again. Does not own: the claim itself (store/turns.ts).
//   C1. A request that was sent before is answered when its first is accepted: until then nobody knows whether there is a
//       turn. Where that one is refused, or its process dies, this one takes its place.

import type { Clock } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import type { Database } from "../store/database.js";
import type { ClaimResult, TurnClaim } from "../store/turns.js";
import { claimTurn, readTurn } from "../store/turns.js";
import { CLAIM_AGAIN_MS, CLAIM_MS_MAX } from "./limits.js";
import { wakeSession } from "./turn-budget.js";

export interface ClaimOptions {
  readonly database: Database;
  readonly clock: Clock;
}

/** Throws NOT_FOUND, SESSION_CLOSED, TURN_RUNNING or KEY_REUSED: nothing was claimed. */
export async function claimMessage(
  { database, clock }: ClaimOptions,
  orgId: string,
  claim: TurnClaim,
): Promise<ClaimResult> {
  for (let waitedMs = 0; ; waitedMs += CLAIM_AGAIN_MS) {
    const found = await claimAwake(database, orgId, claim);
    if (found.kind === "claimed" || (await isAccepted(database, orgId, found.turnId))) return found;
    // C1
    if (waitedMs >= CLAIM_MS_MAX) throw new FramerailError("TURN_RUNNING", "the same request is still being accepted");
    await new Promise<void>((resolve) => void clock.schedule(CLAIM_AGAIN_MS, resolve));
  }
}

async function claimAwake(database: Database, orgId: string, claim: TurnClaim): Promise<ClaimResult> {
  try {
    return await claimTurn(database, orgId, claim);
  } catch (error) {
    if (!isFramerailError(error) || error.code !== "SESSION_CLOSED") throw error;
    // A session that ran out of its budget may have room again.
    await wakeSession(database, orgId, claim);
    return claimTurn(database, orgId, claim);
  }
}

async function isAccepted(database: Database, orgId: string, turnId: string): Promise<boolean> {
  const status = (await readTurn(database, orgId, turnId))?.status;
  return status === "running" || status === "ended";
}
