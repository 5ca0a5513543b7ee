// Bugs to plant in what stands around the turns: the server's edge, its start and end, what is written for operators, and the
// offline check of recordings. Each guard with the smallest change that breaks it.
// One long file, because it is one list: a table of places, with nothing to follow from row to row.

import { plantIn } from "./plant-in.js";
import type { Plant } from "./plants.js";

const mask = plantIn("telemetry/mask-secrets.ts", "telemetry/mask-secrets.test.ts");
const recording = plantIn("cli/validate-stream.ts", "cli/validate-command.test.ts");
const response = plantIn("gateway/http/watch-response.ts", "gateway/http/watch-response.test.ts");
const server = plantIn("gateway/http/server.ts", "gateway/http/watch-response.test.ts");
const credential = plantIn("gateway/auth/authenticate.ts", "gateway/auth/authenticate.test.ts");
const token = plantIn("gateway/auth/jwt.ts", "gateway/auth/jwt.test.ts");
const start = plantIn("cli/start-server.ts", "cli/start-server-db.test.ts");
const closing = plantIn("cli/runtime.ts", "cli/start-server-db.test.ts");

export const EDGE_PLANTS: readonly Plant[] = [
  mask("a value after an arrow", "[:=]{1,3}>?", "[:=]{1,3}"),
  mask("a value after two signs", "[:=]{1,3}>?", "[:=]>?"),
  mask("a name in brackets", String.raw`["'\\\]]{0,8}`, String.raw`["'\\]{0,8}`),
  mask("a value in a list", "{BRACKETED}|$", "{QUOTED}|$"),
  mask("what follows brackets", String.raw`{0,256}\S{0,4096}`, "{0,256}"),
  mask("a cookie on the next line", "{BRACKETED})?[^", "{QUOTED})?[^"),
  mask("quotes in a password of an address", String.raw`:\S{0,1024}@`, String.raw`:[^\s"'<>]{0,1024}@`),
  mask("a header in a list", "{HEADER_NAME})$", "{SECRET_NAME})$"),
  mask("a name after a name is no value", "{QUOTE}|-[", "{QUOTE}never|-["),
  mask("an option after an option is no value", String.raw`)\s)`, ")never)"),
  mask("words that begin like a key", "|hf|npm)[-_]|", "|hf|npm)[-_]?|"),
  recording("gaps in 0.4", "version === OLDER ? seq > lastSeq : ", ""),
  recording("a place taken twice in 0.4", "seq > lastSeq :", "true :"),
  recording(
    "frames of 0.4 are read as such",
    "if (version !== OLDER) return readFrame(value);",
    "return readFrame(value);",
  ),
  recording("an error of 0.4 is final", "frame.is_final ?? true", "frame.is_final"),
  recording("another version within a turn", "own !== undefined && own !== version", "false"),
  response("a response without a socket", "if (response.socket === null) unwatch", "if (false) unwatch"),
  response("a response is told once", '    response.off("close", tell);\n    unwatch();\n', ""),
  response("a connection keeps no listener", "    unwatch();\n", ""),
  response("what was never answered", "if (!response.headersSent) return;", ""),
  server("what the framework refuses by itself", "      tellWhenOver(request, reply, gateway.watch);\n", ""),
  credential("silence has a reason of its own", 'sent", "missing")', 'sent")'),
  credential("a key that cannot be one", 'expired", "malformed")', 'expired")'),
  token("a token that has expired", 'return "expired";', 'return "invalid";'),
  token("a token that is none", '? "malformed" : "invalid"', '? "invalid" : "invalid"'),
  plantIn("cli/watch-edge.ts", "cli/watch-edge.test.ts")(
    "refusals are counted by their reason",
    "metrics.authFailure(fault)",
    'metrics.authFailure("invalid")',
  ),
  start("a start that fails closes the log", "[() => logger.close()]", "[]"),
  start(
    "a drain that fails closes the rest",
    "stops.push(() => runtime.dispatcher.drain());",
    "await runtime.dispatcher.drain();",
  ),
  closing("what fails to close leaves nothing else open", "failures.push(error);", "throw error;"),
];
