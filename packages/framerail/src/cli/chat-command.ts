// `framerail chat`: talk with an agent from a terminal, by one message or by many.
// Owns: options, whose turn it is to speak, what Ctrl-C does, how a message ends the program. Does not own: what a turn
// looks like (terminal/turn-view.ts), the way to the server (@framerail/client).
//   C1. Ctrl-C cancels the turn that runs and says so; once more, or at the prompt, it quits with 130 [G5].
//   C2. A message on the command line ends with 0 when its turn completed, and with 1 when it failed or was cancelled.
//   C3. The session is told at once, so that it can be taken up again.

import type { Client, NewSession, Session, Turn, TurnEnd } from "@framerail/client";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import type { Command } from "commander";
import { Option } from "commander";
import type { Device } from "./terminal/device.js";
import { EXIT_INTERRUPTED, openProcessDevice } from "./terminal/device.js";
import type { Asked } from "./terminal/explain-refusal.js";
import { explainRefusal } from "./terminal/explain-refusal.js";
import { openPrompt } from "./terminal/prompt.js";
import type { Screen } from "./terminal/screen.js";
import { createScreen } from "./terminal/screen.js";
import type { Connected, ServerOptions } from "./terminal/server-options.js";
import { addServerOption, connectServer } from "./terminal/server-options.js";
import { showTurn } from "./terminal/show-turn.js";
import type { Terminal } from "./terminal.js";

interface ChatOptions extends ServerOptions {
  readonly agent?: string;
  readonly session?: string;
  readonly locale?: string;
  readonly json?: true;
}

interface Chat {
  readonly server: Connected;
  readonly session: Session;
  readonly terminal: Terminal;
  readonly device: Device;
  readonly screen: Screen;
  readonly json: boolean;
}

export function addChatCommand(program: Command, terminal: Terminal, openDevice: () => Device = openProcessDevice) {
  addServerOption(program.command("chat"))
    .description("talk with an agent")
    .argument("[message]", "what to say; without it you are asked, line by line")
    .addOption(new Option("--agent <id>", "with which agent; without it the server's first").conflicts("session"))
    .option("--session <id>", "a session to take up again")
    .addOption(new Option("--locale <tag>", "in which language status is told, such as de").conflicts("session"))
    .option("--json", "print every frame as a line of JSON")
    .addHelpText("after", "\nExample:\n  framerail chat --agent shop 'Any offers near me?'\n")
    .action(async (message: string | undefined, options: ChatOptions, command: Command) => {
      if (message?.trim() === "") command.error("error: a message has at least one word");
      const device = openDevice();
      const screen = createScreen(terminal, device);
      const server = connectServer(options, screen);
      const session = await openSession(server, options, screen);
      const chat: Chat = { server, session, terminal, device, screen, json: options.json === true };
      if (message === undefined) return converse(chat);
      const end = await say(chat, message);
      // C2
      if (end !== undefined && end.kind !== "completed") terminal.fail();
    });
}

async function openSession(server: Connected, options: ChatOptions, screen: Screen): Promise<Session> {
  const { client } = server;
  const { session: sessionId } = options;
  const target = sessionId === undefined ? await chooseAgent(server, options, screen) : { sessionId };
  const session = client.session(target);
  const { session_id, agent_id } = await explained(server, { kind: "session", sessionId }, session.ready());
  // C3
  screen.line(`session ${session_id} with ${agent_id}`, "quiet");
  return session;
}

async function chooseAgent(server: Connected, { agent, locale }: ChatOptions, screen: Screen): Promise<NewSession> {
  const ids = await explained(server, { kind: "agents" }, listAgents(server.client));
  const [agentId = agent] = agent === undefined ? ids : [agent];
  const all = ids.join(", ");
  if (agentId === undefined) throw new FramerailError("INVALID_ARGUMENT", "the server has no agents");
  if (!ids.includes(agentId)) {
    throw new FramerailError("INVALID_ARGUMENT", `no agent is called ${agentId} here; --agent takes one of: ${all}`);
  }
  if (agent === undefined && ids.length > 1) screen.line(`talking with ${agentId}; --agent chooses among: ${all}`);
  return { agentId, ...(locale !== undefined && { locale }) };
}

async function listAgents(client: Client): Promise<string[]> {
  return (await client.agents()).map(({ agent_id }) => agent_id);
}

/** Waits for the answer; a refusal is told in the words of a terminal. */
async function explained<T>(server: Connected, asked: Asked, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw explainRefusal(error, asked, server);
  }
}

async function converse(chat: Chat): Promise<void> {
  const { device, screen, terminal } = chat;
  const quit = () => {
    terminal.err("\n");
    device.quit(EXIT_INTERRUPTED);
  };
  const prompt = openPrompt(device, quit);
  const isTyped = device.input.isTTY === true;
  try {
    while (!device.closed.aborted) {
      const release = device.onInterrupt(quit);
      const message = await prompt.next().finally(release);
      if (message === undefined) break;
      if (message.trim() === "") continue;
      const end = await say(chat, message).catch((error: unknown) => {
        // One message that could not be sent is not the end of a conversation.
        if (!isFramerailError(error)) throw error;
        screen.line(`error: ${error.message}`);
        return { kind: "failed" } as const;
      });
      // Who types has seen it; who pipes is told by the exit code.
      if (!isTyped && end !== undefined && end.kind !== "completed") terminal.fail();
    }
  } finally {
    prompt.close();
  }
  if (isTyped) terminal.err("\n");
}

/** One turn, from the message to its end; undefined when nobody stayed to read it. */
async function say(chat: Chat, message: string): Promise<TurnEnd | undefined> {
  const { server, session, device } = chat;
  const turn = session.send(message, { signal: device.closed });
  const release = device.onInterrupt(cancelOnce(turn, chat));
  try {
    return await showTurn(turn, chat);
  } catch (error) {
    chat.screen.endText();
    const { turnId } = turn;
    throw explainRefusal(
      error,
      turnId === undefined ? { kind: "session", sessionId: session.sessionId } : { kind: "turn", turnId },
      server,
    );
  } finally {
    release();
  }
}

// C1
function cancelOnce(turn: Turn, { device, screen }: Chat): () => void {
  let asked = false;
  return () => {
    if (asked) {
      screen.endText();
      return device.quit(EXIT_INTERRUPTED);
    }
    asked = true;
    screen.line("cancelling; Ctrl-C once more quits");
    turn.cancel().catch((error: unknown) => {
      // A turn that could not be begun tells so itself.
      if (turn.turnId !== undefined) screen.line(`the turn could not be cancelled: ${String(error)}`);
    });
  };
}
