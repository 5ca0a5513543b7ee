// Which server a terminal command talks to, and as whom.
// Owns: --url, the key's place in the environment, and what is said of connections. Does not own: the client.
//   O1. A key is never an argument: arguments are read by whoever lists processes.
//   O2. A connection that breaks and comes back is told in plain words, and nobody has to do anything about it.

import type { Client, ClientReport } from "@framerail/client";
import { createClient } from "@framerail/client";
import { FramerailError, unreachable } from "@framerail/protocol";
import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import { PORT } from "../listen-options.js";
import type { AskedServer } from "./explain-refusal.js";
import { judgeFirstContact } from "./first-contact.js";
import type { Screen } from "./screen.js";

export interface ServerOptions {
  readonly url: string;
}

export interface Connected extends AskedServer {
  readonly client: Client;
}

const KEY_VARIABLE = "FRAMERAIL_API_KEY";
/** What a header can hold, of what a credential can be made of. */
const KEY = /^[\x21-\x7e]+$/;

export function addServerOption(command: Command): Command {
  const says = `where the server is; ${KEY_VARIABLE} in the environment says who you are`;
  return command.addOption(new Option("--url <url>", says).argParser(readUrl).default(`http://127.0.0.1:${PORT}`));
}

export function connectServer({ url }: ServerOptions, screen: Screen): Connected {
  const token = readKey(process.env[KEY_VARIABLE]);
  const client = createClient({
    url,
    token,
    showErrors: true,
    fetch: judgeFirstContact(url),
    onReport: (report) => screen.line(describeReport(report)),
  });
  return { client, url, hasKey: token !== undefined };
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return text.replace(/\/+$/, "");
  throw new InvalidArgumentError("It must begin with http:// or https://.");
}

// O1
function readKey(text: string | undefined): string | undefined {
  const key = text?.trim() ?? "";
  if (key === "") return undefined;
  if (KEY.test(key)) return key;
  throw new FramerailError("INVALID_ARGUMENT", `${KEY_VARIABLE} holds no key; framerail key create makes one`);
}

// O2
function describeReport(report: ClientReport): string {
  switch (report.kind) {
    case "cut": {
      const seconds = (report.retryInMs / 1000).toFixed(1);
      return `the connection is gone (${report.code}); attempt ${report.attempt + 1} in ${seconds} s`;
    }
    case "resumed":
      return "connected again, going on where it was";
    case "reset":
      return "the server cannot go on from there: the turn is shown again from its start";
    default:
      return unreachable(report);
  }
}
