// The program as users reach it: `framerail serve` on a database of its own, with a key. Any host name may stand before it.

import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createPostgresDatabase } from "../../packages/framerail/src/store/testing/open-store.js";
import { beginTurn, call, openSession } from "../harness/caller.js";
import type { FakeModel } from "../harness/fake-model.js";
import { startFakeModel } from "../harness/fake-model.js";
import { startProgram } from "../harness/program.js";

const BIN = join(import.meta.dirname, "../../packages/framerail/bin/framerail.js");

export interface PublicServer {
  readonly url: string;
  readonly port: number;
  /** What the assistant asks; it plays what its last message says. */
  readonly model: FakeModel;
  /** The header of a caller with a key. */
  readonly authorized: { readonly authorization: string };
  openSession(agentId: "assistant" | "story"): Promise<string>;
  /** Begins a turn of the assistant, which goes on when nobody reads it. */
  begin(message: string): Promise<string>;
  /** The path of a turn's stream for a reader that can send no header. */
  ticketFor(turnId: string): Promise<string>;
  /** The frames of an ended turn, each as its JSON text, by another transport than that of the strangers. */
  framesOf(turnId: string): Promise<readonly string[]>;
  readTurn(turnId: string): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

/** `origins`: of pages that may read. */
export async function startPublicServer(origins: readonly string[] = []): Promise<PublicServer> {
  const { url: databaseUrl, drop } = await createPostgresDatabase();
  const model = await startFakeModel();
  const env = { DATABASE_URL: databaseUrl, FAKE_MODEL_URL: model.url };
  const newKey = ["key", "create", "--tenant", randomUUID(), "--user", "stranger", "--name", "stranger"];
  const key = execFileSync(process.execPath, [BIN, ...newKey], {
    env: { ...process.env, ...env },
    encoding: "utf8",
    stdio: "pipe",
  });
  const args = ["serve", "--agents", "e2e/agents", "--host", "127.0.0.1", "--port", "0", "--metrics-port", "0"];
  const program = await startProgram({ args: [...args, ...origins.flatMap((origin) => ["--origin", origin])], env });
  const { url, port } = program;
  const authorized = { authorization: `Bearer ${key.trim()}` };
  const sessionWith = (agentId: string) => openSession(url, agentId, { headers: authorized });
  return {
    url,
    port,
    model,
    authorized,
    openSession: sessionWith,
    async begin(message) {
      return beginTurn(url, await sessionWith("assistant"), { message }, { headers: authorized });
    },
    async ticketFor(turnId) {
      const asked = { method: "POST", headers: authorized };
      return (await call(`${url}/v1/turns/${turnId}/ticket`, asked)).json.url as string;
    },
    async framesOf(turnId) {
      const headers = { ...authorized, accept: "application/x-ndjson" };
      const { text } = await call(`${url}/v1/turns/${turnId}/stream`, { headers });
      return text.split("\n").filter((line) => line !== "");
    },
    readTurn: async (turnId) => (await call(`${url}/v1/turns/${turnId}`, { headers: authorized })).json,
    async close() {
      await program.kill();
      await model.close();
      await drop();
    },
  };
}
