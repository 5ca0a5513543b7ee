// What is used of a compiled LangGraph graph and of LangChain's messages, as shapes: the libraries are the author's
// dependency, in the author's version, not ours. Everything that streams out of a graph is `unknown` until read here.

export interface GraphStreamOptions {
  readonly streamMode: ("messages" | "custom" | "updates")[];
  readonly subgraphs: true;
  readonly signal: AbortSignal;
  readonly configurable: { readonly thread_id: string };
}

/** A compiled graph, unmodified. */
export interface StreamableGraph {
  stream(input: unknown, options: GraphStreamOptions): Promise<AsyncIterable<unknown>>;
  /** With a checkpointer the graph itself keeps the conversation. */
  readonly checkpointer?: unknown;
}

/** One item of the stream: from which nested graph, in which mode, and what. */
export type GraphItem =
  | { readonly mode: "messages"; readonly message: Fields; readonly metadata: Fields }
  | { readonly mode: "custom"; readonly value: unknown }
  | { readonly mode: "updates"; readonly path: readonly string[]; readonly update: Fields };

export type Fields = { readonly [name: string]: unknown };

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textField(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}

export function objectsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function readItem(value: unknown): GraphItem | undefined {
  if (!Array.isArray(value) || value.length !== 3) return undefined;
  const [path, mode, content] = value as [unknown, unknown, unknown];
  switch (mode) {
    case "messages": {
      const [message, metadata] = objectsIn(content);
      return message && { mode, message, metadata: metadata ?? {} };
    }
    case "custom":
      return { mode, value: content };
    case "updates":
      return isFields(content) && Array.isArray(path) ? { mode, path: path as string[], update: content } : undefined;
    default:
      return undefined;
  }
}
