// The statuses of one turn on their way out: joined where they fall together, swallowed where they repeat, held back
// where they flood. One mechanism for every emitter of the turn [W-FR-5, W-POL-7].
// Owns: windows, repetition, pace. Does not own: which statuses batch (status-rules.ts), wording (render-status.ts).
//   B1. A window gives one frame: when its time is over, when `closeWindows` is called, or when too many wait [W-POL-4].
//   B2. What says again what was just shown is swallowed; the same id with other words waits until it may be shown.
//   B3. At most `statusesPerSecond` frames in any second. Beyond that the newest is held, in place of what was held
//       before, and shown when there is room. `flush` shows it whatever the pace: the last status is never lost.
//       Within the pace a batch takes nobody's place and loses its own to nobody: what is held is shown before.
//   B4. After `close` nothing waits and no timer is left; its owner adds nothing more (create-policy.ts, P4).
//   B5. Showing may end the turn, and call back into here: what is shown has left every list before.
//   B6. `closeWindows` puts every batch before what comes next, also one that repeats an id too soon for B2; only the pace
//       holds it back [D-11].
// Time is measured by timers alone, because the clock's reading may jump.

import type { Clock, Draft } from "@framerail/protocol";
import { PENDING_STATUSES_MAX, type StatusTiming } from "./limits.js";
import type { StatusRenderer, StatusValues } from "./render-status.js";
import type { StatusRule } from "./status-rules.js";

const SECOND_MS = 1_000;

interface Status {
  readonly rule: StatusRule;
  readonly values: StatusValues;
  readonly sentence: string;
  /** The how-manieth of the turn it is. */
  readonly number: number;
}

type Statuses = readonly [Status, ...Status[]];

interface Window {
  /** By id, in the order they came; a repeated id keeps its place and gets the new values. */
  readonly statuses: Map<string, Status>;
  readonly cancel: () => void;
}

export interface StatusBatchOptions {
  readonly clock: Clock;
  readonly timing: StatusTiming;
  readonly renderer: Pick<StatusRenderer, "join">;
  emit(draft: Draft): void;
}

export class StatusBatch {
  readonly #options: StatusBatchOptions;
  readonly #windows = new Map<string, Window>();
  readonly #recent = new Map<string, Status>();
  readonly #timers = new Set<() => void>();
  #pendingCount = 0;
  #addedCount = 0;
  #isClosed = false;
  #held: Statuses | undefined;
  #shownInSecond = 0;

  constructor(options: StatusBatchOptions) {
    this.#options = options;
  }

