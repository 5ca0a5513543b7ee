// What one route says about its messages. The engine (guard.ts, guard-stream.ts) knows no route; a route is a value of
// this type: the turn wire (turn-spec.ts) and the seven pipelines (pipeline/routes.ts) [L-4, L-26, C-3].

import type { Phase } from "./phase.js";

export interface StreamProtocolSpec<T extends { readonly type: string }> {
  /** The name in reports and violations. */
  readonly route: string;
  allow_in_prelude(message: T): boolean;
  allow_in_streaming(message: T): boolean;
  is_terminal(message: T): boolean;
  /** The terminal a violation is turned into. */
  on_violation(details: ViolationDetails): T;
  /** The terminal an exception of the producer is turned into. It must not carry the exception's text. */
  on_thrown_error(error: unknown): T;
  /** The terminal for a producer that ends without one. Default: a violation [L-60]. */
  on_silent_end?(details: ViolationDetails): T;
  /** The terminal when the reader or the operator cancels. Default: none is sent [L-53]. */
  on_abort?(): T;
  /** The only message that may stand first, where the route has one; it may then stand nowhere else [W-EV-9]. */
  opens?(message: T): boolean;
  /** The terminal that follows this message at once, where the message means the end [L-59, I-8]. */
  ends_after?(message: T): T | undefined;
}

/** What was wrong, for the operator and for `on_violation`. It holds no part of the message but its type. */
export interface ViolationDetails {
  readonly route: string;
  readonly phase: Phase;
  readonly message_type: string;
  /** How many messages came before it. */
  readonly index: number;
  readonly message: string;
}
