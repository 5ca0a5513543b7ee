// The statuses of one turn on their way out: joined where they fall together, swallowed where they repeat, held back
// where they flood. One mechanism for every emitter of the turn [W-FR-5, W-POL-7].
// Owns: windows, repetition, pace. Does not own: which statuses batch (status-rules.ts), wording (render-status.ts).
//   B1. A window gives one frame: when its time is over, when `closeWindows` is called, or when too many wait [W-POL-4].
//   B2. What says again what was just shown is swallowed; the same id with other words waits until it may be shown.
//   B3. At most `statusesPerSecond` frames in any second. Beyond that the newest is held, in place of what was held
//       before, and shown when there is room. `flush` shows it whatever the pace: the last status is never lost.
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
  #held: Statuses | undefined;
  #shownInSecond = 0;

  constructor(options: StatusBatchOptions) {
    this.#options = options;
  }

  add(rule: StatusRule, values: StatusValues): void {
    const status = { rule, values, sentence: rule.words.sentence(values) };
    const isCollected = this.#windows.get(rule.group)?.statuses.has(rule.id) === true;
    if (!isCollected && this.#recent.get(rule.id)?.sentence === status.sentence) this.#swallow(rule);
    else if (rule.decision === "batch") this.#collect(status);
    else this.#offer([status]);
  }

  closeWindows(): void {
    // B6. A batch whose window is over came before what the windows hold.
    if (this.#held?.[0].rule.decision === "batch") this.#showWithinPace();
    for (const group of this.#windows.keys()) {
      this.#held = this.#takeWindow(group);
      this.#showWithinPace();
    }
  }

  flush(): void {
    this.closeWindows();
    if (this.#held !== undefined) this.#show(this.#held);
  }

  close(): void {
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
    const statuses = this.#takeWindow(group);
    if (statuses !== undefined) this.#offer(statuses);
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

  #offer(statuses: Statuses): void {
    this.#held = statuses;
    this.#showHeld();
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
    const data = { event_id: statuses[0].rule.id, message: this.#messageOf(statuses) };
    this.#options.emit({ type: "status", payload: { data } });
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

  #messageOf(statuses: Statuses): string {
    const [first, ...others] = statuses;
    if (others.length === 0) return first.sentence;
    // Two ids may say the same; the sentence says it once.
    const clauses = new Set(statuses.map(({ rule, values }) => rule.words.clause(values)));
    return clauses.size === 1 ? first.sentence : this.#options.renderer.join([...clauses]);
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
