// What we need of a schema, whatever library made it: the Standard Schema interface, with the JSON Schema of its input
// where the library offers that too. Declared here because it is a shape, not code, and costs no dependency.
// Owns: the shape, one way to call it. Does not own: what is said about a refused value (tool-outcome.ts).

import { FramerailError } from "@framerail/protocol";

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: string }) => { [key: string]: unknown };
    };
  };
}

export type OutputOf<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["output"];

export type Validation<Output> = { readonly value: Output; readonly issues?: undefined } | Refusal;

export interface Refusal {
  readonly issues: readonly SchemaIssue[];
}

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The schema of some libraries is a function with properties. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard = (value as { "~standard"?: { validate?: unknown } })["~standard"];
  return typeof standard?.validate === "function";
}

/** Throws where the schema's answer is none: what it did not judge must not run. */
export async function validate(schema: StandardSchema, value: unknown): Promise<Validation<unknown>> {
  const answer: unknown = await schema["~standard"].validate(value);
  const { issues } = (answer ?? {}) as { readonly issues?: unknown };
  const isAnswer = typeof answer === "object" && answer !== null && (Array.isArray(issues) || "value" in answer);
  if (!isAnswer) throw new FramerailError("INVALID_AGENT", "a schema must answer with a value or with issues");
  return answer as Validation<unknown>;
}