  add(rule: StatusRule, values: StatusValues): void {
    this.#addedCount += 1;
    const status = { rule, values, sentence: rule.words.sentence(values), number: this.#addedCount };
    const isCollected = this.#windows.get(rule.group)?.statuses.has(rule.id) === true;
    if (!isCollected && this.#recent.get(rule.id)?.sentence === status.sentence) this.#swallow(rule);
    else if (rule.decision === "batch") this.#collect(status);
    else this.#offer(status);
  }

  closeWindows(): void {
    // B6. A batch whose window is over came before what the windows hold.
    this.#showHeldBatch();
    for (const group of this.#windows.keys()) {
      this.#endWindow(group);
      this.#showWithinPace();
    }
  }

  flush(): void {
    if (this.#held !== undefined) this.#show(this.#held);
    this.closeWindows();
    if (this.#held !== undefined) this.#show(this.#held);
  }

  close(): void {
    this.#isClosed = true;
    this.#held = undefined;
    this.#windows.clear();
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  /** What the reader sees is true again, so other words of the same id that are still held are not. */
  #swallow({ id }: StatusRule): void {
    if (this.#held?.every(({ rule }) => rule.id === id)) this.#held = undefined;
  }

  #collect(status: Status): void {
    const { id, group, windowMs } = status.rule;
    let window = this.#windows.get(group);
    if (window === undefined) {
      window = { statuses: new Map(), cancel: this.#after(windowMs, () => this.#closeWindow(group)) };
      this.#windows.set(group, window);
    }
    if (!window.statuses.has(id)) this.#pendingCount += 1;
    window.statuses.set(id, status);
    if (this.#pendingCount >= PENDING_STATUSES_MAX) this.closeWindows();
  }

  #closeWindow(group: string): void {
    this.#endWindow(group);
    this.#showHeld();
  }

  /** Holds what a window collected. What is held goes first, as long as the window is still in its list (B3, B5). */
  #endWindow(group: string): void {
    this.#showWithinPace();
    const statuses = this.#takeWindow(group);
    if (statuses !== undefined) this.#hold(statuses);
  }

  #takeWindow(group: string): Statuses | undefined {
    const window = this.#windows.get(group);
    if (window === undefined) return undefined;
    this.#windows.delete(group);
    this.#pendingCount -= window.statuses.size;
    window.cancel();
    // A window is opened by its first status, so there is one.
    return [...window.statuses.values()] as unknown as Statuses;
  }

  #offer(status: Status): void {
    this.#showHeldBatch();
    // B5. The batch may have been the turn's last frame.
    if (this.#isClosed) return;
    this.#hold([status]);
    this.#showHeld();
  }

  /** B3. A batch is as new as the newest in it, so a status that was written while it collected may stay in its place. */
  #hold(statuses: Statuses): void {
    if (this.#held === undefined || newestOf(statuses) > newestOf(this.#held)) this.#held = statuses;
  }

  #showHeldBatch(): void {
    if (this.#held?.[0].rule.decision === "batch") this.#showWithinPace();
  }

  #showHeld(): void {
    if (!this.#held?.some(({ rule }) => this.#recent.has(rule.id))) this.#showWithinPace();
  }

  #showWithinPace(): void {
    if (this.#held !== undefined && this.#shownInSecond < this.#options.timing.statusesPerSecond)
      this.#show(this.#held);
  }

  #show(statuses: Statuses): void {
    this.#held = undefined;
    this.#shownInSecond += 1;
    this.#after(SECOND_MS, () => {
      this.#shownInSecond -= 1;
      this.#showHeld();
    });
    this.#remember(statuses);
    this.#options.emit({ type: "status", payload: { data: this.#tell(statuses) } });
  }

  #remember(statuses: Statuses): void {
    const { collapseMs } = this.#options.timing;
    if (collapseMs === 0) return;
    for (const status of statuses) this.#recent.set(status.rule.id, status);
    this.#after(collapseMs, () => {
      for (const status of statuses)
        if (this.#recent.get(status.rule.id) === status) this.#recent.delete(status.rule.id);
      this.#showHeld();
    });
  }

  #tell(statuses: Statuses): { event_id: string; message: string } {
    const [first, ...others] = statuses;
    if (others.length === 0) return { event_id: first.rule.id, message: first.sentence };
    // By clause: two ids may say the same, and the sentence says it once.
    const clauses = new Map<string, Status>();
    for (const status of statuses) {
      const clause = status.rule.words.clause(status.values);
      // What could not be filled has no place between others (render-status.ts, N1).
      if (clause !== "" && !clauses.has(clause)) clauses.set(clause, status);
    }
    const [told = first] = clauses.values();
    const message = clauses.size > 1 ? this.#options.renderer.join([...clauses.keys()]) : told.sentence;
    return { event_id: told.rule.id, message };
  }

  #after(ms: number, run: () => void): () => void {
    const takeBack = this.#options.clock.schedule(ms, () => {
      this.#timers.delete(cancel);
      run();
    });
    const cancel = () => {
      this.#timers.delete(cancel);
      takeBack();
    };
    this.#timers.add(cancel);
    return cancel;
  }
}

function newestOf(statuses: Statuses): number {
  return Math.max(...statuses.map(({ number }) => number));
}
