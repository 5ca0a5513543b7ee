// Judges a recorded stream: is it what a reader of its route may rely on?
// Owns: the judgement of a recording. Does not own: the rules (the protocol's guards), files and output (validate-command.ts).
//   J1. A recording is server-sent events or lines of JSON; which of the two it is tells itself.
//   J2. A turn is read as the wire version that its first frame has, to the end. What a reader of 0.4 got is a projection:
//       its `seq` may have gaps, and any error without `is_final` is its end [D-8, W-RB-3].
//   J3. Every finding says where: the how-manieth message of the recording, from 1.

import type { Frame, FrameReading, PipelineRoute } from "@framerail/protocol";
import {
  classify,
  createClassGuard,
  createNdjsonDecoder,
  createRouteSpec,
  createSseDecoder,
  createTurnGuard,
  isFramerailError,
  parseJson,
  readFrame,
  readFrame04,
  readPipelineMessage,
  SSE_DONE,
} from "@framerail/protocol";

export interface Finding {
  readonly message: number;
  readonly says: string;
}

export interface Judgement {
  readonly messages: number;
  readonly findings: readonly Finding[];
}

const FINDINGS_MAX = 20;

export function validateStream(bytes: Uint8Array, route: "turn" | PipelineRoute): Judgement {
  const findings: Finding[] = [];
  const report = (message: number, says: string) => {
    if (findings.length < FINDINGS_MAX) findings.push({ message, says });
  };
  const texts = readTexts(bytes, report);
  if (route === "turn") judgeTurn(texts, report);
  else judgePipeline(texts, route, report);
  return { messages: texts.length, findings };
}

type Report = (message: number, says: string) => void;

// J1
function readTexts(bytes: Uint8Array, report: Report): string[] {
  const start = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart();
  const isJson = start.startsWith("{") || start === "";
  const texts: string[] = [];
  try {
    if (isJson) {
      const decoder = createNdjsonDecoder({ onLine: (line) => void texts.push(line), acceptLastLine: true });
      decoder.push(bytes);
      decoder.end();
    } else {
      const decoder = createSseDecoder({ onEvent: ({ data }) => void texts.push(data) });
      decoder.push(bytes);
      if (!decoder.end().clean) report(texts.length + 1, "the recording ends in the middle of an event");
    }
  } catch (error) {
    if (!isFramerailError(error)) throw error;
    report(texts.length + 1, error.message);
  }
  return texts;
}

/** Frames in order from any cursor on: what stands before the first was seen on another connection. */
function judgeTurn(texts: readonly string[], report: Report): void {
  const guard = createTurnGuard();
  const calls = new Set<string>();
  let [responseId, lastSeq] = ["", 0];
  let version: string | undefined;
  let isResumed = false;
  for (const [index, text] of texts.entries()) {
    const number = index + 1;
    if (text === SSE_DONE) {
      if (guard.outcome === undefined) report(number, "the sentinel came before a terminal frame");
      continue;
    }
    attempt(number, report, () => {
      const value = parseJson(text);
      const own = versionOf(value);
      version ??= own;
      const isOther = own !== undefined && own !== version;
      const reading = isOther ? UNREAD : readAs(version, value);
      if (isOther) report(number, "version changed within the turn");
      // What is of a later version is not judged, but its place in the turn counts [W-FR-12].
      const { seq = lastSeq + 1, response_id } = value as Pick<Frame, "seq" | "response_id">;
      const isNext = version === OLDER ? seq > lastSeq : lastSeq === 0 || seq === lastSeq + 1;
      if (!isNext) report(number, `seq ${seq} came after ${lastSeq}`);
      if (responseId !== "" && response_id !== responseId) report(number, "response_id changed within the turn");
      [responseId, lastSeq] = [response_id, seq];
      // A recording that was resumed does not begin at the beginning; its order can be judged from here on all the same.
      if (index === 0 && (value as Pick<Frame, "event_type">).event_type !== "response_id") {
        isResumed = true;
        guard.admit("response_id", {});
      }
      if (reading.kind === "unknown") return;
      const { frame } = reading;
      if (frame.event_type === "tool_call") calls.add(frame.tool_call.id);
      // Its call was seen on another connection.
      if (isResumed && frame.event_type === "tool_completed" && !calls.delete(frame.tool_call.id))
        guard.admit("tool_call", frame as never);
      const verdict = guard.admit(frame.event_type, frame as never);
      if (verdict === "violation") report(number, guard.violation()?.message ?? "out of order");
      else if (verdict === "late") report(number, `${frame.event_type} came after the end`);
    });
  }
  if (guard.outcome === undefined && guard.violation() === undefined) {
    report(texts.length, "the stream was cut: it has no terminal frame");
  }
}

const OLDER = "0.4";
const UNREAD: FrameReading = { kind: "unknown", event_type: "" };

/** Undefined for what has none, which the reading refuses. */
function versionOf(value: unknown): string | undefined {
  const { version } = Object(value) as { readonly version?: unknown };
  return typeof version === "string" ? version : undefined;
}

// J2. The guard looks at names, at the ids of tools, and at whether an error is final: in 0.4 that may go without saying.
function readAs(version: string | undefined, value: unknown): FrameReading {
  if (version !== OLDER) return readFrame(value);
  const reading = readFrame04(value);
  if (reading.kind === "unknown") return reading;
  const frame = reading.frame as Frame;
  return {
    kind: "frame",
    frame: frame.event_type === "error" ? { ...frame, is_final: frame.is_final ?? true } : frame,
  };
}

function judgePipeline(texts: readonly string[], route: PipelineRoute, report: Report): void {
  const spec = createRouteSpec(route);
  const guard = createClassGuard(route);
  for (const [index, text] of texts.entries()) {
    attempt(index + 1, report, () => {
      const message = readPipelineMessage(parseJson(text), { mode: "strict" });
      const verdict = guard.admit(message.type, classify(spec, message));
      if (verdict === "violation") report(index + 1, guard.violation()?.message ?? "out of order");
      else if (verdict === "late") report(index + 1, `${message.type} came after the eof`);
    });
  }
  if (guard.phase !== "terminal") report(texts.length, "the stream was cut: it has no eof");
}

function attempt(number: number, report: Report, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!isFramerailError(error)) throw error;
    report(number, error.message);
  }
}
