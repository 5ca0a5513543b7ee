// The tool calls of one AI message. A whole message has them whole; a streamed one brings id and name first and the
// arguments in pieces of JSON text, told apart by their index.

import type { Json } from "@framerail/protocol";
import { FramerailError } from "@framerail/protocol";
import { ARGUMENTS_LENGTH_MAX, CALLS_PER_TURN_MAX } from "../limits.js";
import type { Fields } from "./graph.js";
import { isFields, objectsIn, textField } from "./graph.js";
import { readArguments } from "./plain-json.js";

export interface CallPieces {
  add(message: Fields): void;
  /** Has a call of this id begun? */
  has(id: unknown): boolean;
  /** Characters of all arguments so far. */
  readonly argumentsLength: number;
  /** What has been put together so far; calls without an id or a name are left out. */
  calls(): GraphCall[];
  /** Those of them that are certain to be complete: their arguments are a whole object. */
  wholeCalls(): GraphCall[];
}

export interface GraphCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Json;
}

interface Growing {
  id: string;
  name: string;
  text: string;
}

export function createCallPieces(): CallPieces {
  const growing: Growing[] = [];
  const latest = new Map<unknown, Growing>();
  let argumentsLength = 0;

  // The index tells calls apart; without one the id does, and a piece with neither goes on with the latest call. Some
  // providers give all their calls one index: then a new id begins another.
  function find(piece: Fields): Growing {
    const id = textField(piece, "id") || undefined;
    const key = piece.index ?? id;
    const found = key === undefined ? growing.at(-1) : latest.get(key);
    if (found !== undefined && (id === undefined || found.id === "" || found.id === id)) return found;
    if (growing.length >= CALLS_PER_TURN_MAX) {
      throw new FramerailError("MODEL_FAILED", "a message holds too many calls");
    }
    const call = { id: "", name: "", text: "" };
    growing.push(call);
    latest.set(key, call);
    return call;
  }

  function grow(piece: Fields, text: string): void {
    const call = find(piece);
    call.id ||= textField(piece, "id") ?? "";
    call.name ||= textField(piece, "name") ?? "";
    argumentsLength += text.length;
    if (argumentsLength > ARGUMENTS_LENGTH_MAX) {
      throw new FramerailError("MODEL_FAILED", "the arguments of a message's tool calls are too long");
    }
    call.text += text;
  }

  const has = (id: unknown) => growing.some((call) => call.id === id);

  // Nothing is no arguments at all, or their pieces are yet to come.
  const isWhole = ({ text }: Growing) => text.trim() !== "" && isFields(readArguments(text));

  const read = (calls: readonly Growing[]): GraphCall[] =>
    calls
      .filter(({ id, name }) => id !== "" && name !== "")
      .map(({ id, name, text }) => ({ id, name, arguments: readArguments(text) }));

  return {
    has,
    add(message) {
      const pieces = objectsIn(message.tool_call_chunks);
      for (const piece of pieces) grow(piece, textField(piece, "args") ?? "");
      // Beside pieces, `tool_calls` is LangChain's guess at what they will be.
      if (pieces.length > 0) return;
      for (const call of objectsIn(message.tool_calls)) {
        const { id, name, args = {} } = call;
        if (typeof id === "string" && !has(id)) grow({ id, name }, JSON.stringify(args));
      }
    },
    get argumentsLength() {
      return argumentsLength;
    },
    calls: () => read(growing),
    wholeCalls: () => read(growing.filter(isWhole)),
  };
}
