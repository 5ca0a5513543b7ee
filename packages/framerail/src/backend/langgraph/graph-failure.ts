// What a graph throws, without its text: that is the `cause`, for operators.

import { FramerailError, isFramerailError } from "@framerail/protocol";
import { isFields } from "./graph.js";

/** The graph reached the number of steps it may take. That is a pause, not a failure [C-24]. */
export function isStepLimit(error: unknown): boolean {
  return isFields(error) && error.lc_error_code === "GRAPH_RECURSION_LIMIT";
}

/** An error of ours keeps its meaning. With a tool running it is taken for the tool's, else for the model's. */
export function failureOfGraph(error: unknown, runningTools: number): FramerailError {
  if (isFramerailError(error)) return error;
  if (isRateLimit(error)) return new FramerailError("RATE_LIMITED", "a model of the graph refused", { cause: error });
  if (runningTools > 0) return new FramerailError("TOOL_FAILED", "a tool of the graph failed", { cause: error });
  return new FramerailError("MODEL_FAILED", "a node of the graph failed", { cause: error });
}

function isRateLimit(error: unknown): boolean {
  return isFields(error) && (error.status === 429 || error.lc_error_code === "MODEL_RATE_LIMIT");
}
