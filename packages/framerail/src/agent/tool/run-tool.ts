// Runs one call of one tool. Reads like the list of its steps: record the intent, check the input, run, unwrap, present,
// record the end.
// Owns: what can go wrong in between. Does not own: the loop around it, and how a failure is told to clients.
//   R1. A call never rejects for what a tool does: bad input, an exception, nonsense, a deadline all are outcomes, and
//       the loop goes on [P-13]. It rejects only when its intent cannot be written; then nothing has run.
//   R2. A cancelled call is discarded. A `finish` tool still runs to its end, and its signal fires at its deadline only;
//       an `abort` tool gets the turn's signal [D-10, W-CAN-3]. A call that has not begun when the cancel comes never does.
//   R3. At its deadline a call is over. A tool that goes on is left behind, deaf and reported.
//   R4. Its intent is where the log keeps it before it runs: after a crash nobody can think that it was never asked for.
//   R5. While its own deadline bounds it, a call is heard of: a turn is not given up for the silence of a tool that has more
//       time than that [W-CAN-2].

import type { Clock } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import type { RunContext } from "../agent.js";
import { callHook } from "../author-hooks.js";
import { whileItGoesOn } from "../goes-on.js";
import { untilAborted } from "../model/until-aborted.js";
import { publicName } from "../public-name.js";
import type { Writer } from "../writer.js";
import { runWithWriter } from "../writer.js";
import { createCallWriter } from "./call-writer.js";
import type { Tool, ToolContext } from "./define-tool.js";
import { openResult } from "./enrichment-envelope.js";
import { checkJson, copyValue, countJsonBytes } from "./json-value.js";
import { RESULT_BYTES_MAX } from "./limits.js";
import { validate } from "./standard-schema.js";
import type { ArgumentsReading, ToolCall } from "./tool-call.js";
import { openRecord, readArguments } from "./tool-call.js";
import type { ToolOutcome, ToolReport } from "./tool-outcome.js";
import {
  failed,
  PARTIAL_NOTE,
  sayCancelled,
  sayFailed,
  sayNoJson,
  sayNotAvailable,
  sayRefused,
  sayTooLarge,
  sayTooSlow,
  sayUnknown,
} from "./tool-outcome.js";

export interface ToolCallContext extends RunContext {
  readonly clock: Clock;
  report?(report: ToolReport): void;
}

/** What a call in progress shares between its steps. */
interface Progress {
  readonly tool: Tool;
  readonly context: ToolContext;
  readonly cancelled: boolean;
  report(error: FramerailError): void;
}

export async function runTool(tool: Tool, call: ToolCall, context: ToolCallContext): Promise<ToolOutcome> {
  const { writer, signal, principal, clock } = context;
  const reading = readArguments(call);
  const record = openRecord({ writer, clock, callId: call.id, name: tool.name, type: tool.type, reading });
  const cancelled: ToolOutcome = { ...failed(sayCancelled(tool.name)), discarded: true };
  await untilKept(writer, signal);
  if (signal.aborted) return record.close(cancelled);

  const report = (error: FramerailError) => tell(context, { tool: tool.name, call_id: call.id, error });
  const own = new AbortController();
  const callWriter = createCallWriter(writer, (type) =>
    report(new FramerailError("TOOL_FAILED", `tool ${tool.name} wrote ${type} after its call was over`)),
  );
  // R5
  const stopTelling = whileItGoesOn(clock, tool.timeoutMs, () => writer.log("debug", `tool ${tool.name} goes on`));
  const onCancel = () => {
    stopTelling();
    callWriter.close();
    if (tool.cancel === "abort") own.abort(signal.reason);
  };
  signal.addEventListener("abort", onCancel, { once: true });
  const progress: Progress = {
    tool,
    report,
    context: { writer: callWriter.writer, signal: own.signal, principal, callId: call.id },
    get cancelled() {
      return signal.aborted;
    },
  };
  const work = runWithWriter(callWriter.writer, () => perform(progress, reading));
  const outcome = await withDeadline(work, tool.timeoutMs, clock, () => {
    const late = new FramerailError("DEADLINE_EXCEEDED", `tool ${tool.name} took more than ${tool.timeoutMs} ms`);
    callWriter.close();
    own.abort(late);
    report(late);
    return failed(sayTooSlow(tool.name));
  });
  signal.removeEventListener("abort", onCancel);
  stopTelling();
  callWriter.close();
  return record.close(signal.aborted ? cancelled : outcome);
}

