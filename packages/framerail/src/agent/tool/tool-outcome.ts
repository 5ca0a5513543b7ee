// How a tool call ended, and the sentences a model gets when it did not go well.
// Owns: everything a model reads about a failure. A model may repeat it to the user, so it is made here, from names and
// words we know; an exception, a host or a path has no way in [W-ERR-8]. Operators get the whole error by `report`.

import type { FramerailError, Json, PartFailure } from "@framerail/protocol";
import { truncateMessage } from "@framerail/protocol";
import { ISSUE_BYTES_MAX, ISSUES_MAX, NAMES_TOLD_MAX } from "./limits.js";
import type { SchemaIssue } from "./standard-schema.js";

export interface ToolOutcome {
  /** What the model gets; `{ error }` where the call failed [P-62]. */
  readonly result: Json;
  readonly isError: boolean;
  /** What a client may learn, where an enrichment backend failed; whoever ran the call decides how to tell it. */
  readonly failure?: PartFailure;
  /** The turn was cancelled: the result goes nowhere [W-CAN-3]. */
  readonly discarded?: true;
}

/** What operators must hear of a call. `error.code` tells what it was; its cause is the tool's own exception. */
export interface ToolReport {
  readonly tool: string;
  readonly call_id: string;
  readonly error: FramerailError;
}

export function failed(says: string, failure?: PartFailure): ToolOutcome {
  return { result: { error: says }, isError: true, ...(failure && { failure }) };
}

export const sayFailed = (tool: string) => `The tool ${tool} failed.`;
export const sayTooSlow = (tool: string) => `The tool ${tool} took too long and was given up.`;
export const sayCancelled = (tool: string) => `The call of ${tool} was cancelled.`;
export const sayNoJson = (tool: string) => `The tool ${tool} returned something that is not JSON.`;
export const sayTooLarge = (tool: string) => `The tool ${tool} returned more than can be read.`;

export function sayNotAvailable(tool: string, failure: PartFailure | undefined): string {
  const why = failure?.code === "CCS_ENVELOPE_ERROR" ? ` (${failure.reason})` : "";
  return `The data of ${tool} is not available${why}. Go on without it and say that it is missing.`;
}

/** For the model, beside data that is not all there [W-ENV-3]. */
export const PARTIAL_NOTE = "Some of the data could not be loaded: mention that this may be incomplete.";

export function sayUnknown(name: string, known: readonly string[]): string {
  const names = known.slice(0, NAMES_TOLD_MAX).join(", ");
  return `There is no tool ${name}. ${known.length === 0 ? "There are no tools." : `The tools are: ${names}.`}`;
}

/** The refused fields with the schema's own words about them: the model wrote the input and has to correct it. */
export function sayRefused(tool: string, issues: readonly SchemaIssue[]): string {
  const told = issues.slice(0, ISSUES_MAX).map(({ message, path = [] }) => {
    const field = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
    return truncateMessage(plain(field === "" ? message : `${field}: ${message}`), ISSUE_BYTES_MAX);
  });
  return `The arguments of ${tool} are not valid. ${told.join("; ")}`.trim();
}

function plain(text: unknown): string {
  return String(text).replace(/\p{C}+/gu, " ");
}
