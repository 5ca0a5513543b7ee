// A server with the agents of this folder, on a database that a test may look into, with a registry that it may change
// between two starts.

import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020, type AnySchemaObject } from "ajv/dist/2020.js";
import { findPort } from "../../packages/framerail/src/store/testing/find-port.js";
import { createPostgresDatabase } from "../../packages/framerail/src/store/testing/open-store.js";
import { onServer } from "../../packages/framerail/src/store/testing/postgres-server.js";
import { readExposition } from "../../packages/framerail/src/telemetry/testing/read-exposition.js";
import { call, openSession } from "../harness/caller.js";
import { PROGRAM, type Program, startProgram } from "../harness/program.js";
import { readSse } from "../harness/sse-reader.js";

export interface WireFrame {
  readonly event_type: string;
  readonly version: string;
  readonly timestamp: string;
  readonly response_id: string;
  readonly seq: number;
  readonly [field: string]: unknown;
}

export interface Told {
  readonly turnId: string;
  /** The stream as it came. */
  readonly body: string;
  readonly frames: readonly WireFrame[];
}

export type ShopProgram = Awaited<ReturnType<typeof startShop>>;

export async function startShop(settings: Readonly<Record<string, string>> = {}) {
  const database = await createPostgresDatabase();
  const registry = mkdtempSync(join(tmpdir(), "framerail-registry-"));
  cpSync(join(import.meta.dirname, "../../examples/registry"), registry, { recursive: true });
  const env = { DATABASE_URL: database.url };
  const key = execFileSync(
    process.execPath,
    [PROGRAM, "key", "create", "--tenant", randomUUID(), "--name", "rows", "--user", "u1"],
    { encoding: "utf8", env: { ...process.env, ...env } },
  ).trim();
  const headers = { authorization: `Bearer ${key}` };
  const metricsPort = await findPort();
  const args = ["serve", "--agents", "e2e/rows/agents", "--registry", registry, "--host", "127.0.0.1", "--port", "0"];
  const start = (more: Readonly<Record<string, string>> = {}) =>
    startProgram({ args: [...args, "--metrics-port", String(metricsPort)], env: { ...env, ...settings, ...more } });
  let program: Program = await start();
  const url = () => program.url;
  const judge = await readSchema(program.url);
  return {
    url,
    registry,
    headers,
    sql: (statement: string) => onServer(database.url, statement),
    /** Starts it anew, with the registry as it is now. Rejects with what it said when it does not start. */
    async restart(more?: Readonly<Record<string, string>>) {
      await program.kill();
      program = await start(more);
    },
    /** One whole turn, every frame of it judged by the schema that the server itself publishes. */
    async tell(agentId: string, message: string, more: Readonly<Record<string, string>> = {}): Promise<Told> {
      const session = await openSession(url(), agentId, { headers });
      const path = `${url()}/v1/sessions/${session}/turns`;
      const answer = await call(path, { method: "POST", body: { message }, headers: { ...headers, ...more } });
      if (answer.status !== 200) throw new Error(`no stream: ${answer.status} ${answer.text}`);
      const frames = readSse(answer.text).events.flatMap(({ data }) =>
        data === "[DONE]" ? [] : [JSON.parse(data) as WireFrame],
      );
      if (more["framerail-version"] !== "0.4") for (const frame of frames) judge(frame);
      return { turnId: answer.headers["framerail-turn-id"] as string, body: answer.text, frames };
    },
    async scrape() {
      return readExposition((await call(`http://127.0.0.1:${metricsPort}/metrics`)).text);
    },
    async close() {
      await program.kill();
      await database.drop();
      rmSync(registry, { recursive: true, force: true });
    },
  };
}

async function readSchema(url: string): Promise<(frame: WireFrame) => void> {
  const { json } = await call(`${url}/schemas/frames-0.5.json`);
  const validate = new Ajv2020({ strict: true }).compile(json as AnySchemaObject);
  return (frame) => {
    if (!validate(frame)) throw new Error(`${JSON.stringify(frame)}: ${JSON.stringify(validate.errors)}`);
  };
}