// R4
async function untilKept(writer: Writer, signal: AbortSignal): Promise<void> {
  try {
    await untilAborted(writer.ready(), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The answer to a call of a tool that there is not: told to the model, so that it can choose another. */
export async function runUnknownTool(
  name: string,
  known: readonly string[],
  call: ToolCall,
  { writer, clock }: Pick<ToolCallContext, "writer" | "clock">,
): Promise<ToolOutcome> {
  // Whatever the model made up; only what could be a name is shown to anyone.
  const shown = publicName(name);
  const reading = readArguments(call);
  const record = openRecord({ writer, clock, callId: call.id, name: shown, type: "function", reading });
  return record.close(failed(sayUnknown(shown, known)));
}

/** Never rejects: what goes wrong is told to the operator here, also after the call was given up. */
async function perform(progress: Progress, reading: ArgumentsReading): Promise<ToolOutcome> {
  const { tool, context, report } = progress;
  try {
    const input = await readInput(progress, reading);
    if ("refused" in input) return input.refused;
    // R2: an asynchronous schema takes its time.
    if (progress.cancelled) return failed(sayCancelled(tool.name));
    const value: unknown = await tool.run(input.value, context);
    return await conclude(progress, input.value, value);
  } catch (cause) {
    report(new FramerailError("TOOL_FAILED", `tool ${tool.name} failed`, { cause }));
    return failed(sayFailed(tool.name));
  }
}

type Input = { readonly value: unknown } | { readonly refused: ToolOutcome };

async function readInput({ tool, report }: Progress, reading: ArgumentsReading): Promise<Input> {
  const checked = reading.ok ? await validate(tool.input, reading.value) : { issues: [{ message: reading.message }] };
  if (checked.issues === undefined) return { value: checked.value };
  const says = sayRefused(tool.name, checked.issues);
  report(new FramerailError("INVALID_TOOL_INPUT", says));
  return { refused: failed(says) };
}

/** From what the tool gave to what the model gets. */
async function conclude(progress: Progress, input: unknown, value: unknown): Promise<ToolOutcome> {
  const { tool, context, report } = progress;
  // R2: the result of a cancelled call is not even looked at, so nothing of it can be shown.
  if (progress.cancelled) return failed(sayCancelled(tool.name));
  const opened = openResult(copyValue(value), context.principal);
  if (opened.kind === "refused") {
    report(opened.error);
    const says = opened.why === "not_json" ? sayNoJson(tool.name) : sayNotAvailable(tool.name, opened.failure);
    return failed(says, opened.failure);
  }
  const { payload, partial, missing = [] } = opened;
  for (const { error } of missing) report(error);
  const failure = missing.find((one) => one.failure !== undefined)?.failure;
  const result = tool.present
    ? await tool.present(input, opened, context)
    : partial
      ? { data: payload, note: PARTIAL_NOTE }
      : payload;
  // What was put around a payload may be one level too much for the event that holds it (R1).
  const issue = checkJson(result);
  if (issue) {
    report(
      new FramerailError("TOOL_FAILED", `tool ${tool.name} returned what cannot be told: ${issue.message}`, { issue }),
    );
    return failed(sayFailed(tool.name), failure);
  }
  if (countJsonBytes(result) <= RESULT_BYTES_MAX) return { result, isError: false, ...(failure && { failure }) };
  report(new FramerailError("TOOL_FAILED", `tool ${tool.name} returned more than ${RESULT_BYTES_MAX} bytes`));
  return failed(sayTooLarge(tool.name));
}

function withDeadline<T>(work: Promise<T>, ms: number, clock: Clock, onDeadline: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(ms, () => resolve(onDeadline()));
    work.finally(cancel).then(resolve, reject);
  });
}

function tell(context: ToolCallContext, report: ToolReport): void {
  callHook(() => context.report?.(report));
}
