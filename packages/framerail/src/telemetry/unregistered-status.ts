// A status id that nobody registered, met while a turn runs: it was not shown, the turn goes on, and operators hear of it.
// Owns: what they hear. Does not own: the suppression (policy/), where counts and lines go (given).

/** Of what a turn reports, the part that matters here. */
export interface TurnReport {
  readonly kind: string;
  readonly emitter?: string;
  readonly event?: { readonly type: string; readonly event_id?: string };
  readonly unregistered?: true;
}

export interface StatusWatchOptions {
  /** The counter `status_event.unregistered_id` [W-MET-8]. */
  count(metric: "status_event.unregistered_id"): void;
  warn(line: { readonly message: string; readonly emitter: string; readonly event_id: string }): void;
}

const METRIC = "status_event.unregistered_id";
/** Made up by an agent's code, so it may be anything. */
const ID_SHOWN_MAX = 64;

export function watchUnregistered({ count, warn }: StatusWatchOptions): (report: TurnReport) => void {
  return ({ unregistered, event, emitter = "" }) => {
    if (!unregistered) return;
    count(METRIC);
    const event_id = (event?.event_id ?? "").slice(0, ID_SHOWN_MAX);
    warn({ message: "a status id that is not registered was suppressed", emitter, event_id });
  };
}
