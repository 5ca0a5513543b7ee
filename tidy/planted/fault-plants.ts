// Bugs that once were there, and the tests that found them: what fails beside a turn, and where that leaves it.

import { plantIn } from "./plant-in.js";
import type { Plant } from "./plants.js";

export const FAULT_PLANTS: readonly Plant[] = [
  plantIn("agent/loop.ts", "dispatch/run-turn-ends.test.ts")(
    "a spent budget pauses the turn, whoever finds it",
    "context.signal.aborted || isExhausted(error)",
    "context.signal.aborted",
  ),
  plantIn("publish/publish-turn.ts", "dispatch/run-turn-ends.test.ts")(
    "a turn does not end within its end",
    "this.#latching || this.outcome !== undefined",
    "this.outcome !== undefined",
  ),
  plantIn("dispatch/settle-within.ts", "dispatch/run-turn-ends.test.ts")(
    "a cancel that was heard takes its timer back",
    "      stop();\n      resolve();",
    "      resolve();",
  ),
  plantIn("dispatch/settle-within.ts", "dispatch/turn-waits.test.ts")(
    "an end that was waited for takes its timer back",
    "      stop();\n      resolve();",
    "      resolve();",
  ),
  plantIn("dispatch/claim-message.ts", "dispatch/repeated-message-db.test.ts")(
    "a request waits for the same one to be accepted",
    'status === "running" ||',
    "status !== undefined ||",
  ),
  plantIn("dispatch/presence.ts", "dispatch/presence-elsewhere.test.ts")(
    "a reader elsewhere has the grace too",
    "else if (restMs > 0)",
    "else if (restMs > Number.MAX_VALUE)",
  ),
  plantIn("dispatch/seal-turns.ts", "dispatch/seal-many-db.test.ts")(
    "a sealer at work stays alive",
    ">= LEASE_RENEW_MS) await this.#renew();",
    "< 0) await this.#renew();",
  ),
  plantIn("store/journal.ts", "dispatch/seal-many-db.test.ts")(
    "a journaled row holds its turn",
    " limit 1 for share",
    " limit 1",
  ),
  plantIn("store/audit.ts", "dispatch/odd-ends-db.test.ts")(
    "a time past the year 9999 ends no audit",
    "Math.min(row.occurredAt, TIME_MS_MAX)",
    "row.occurredAt",
  ),
  plantIn("dispatch/unstored-frames.ts", "dispatch/unstored-left-db.test.ts")(
    "a turn that is given up is not stored again",
    "  giveUp(): void {\n    this.#isEnding = true;",
    "  giveUp(): void {",
  ),
  plantIn("dispatch/record-turn.ts", "dispatch/send-message-faults-db.test.ts")(
    "a tool whose intent was not kept does not run",
    'event.type === "tool_call" && isFramerailError(error)',
    "isFramerailError(undefined)",
  ),
  plantIn("log/memory/journal-file.ts", "log/memory/journal-rotation.test.ts")(
    "a write that cannot be cut back is still its own failure",
    "    cutBack(file);",
    "    ftruncateSync(file.descriptor, file.size);",
  ),
  plantIn("log/redis/follower.ts", "log/redis/follower-faults.test.ts")(
    "a view that was lost gives way to the next",
    "known?.view === view",
    "known !== undefined",
  ),
  plantIn("log/redis/follower.ts", "log/redis/follower-faults.test.ts")(
    "one key of another kind is let go",
    "if (isWrongType(error)) await",
    "if (this.#closed) await",
  ),
  plantIn("gateway/stream/open-reader.ts", "gateway/stream/lagging-replica.test.ts")(
    "a frame that was seen elsewhere is waited for",
    "waitedMs < view.lagMsMax",
    "waitedMs < 0",
  ),
  plantIn("gateway/stream/turn-stream.ts", "gateway/stream/heartbeat.test.ts")(
    "a clock that was set back",
    " || silentMs < 0",
    "",
  ),
  plantIn("gateway/auth/tickets.ts", "gateway/auth/tickets-crowd.test.ts")(
    "used tickets give way to new ones",
    "unused.size > used.size ? unused : used",
    "unused.size > 0 ? unused : used",
  ),
  plantIn("gateway/stream/stream-output.ts", "gateway/stream/stream-output.test.ts")(
    "a reader that takes some is sent more",
    "this.#waitingBytes <= READER_BYTES_LOW",
    "this.#waitingBytes === 0",
  ),
  plantIn("gateway/stream/stream-output.ts", "gateway/stream/stream-output.test.ts")(
    "a write that fails closes its connection",
    "if (error) this.#socket.destroy(error);",
    "if (error) return;",
  ),
  plantIn("gateway/stream/stream-output.ts", "gateway/stream/stream-output.test.ts")(
    "what is taken waits no more",
    "this.#waitingBytes -= size;",
    "if (!error) this.#waitingBytes -= size;",
  ),
  plantIn("gateway/stream/stream-output.ts", "gateway/stream/read-back.test.ts")(
    "what waits is counted",
    "this.#waitingBytes += size;",
    "this.#waitingBytes += 0;",
  ),
];
