import { ResponseError } from "@framerail/client";
import type { ErrorCode } from "@framerail/protocol";
import { FramerailError, isFramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import type { Asked } from "./explain-refusal.js";
import { explainRefusal } from "./explain-refusal.js";

const TURN: Asked = { kind: "turn", turnId: "t1" };
const SESSION: Asked = { kind: "session", sessionId: "s1" };
const SERVER = { url: "http://here", hasKey: true };

function says(error: FramerailError, asked: Asked, server = SERVER): string {
  const explained = explainRefusal(error, asked, server);
  if (!isFramerailError(explained)) throw explained;
  return explained.message;
}

test.each<[ErrorCode, number, Asked, RegExp]>([
  ["UNAUTHENTICATED", 401, TURN, /framerail key create/],
  ["NOT_FOUND", 404, TURN, /no turn t1 .*check its id/],
  ["NOT_FOUND", 404, SESSION, /no session s1 .*leave --session away/],
  ["INVALID_ARGUMENT", 400, SESSION, /framerail key create --user/],
  ["INVALID_ARGUMENT", 400, TURN, /check both/],
  ["TURN_RUNNING", 409, SESSION, /open another session/],
  ["SESSION_CLOSED", 409, SESSION, /leave --session away/],
  ["CURSOR_EXPIRED", 410, TURN, /leave --after away/],
  ["BUDGET_EXHAUSTED", 429, SESSION, /the budget has nothing left .*BUDGET_EXHAUSTED/],
  ["UPSTREAM_FAILED", 502, TURN, /http:\/\/here was lost .*framerail replay t1/],
])("a refusal as %s names what to do about it", (code, status, asked, sentence) => {
  const message = says(new ResponseError(code, status), asked);
  expect(message).toMatch(sentence);
  expect(message).not.toContain("\n");
});

test("a server that wants a key is told apart from one that refuses ours", () => {
  const refused = new ResponseError("UNAUTHENTICATED", 401);
  expect(says(refused, TURN, { url: "http://here", hasKey: false })).toMatch(/set FRAMERAIL_API_KEY$/);
});

test("what was explained before, or is a bug, comes back as it is", () => {
  const told = new FramerailError("INVALID_ARGUMENT", "nothing listens there");
  expect(explainRefusal(told, { kind: "agents" }, SERVER)).toBe(told);
  const bug = new TypeError("x is not a function");
  expect(explainRefusal(bug, TURN, SERVER)).toBe(bug);
});
