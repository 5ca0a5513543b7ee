// The turn log of many processes: on Redis.
// Owns: which turns are written and read here, and by whom they are fed. Does not own: the call that appends
// (append-script.ts, append-pump.ts), a turn's frames on their way (redis-turn.ts), following (follower.ts).
//   R1. All readers of a turn in this process share one view, whoever writes it.
//   R2. A turn that is written here is fed by its owner's acknowledgements; any other, and one that was lost to another
//       owner while somebody reads it, by following. The last reader who leaves ends the following.
//   R3. Three connections per process: appending, asking, waiting. Redis must not evict keys ("noeviction").
//   R4. A Redis that comes back is asked at once whether it still has the turns of this process.

import type { Clock, FramerailError } from "@framerail/protocol";
import { isFramerailError, systemClock } from "@framerail/protocol";
import { steadyMs } from "../../clock.js";
import type { LoggedFrame } from "../frame-sink.js";
import { SEALED_MS_IN_MEMORY } from "../limits.js";
import { readWhole } from "../read-whole.js";
import type { OpenOptions, TurnAppender, TurnLog, TurnRef, TurnView } from "../turn-log.js";
import { AppendPump } from "./append-pump.js";
import type { AppendAnswer, AppendItem } from "./append-script.js";
import { appendAll } from "./append-script.js";
import type { RedisConnection, RedisSource } from "./connection.js";
import { openConnection, unavailable } from "./connection.js";
import { Follower } from "./follower.js";
import type { KeptTotal } from "./kept-frames.js";
import { KeptFrames } from "./kept-frames.js";
import { FORGOTTEN_TURNS_MAX, READ_MS_MAX } from "./limits.js";
import { RedisTurn, stale } from "./redis-turn.js";
import { RedisView } from "./redis-view.js";
import { keysOf, stateKeyOf, wakeKeyOf } from "./turn-keys.js";

export type RedisLogOptions = RedisSource & {
  /** This process, and this start of it: two that say the same are one to Redis. */
  readonly owner: string;
  readonly clock?: Clock;
  /** A connection was lost; told once per outage and connection. */
  report?(error: FramerailError): void;
  /** Hears how long each call that appends took. */
  onFlush?(ms: number): void;
  /** Redis has lost a turn, and with it who owns it: does the store still say that it is ours? Without it: yes. */
  confirmOwner?(turn: TurnRef): Promise<boolean>;
};

export function createRedisLog(options: RedisLogOptions): TurnLog {
  return new RedisLog(options);
}

interface Turn {
  readonly view: RedisView;
  readers: number;
  /** Written here. */
  owned: RedisTurn | undefined;
  followed: boolean;
  /** Takes back that it is dropped later. */
  stay?: () => void;
}

class RedisLog implements TurnLog {
  readonly #options: RedisLogOptions;
  readonly #clock: Clock;
  readonly #appending: RedisConnection;
  readonly #asking: RedisConnection;
  readonly #waiting: RedisConnection;
  readonly #pump: AppendPump;
  readonly #follower: Follower;
  readonly #turns = new Map<string, Turn>();
  readonly #looking = new Map<string, Promise<void>>();
  readonly #forgotten = new Set<string>();
  readonly #kept: KeptTotal = { bytes: 0 };

