// The one write to Redis: frames of many turns in one call, each turn judged by Redis itself.
// Owns: the script, its arguments and answers. Does not own: when it is called, what an answer means for a turn.
//   A1. A turn's frames are taken whole or not at all: owner and epoch are the turn's, it is not sealed, the first frame
//       is the one after the last [D-1, D-3]. A newer epoch takes the turn over even where its frames do not fit.
//   A2. What is there already is not written again, so that a call whose answer was lost can be repeated.
//   A3. A key that is not there is made only by frames from the owner's own beginning: a part of a turn is no turn.
//   A4. The terminal seals and sets the expiry in the same step.
//   A5. One turn that fails leaves the others alone.

import { createHash } from "node:crypto";
import type { Segment } from "../segment.js";
import type { RedisConnection } from "./connection.js";
import { APPEND_MS_MAX, OPEN_MS_IN_REDIS, SEALED_MS_IN_REDIS } from "./limits.js";
import type { TurnKeys } from "./turn-keys.js";

export interface AppendItem {
  readonly keys: TurnKeys;
  readonly epoch: number;
  /** The last frame before this owner's first. */
  readonly base: number;
  /** The first frame of this call; without segments: the one that would be next. */
  readonly next: number;
  readonly segments: readonly Segment[];
  /** The last frame is the terminal. */
  readonly seals: boolean;
}

/** `failed`: Redis could not do it, and says why. */
export type AppendStatus = "ok" | "stale" | "gap" | "sealed" | "missing" | "failed";

export interface AppendAnswer {
  readonly status: AppendStatus;
  /** The last frame that Redis has. */
  readonly lastSeq: number;
  readonly says?: string;
}

// KEYS: state, stream of each turn. ARGV: items as JSON, [epoch, base, next, seals, first, last, first, last …] each;
// owner; expiry of a sealed turn; expiry of an open one; the bytes of each segment.
export const APPEND_SCRIPT = `
local owner, sealed_ms, open_ms = ARGV[2], ARGV[3], ARGV[4]

local function append(item, state, stream, bytes_at)
  local epoch, base, next, seals = item[1], item[2], item[3], item[4]
  local held = redis.call('HMGET', state, 'epoch', 'owner', 'last', 'sealed')
  local last, sealed = tonumber(held[3]), held[4] == '1'
  if not last then
    if next ~= base + 1 then return 'missing', 0 end
    last = base
    redis.call('HSET', state, 'stream', stream, 'epoch', epoch, 'owner', owner, 'last', last, 'sealed', 0)
    redis.call('PEXPIRE', state, open_ms)
  else
    local held_epoch = tonumber(held[1])
    if held_epoch > epoch or (held_epoch == epoch and held[2] ~= owner) then return 'stale', last end
    if held_epoch < epoch then
      if sealed then return 'sealed', last end
      redis.call('HSET', state, 'epoch', epoch, 'owner', owner)
      if next ~= last + 1 then return 'gap', last end
    elseif next > last + 1 then
      return 'gap', last
    end
  end
  local before = last
  for i = 5, #item, 2 do
    local first, final = item[i], item[i + 1]
    if final > last then
      if sealed then return 'sealed', last end
      if first ~= last + 1 then return 'gap', last end
      local ends = seals == 1 and i + 1 == #item and 1 or 0
      redis.call('XADD', stream, final .. '-0', 'epoch', epoch, 'first', first, 'seals', ends,
        'bytes', ARGV[bytes_at + (i - 5) / 2])
      last = final
    end
  end
  if last > before then
    if before == base then redis.call('PEXPIRE', stream, open_ms) end
    redis.call('HSET', state, 'last', last, 'sealed', seals)
    if seals == 1 then
      redis.call('PEXPIRE', state, sealed_ms)
      redis.call('PEXPIRE', stream, sealed_ms)
    end
  end
  return 'ok', last
end

local answers, bytes_at = {}, 5
for i, item in ipairs(cjson.decode(ARGV[1])) do
  local done, status, last = pcall(append, item, KEYS[2 * i - 1], KEYS[2 * i], bytes_at)
  answers[2 * i - 1] = done and status or 'failed'
  -- What redis.call throws is a table or, before Redis 7, a text.
  answers[2 * i] = done and last or type(status) == 'table' and status.err or tostring(status)
  bytes_at = bytes_at + (#item - 4) / 2
end
return answers
`;

const SHA = createHash("sha1").update(APPEND_SCRIPT).digest("hex");

/** One call, once; rejects with LOG_UNAVAILABLE when what became of it is not known. */
export async function appendAll(
  redis: RedisConnection,
  owner: string,
  items: readonly AppendItem[],
): Promise<AppendAnswer[]> {
  const args = encodeItems(owner, items);
  const call = (name: string, script: string) =>
    redis.call({ name, args: [script, items.length * 2, ...args], msMax: APPEND_MS_MAX });
  const answers = await call("EVALSHA", SHA).catch((error: unknown) => {
    if (isUnknownScript(error)) return call("EVAL", APPEND_SCRIPT);
    throw error;
  });
  return decodeAnswers(answers as readonly (Buffer | number)[]);
}

/** Keys and arguments, in the script's order. */
export function encodeItems(owner: string, items: readonly AppendItem[]): (string | number | Buffer)[] {
  const rows = items.map(({ epoch, base, next, seals, segments }) => {
    const row = [epoch, base, next, seals ? 1 : 0];
    for (const { firstSeq, lastSeq } of segments) row.push(firstSeq, lastSeq);
    return row;
  });
  const args: (string | number | Buffer)[] = [];
  for (const { keys } of items) args.push(keys.state, keys.stream);
  args.push(JSON.stringify(rows), owner, SEALED_MS_IN_REDIS, OPEN_MS_IN_REDIS);
  for (const { segments } of items) for (const { chunks } of segments) args.push(chunks);
  return args;
}

export function decodeAnswers(answers: readonly (Buffer | number)[]): AppendAnswer[] {
  return Array.from({ length: answers.length / 2 }, (_, index) => {
    const status = String(answers[2 * index]) as AppendStatus;
    const last = answers[2 * index + 1];
    return status === "failed" ? { status, lastSeq: 0, says: String(last) } : { status, lastSeq: Number(last) };
  });
}

function isUnknownScript(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && cause.message.startsWith("NOSCRIPT");
}
