// A cohort: readers behind a feature flag who get another wording, or less. Resolved when a policy is made, so that no
// flag is asked for during a turn [W-POL-5]; a policy made without it has the defaults back [W-RB-2].
// Owns: the shape, and what is refused of it. Does not own: who belongs to a cohort, what its overrides change.
//   H1. An override takes away or rewords. It never shows what the defaults keep inside [W-R-6].
//   H2. Keys are event types, status ids, groups and render keys; there is no key for an emitter [W-FR-4].
//   H3. An override that names nothing known is refused: it would be a typing error that nobody notices.

import { FRAME_OF_EVENT, FramerailError, isEventType, RENDER, SUPPRESS } from "@framerail/protocol";
import type { PolicyName, Registry } from "../registry/registry.js";
import { POLICIES } from "../registry/registry.js";
import { isWindowMs, WINDOW_MS_MAX } from "./limits.js";
import { BATCH_SENTENCE_KEY, CLAUSE_SUFFIX, FALLBACK_KEY, type Rewording } from "./message-layers.js";

export interface Cohort {
  /** For metrics and the inspector. */
  readonly name: string;
  /** The feature flag that gates it: `ai_assistant_…`. */
  readonly flag: string;
  /** By event type or status id. The key `status` is for every status without an override of its own. */
  readonly policies?: { readonly [eventTypeOrStatusId: string]: PolicyName };
  readonly messages?: Rewording;
  /** By batch group, in milliseconds. */
  readonly windows?: { readonly [group: string]: number };
}

const FLAG = /^ai_assistant_[a-z0-9]+(?:_[a-z0-9]+)*$/;

/** They open and end a turn: without them it would have no first or no last frame. */
const ALWAYS_SHOWN: ReadonlySet<string> = new Set(["init_stream", "error", "end_stream"]);

/** What must be hidden along with it: half a pair on the wire is a protocol violation, or a placeholder for ever. */
const HIDDEN_WITH: { readonly [type: string]: string } = {
  tool_call: "tool_call_end",
  tool_call_end: "tool_call",
  data_loaded: "data_loading",
};

export function checkCohort(cohort: Cohort, registry: Registry): void {
  if (cohort.name === "") throw refuse("a cohort has a name");
  if (!FLAG.test(cohort.flag)) throw refuse(`the flag of cohort ${cohort.name} must be called ai_assistant_…`);
  const policies = cohort.policies ?? {};
  for (const [key, policy] of Object.entries(policies)) {
    const wrong = judgeOverride(key, policy, policies, registry);
    if (wrong !== undefined) throw refuse(`cohort ${cohort.name} cannot override ${key}: ${wrong}`);
  }
  checkWindows(cohort, registry);
  checkMessages(cohort, registry);
}

function judgeOverride(
  key: string,
  policy: PolicyName,
  policies: NonNullable<Cohort["policies"]>,
  registry: Registry,
): string | undefined {
  if (!POLICIES.includes(policy)) return `a policy is one of ${POLICIES.join(", ")}`;
  const entry = registry.entries.get(key);
  if (entry !== undefined)
    return entry.default_policy === "suppress" && policy !== "suppress" ? "the registry suppresses it" : undefined;
  if (!isEventType(key)) return "it is neither an event type nor a registered status";
  const mapping = FRAME_OF_EVENT[key];
  if (mapping === RENDER) return undefined;
  if (mapping === SUPPRESS) return policy === "suppress" ? undefined : "the type is internal";
  if (policy === "forward") return undefined;
  if (policy !== "suppress") return "it has a frame of its own, and is forwarded or suppressed";
  if (ALWAYS_SHOWN.has(key)) return "a turn needs it";
  const partner = HIDDEN_WITH[key];
  return partner === undefined || policies[partner] === "suppress" ? undefined : `${partner} must be suppressed too`;
}

function checkWindows(cohort: Cohort, registry: Registry): void {
  const groups = new Set([...registry.entries.values()].map(({ id, batch }) => batch?.group ?? id));
  for (const [group, ms] of Object.entries(cohort.windows ?? {})) {
    if (!groups.has(group)) throw refuse(`cohort ${cohort.name} has a window for ${group}, which is no group`);
    if (!isWindowMs(ms)) throw refuse(`the window of ${group} must be a whole number from 1 to ${WINDOW_MS_MAX}`);
  }
}

function checkMessages(cohort: Cohort, registry: Registry): void {
  const keys = new Set([BATCH_SENTENCE_KEY, FALLBACK_KEY]);
  for (const { default_render_key: key } of registry.entries.values()) keys.add(key).add(key + CLAUSE_SUFFIX);
  for (const [locale, messages] of Object.entries(cohort.messages ?? {})) {
    if (locale !== registry.defaultLocale && !registry.locales.has(locale))
      throw refuse(`cohort ${cohort.name} has messages for ${locale}, which is no locale of the registry`);
    for (const key of Object.keys(messages))
      if (!keys.has(key)) throw refuse(`cohort ${cohort.name} rewords ${key}, which is no render key`);
  }
}

function refuse(message: string): FramerailError {
  return new FramerailError("INVALID_ARGUMENT", message);
}