  constructor(options: RedisLogOptions) {
    const { owner, clock = systemClock, report = () => undefined } = options;
    const open = () => openConnection(options, { clock, report });
    this.#options = options;
    this.#clock = clock;
    [this.#appending, this.#asking, this.#waiting] = [open(), open(), open()];
    this.#pump = new AppendPump({ clock, append: (items) => this.#append(items) });
    const [waiting, asking] = [this.#waiting, this.#asking];
    this.#follower = new Follower({ waiting, asking, wakeKey: wakeKeyOf(owner), clock });
    this.#appending.onReady((again) => {
      // R4
      if (again) for (const { owned } of this.#turns.values()) owned?.ask();
    });
  }

  open(ref: TurnRef, options: OpenOptions = {}): TurnAppender {
    const { lastSeq = 0 } = options;
    const earlier = this.#turns.get(ref.turnId);
    const known = earlier?.owned;
    // One that failed may be tried again by its owner; Redis judges whether it still is.
    const isLive = known !== undefined && known.failure === undefined;
    if (known !== undefined && (known.ref.epoch > ref.epoch || (isLive && known.ref.epoch === ref.epoch))) {
      const refused = this.#createTurn(ref, options, this.#createView(ref, lastSeq));
      refused.fail(stale(ref.turnId));
      return refused;
    }
    known?.fail(stale(ref.turnId));
    // R1: whoever reads it already goes on. A view that is somewhere else and not followed is of no use.
    const joins = earlier !== undefined && !earlier.view.lost && (earlier.followed || earlier.view.lastSeq === lastSeq);
    const view = joins ? earlier.view : this.#createView(ref, lastSeq);
    const turn = this.#createTurn(ref, options, view);
    if (joins) view.keepBlocks();
    else if (lastSeq === 0) view.writeHere(turn.kept);
    const { readers, followed } = joins ? earlier : { readers: 0, followed: false };
    this.#turns.set(ref.turnId, { view, readers, owned: turn, followed });
    this.#forgotten.delete(ref.turnId);
    this.#pump.schedule(turn);
    return turn;
  }

  async takeOver(ref: TurnRef): Promise<readonly LoggedFrame[]> {
    const keys = keysOf(ref.orgId, ref.turnId);
    // No frame fits this: it takes the turn and writes nothing, and does not make one that is not there.
    const claim = { keys, epoch: ref.epoch, base: 0, next: 0, segments: [], seals: false };
    const [answer] = await this.#append([claim]);
    if (answer === undefined || answer.status === "failed") throw unavailable("the turn cannot be taken over");
    if (answer.status === "stale") throw stale(ref.turnId);
    if (answer.status === "missing") return [];
    // A view of its own: the one that readers here share may be behind.
    return readWhole(this.#createView(ref, answer.lastSeq));
  }

  async attach(turnId: string): Promise<TurnView | undefined> {
    if (this.#turns.get(turnId)?.view.lost !== false) await this.#look(turnId);
    const turn = this.#turns.get(turnId);
    if (turn === undefined) return undefined;
    turn.readers += 1;
    try {
      this.#follow(turn);
    } catch (error) {
      this.detach(turnId, turn.view);
      throw error;
    }
    return turn.view;
  }

  detach(turnId: string, view: TurnView): void {
    const turn = this.#turns.get(turnId);
    if (turn === undefined || turn.view !== view) return;
    turn.readers -= 1;
    if (turn.readers > 0) return;
    this.#follower.unfollow(turn.view);
    turn.followed = false;
    if (turn.owned?.failure !== undefined || turn.owned === undefined) this.#turns.delete(turnId);
  }

  forget(turnId: string): void {
    this.#forgotten.add(turnId);
    for (const oldest of this.#forgotten) {
      if (this.#forgotten.size <= FORGOTTEN_TURNS_MAX) break;
      this.#forgotten.delete(oldest);
    }
    const turn = this.#turns.get(turnId);
    if (turn?.owned === undefined) return;
    const { owned } = turn;
    owned.kept.drop();
    turn.view.stored(turn.view.lastSeq);
    turn.owned = undefined;
    const drop = () => {
      owned.letGo();
      // Somebody may read it on from another owner, or it may be written here again.
      if (this.#turns.get(turnId) === turn && turn.owned === undefined && !turn.followed) this.#turns.delete(turnId);
    };
    if (turn.readers === 0) drop();
    else turn.stay = this.#clock.schedule(SEALED_MS_IN_MEMORY, drop);
  }

  async close(): Promise<void> {
    await this.#pump.close();
    this.#follower.close();
    for (const { owned, stay } of this.#turns.values()) {
      stay?.();
      if (owned !== undefined && owned.backlogBytes > 0) owned.fail(unavailable("the log is closed"));
    }
    for (const connection of [this.#appending, this.#asking, this.#waiting]) connection.close();
  }

  async #append(items: readonly AppendItem[]): Promise<AppendAnswer[]> {
    const { owner, onFlush } = this.#options;
    const startedAt = steadyMs();
    const answers = await appendAll(this.#appending, owner, items);
    onFlush?.(steadyMs() - startedAt);
    return answers;
  }

  #createView({ orgId, turnId, epoch }: TurnRef, lastSeq: number): RedisView {
    return new RedisView({ keys: keysOf(orgId, turnId), epoch, lastSeq, sealed: false, redis: this.#asking });
  }

  #createTurn(ref: TurnRef, options: OpenOptions, view: RedisView): RedisTurn {
    return new RedisTurn({
      ...options,
      ref,
      view,
      kept: new KeptFrames(this.#kept),
      clock: this.#clock,
      schedule: (turn) => this.#pump.schedule(turn),
      confirmOwner: async (turn) => (await this.#options.confirmOwner?.(turn)) ?? true,
      onEnd: (ended) => {
        const turn = this.#turns.get(ref.turnId);
        if (turn?.owned !== ended) return;
        // R2
        if (turn.readers > 0) this.#followOrLose(turn);
        else this.#turns.delete(ref.turnId);
      },
    });
  }

  #follow(turn: Turn): void {
    const { view, owned, followed } = turn;
    const isFed = owned?.view === view && owned.failure === undefined && view.lastSeq >= owned.ackedSeq;
    if (followed || view.sealed || view.lost || isFed) return;
    this.#follower.follow(view);
    turn.followed = true;
  }

  /** Readers that cannot be led on are cut: they may be, where they come again. */
  #followOrLose(turn: Turn): void {
    try {
      this.#follow(turn);
    } catch (error) {
      if (!isFramerailError(error)) throw error;
      turn.view.lose();
    }
  }

  /** Finds a turn of another process; several who ask at once ask once. */
  #look(turnId: string): Promise<void> {
    if (this.#forgotten.has(turnId)) return Promise.resolve();
    let looking = this.#looking.get(turnId);
    if (looking === undefined) {
      looking = this.#find(turnId).finally(() => this.#looking.delete(turnId));
      this.#looking.set(turnId, looking);
    }
    return looking;
  }

  async #find(turnId: string): Promise<void> {
    const state = stateKeyOf(turnId);
    const args = [state, "stream", "epoch", "last", "sealed"];
    const answer = await this.#asking.call({ name: "HMGET", args, msMax: READ_MS_MAX });
    const [stream, epoch, lastSeq, sealed] = (answer as readonly (Buffer | null)[]).map((field) => field?.toString());
    // It may have been opened here meanwhile.
    const known = this.#turns.get(turnId);
    if (known?.view.lost === false) return;
    this.#turns.delete(turnId);
    if (stream === undefined) return;
    const view = new RedisView({
      keys: { state, stream },
      epoch: Number(epoch),
      lastSeq: Number(lastSeq),
      sealed: sealed === "1",
      redis: this.#asking,
    });
    this.#turns.set(turnId, { view, readers: 0, owned: known?.owned, followed: false });
  }
}
