// Keeps what happens in a run: which turns were accepted, what their clients got, what was cancelled.

import type { History, ProcessRecord, StoredTurn } from "../checker/history.js";
import { beginTurn, call, openSession } from "./caller.js";
import type { FakeModel } from "./fake-model.js";
import type { ClientRecord, TurnClientOptions } from "./turn-client.js";
import { followTurn } from "./turn-client.js";

export interface TurnStart {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agentId: string;
  /** No two turns of a run may say the same: by it the model's log tells whose call it was. */
  readonly message: string;
}

export interface Recorder {
  /** Begins a turn that goes on without readers. Undefined: a server that dies or cannot has promised nothing. */
  begin(start: TurnStart): Promise<string | undefined>;
  follow(options: TurnClientOptions): Promise<ClientRecord>;
  cancel(url: string, turnId: string, headers?: Readonly<Record<string, string>>): Promise<void>;
  readonly accepted: readonly string[];
  /** Everything so far, with what the database has and, where they were watched, the processes had. */
  history(turns: readonly StoredTurn[], processes?: readonly ProcessRecord[]): History;
}

export function createRecorder(model: FakeModel): Recorder {
  const accepted: string[] = [];
  const clients: ClientRecord[] = [];
  const cancels: { turnId: string; at: number }[] = [];
  return {
    accepted,
    async begin({ url, headers = {}, agentId, message }) {
      try {
        const sessionId = await openSession(url, agentId, { headers });
        const turnId = await beginTurn(url, sessionId, { message }, { headers });
        accepted.push(turnId);
        return turnId;
      } catch (error) {
        // A refusal is the test's own mistake, and must not pass for a broken server.
        if (/: 4\d\d /.test(String(error))) throw error;
        return undefined;
      }
    },
    async follow(options) {
      const record = await followTurn(options);
      clients.push(record);
      return record;
    },
    async cancel(url, turnId, headers = {}) {
      cancels.push({ turnId, at: performance.now() });
      await call(`${url}/v1/turns/${turnId}/cancel`, { method: "POST", headers });
    },
    history: (turns, processes = []) => ({ turns, clients, modelCalls: model.calls, accepted, cancels, processes }),
  };
}
