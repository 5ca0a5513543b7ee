// One frame type of the wire: what it is called, carries and means. From this one definition come its TypeScript type,
// validator, encoder, JSON Schema and reference page [F-1].

import { ID_LENGTH_MAX, NAME_LENGTH_MAX } from "../limits.js";
import type { Infer, ObjectNode, Optional, Schema } from "../schema/schema.js";
import { integer, literal, object, optional, string } from "../schema/schema.js";

export const WIRE_VERSION = "0.5";

export const FRAME_GROUPS = ["lifecycle", "mcp", "tool", "content", "component", "status", "terminal"] as const;
export type FrameGroup = (typeof FRAME_GROUPS)[number];

export interface FrameDefinition<P = unknown> {
  readonly group: FrameGroup;
  /** The wire version that introduced it. */
  readonly since: "0.4" | "0.5";
  readonly says: string;
  /** Still valid, but on its way out; the reference says what to use. */
  readonly deprecated?: string;
  readonly payload: Schema<P> & ObjectNode;
}

type Fields = { readonly [name: string]: Schema | Optional };
type FrameOptions = Omit<FrameDefinition, "payload"> & Pick<ObjectNode, "requires" | "rule">;

export function defineFrame<const F extends Fields>(options: FrameOptions, fields: F) {
  const { requires, rule, ...rest } = options;
  const payload = object(fields, { ...(requires && { requires }), ...(rule && { rule }) });
  return { ...rest, payload: payload as typeof payload & ObjectNode };
}

/** The envelope: the same on every frame of a turn, whatever the payload [W-FR-2]. */
export function envelopeFields(type: string, version: string) {
  return {
    event_type: literal(type, { says: "The frame's type; on SSE also the `event:` field." }),
    version: literal(version, { says: "The wire version." }),
    timestamp: string({
      pattern: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
      says: "When the frame was made: UTC, ISO-8601 with milliseconds and `Z`; never decreasing within a turn.",
    }),
    response_id: string({ lengthMin: 1, lengthMax: NAME_LENGTH_MAX, says: "The turn." }),
    seq: optional(
      integer({
        min: 1,
        says: "The frame's place in its turn, from 1 without gaps in 0.5; on SSE the last part of `id:`.",
      }),
    ),
  } as const;
}

export interface Envelope<T extends string = string> {
  readonly event_type: T;
  readonly version: typeof WIRE_VERSION;
  readonly timestamp: string;
  readonly response_id: string;
  readonly seq?: number;
}

/** The whole frame as one schema, envelope first. */
export function frameSchemaOf(type: string, payload: ObjectNode, version: string): Schema & ObjectNode {
  return { ...payload, fields: { ...envelopeFields(type, version), ...payload.fields } };
}

export const externalId = (says: string): Schema<string> => string({ lengthMin: 1, lengthMax: ID_LENGTH_MAX, says });
export const ownName = (says: string): Schema<string> => string({ lengthMin: 1, lengthMax: NAME_LENGTH_MAX, says });

export type PayloadOfDefinition<D> = D extends { readonly payload: infer S } ? Infer<S> : never;
