// An agent that is a compiled LangGraph graph, unmodified: its messages, its custom events and its interrupts become
// the events and the end of a turn.
// Owns: the run. Does not own: what a message (message-reader.ts) or a custom event (custom-event.ts) becomes.
//   L1. The graph runs, and its stream is pulled, in the scope of its own turn's writer: `writer()` works in a node.
//   L2. Leaving the loop does not stop a node, so every way out aborts the graph's signal [C-21].
//   L3. What one item holds may be long: it is written at the log's pace, and only then the next one is pulled [D-6].
//   L4. A graph that waits for a person, or has taken all its steps, has paused [C-24].

import type { Clock } from "@framerail/protocol";
import { FramerailError, systemClock } from "@framerail/protocol";
import type { Agent, RunContext, RunEnd, TurnInput } from "../../agent/agent.js";
import { untilAborted } from "../../agent/model/until-aborted.js";
import { runWithWriter } from "../../agent/writer.js";
import { createManifest } from "../create-manifest.js";
import { createNotices } from "../notices.js";
import { createOutbox } from "../outbox.js";
import { createToolPairing } from "../tool-pairing.js";
import { readCustomEvent } from "./custom-event.js";
import type { Fields, StreamableGraph } from "./graph.js";
import { readItem } from "./graph.js";
import { failureOfGraph, isStepLimit } from "./graph-failure.js";
import { MessageReader } from "./message-reader.js";

export interface FromLangGraphOptions {
  readonly id: string;
  /** The status ids that nodes may write. */
  readonly emits?: readonly string[];
  /** The graph's input, or a `Command` that resumes it. Default: the turn's message as `messages`. */
  input?(turn: TurnInput): unknown;
  /** Under which key a custom event names its status. */
  readonly statusKey?: string;
  readonly clock?: Clock;
}

const INTERRUPT = "__interrupt__";
const PAUSED: RunEnd = { kind: "paused", limit: "state_limit" };

interface GraphRun {
  readonly agentId: string;
  readonly graph: StreamableGraph;
  readonly graphInput: unknown;
  readonly threadId: string;
  readonly statusKey: string;
  readonly clock: Clock;
}

export function fromLangGraph(graph: StreamableGraph, options: FromLangGraphOptions): Agent {
  const { id, emits, statusKey = "event_type", clock = systemClock } = options;
  const manifest = createManifest(id, emits);
  if (typeof graph?.stream !== "function") {
    throw new FramerailError("INVALID_AGENT", `agent ${id}: a compiled graph is needed, one with a stream method`);
  }
  const toInput = options.input ?? ((turn: TurnInput) => messagesInput(turn, graph));
  return {
    manifest,
    async run(turn, context) {
      context.signal.throwIfAborted();
      const ask = async () => toInput(turn);
      const graphInput = await untilAborted(ask(), context.signal);
      const threadId = turn.conversation_id;
      return runGraph({ agentId: id, graph, graphInput, threadId, statusKey, clock }, context);
    },
  };
}

// A graph with a checkpointer has the history already.
function messagesInput({ message, history }: TurnInput, { checkpointer }: StreamableGraph): unknown {
  const earlier = checkpointer ? [] : history.map(({ role, content }) => ({ role, content }));
  return { messages: [...earlier, { role: "user", content: message }] };
}

async function runGraph(run: GraphRun, { writer, signal }: RunContext): Promise<RunEnd> {
  const { agentId, graph, clock } = run;
  // A cancel ends the wait below, with its reason, and with it this run: the graph's signal follows (L2).
  const left = new AbortController();
  const outbox = createOutbox(writer);
  const notice = createNotices(outbox.writer);
  const tools = createToolPairing((event) => outbox.writer.write(event));
  const messages = new MessageReader({ agentId, clock, notice, write: (event) => tools.write(event) });
  const options = {
    streamMode: ["messages", "custom", "updates"] as ("messages" | "custom" | "updates")[],
    subgraphs: true as const,
    signal: left.signal,
    configurable: { thread_id: run.threadId },
  };
  let isPaused = false;
  try {
    const stream = await untilAborted(
      runWithWriter(writer, () => graph.stream(run.graphInput, options)),
      signal,
    );
    const items = stream[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await untilAborted(
        runWithWriter(writer, () => items.next()),
        signal,
      );
      if (done) break;
      try {
        take(value);
      } finally {
        // What was read before a failure was said.
        await outbox.flush(signal);
      }
      await untilAborted(writer.ready(), signal);
    }
    messages.end({ failed: false });
    await outbox.flush(signal);
  } catch (error) {
    if (!isStepLimit(error)) throw failureOfGraph(error, tools.openCount);
    isPaused = true;
  } finally {
    messages.end({ failed: true });
    outbox.close();
    left.abort(signal.reason ?? new FramerailError("CANCELLED", "the turn has ended"));
  }
  return isPaused ? PAUSED : { kind: "completed" };

  function take(value: unknown): void {
    const item = readItem(value);
    switch (item?.mode) {
      case "messages":
        messages.take(item.message, item.metadata);
        break;
      case "custom": {
        const event = readCustomEvent(item.value, run.statusKey, clock.now());
        if (event === undefined) notice("a custom event of a node was ignored");
        else {
          messages.hear(event);
          tools.write(event);
        }
        break;
      }
      case "updates":
        takeUpdate(item.path, item.update);
        break;
      default:
        notice("an item of the graph's stream was ignored");
    }
  }

  function takeUpdate(path: readonly string[], update: Fields): void {
    for (const [node, values] of Object.entries(update)) {
      // An interrupt in a nested graph counts when it has come up to the outermost one.
      if (node !== INTERRUPT) messages.endNode(path, node, values);
      else if (path.length === 0) isPaused = true;
    }
  }
}
