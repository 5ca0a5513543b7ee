// The table `pipeline_states`: how far each stream of a pipeline has come.

import type { Json } from "@framerail/protocol";
import { requireText, toExactJson } from "./checked-value.js";
import type { Sql } from "./sql.js";

export interface PipelineState {
  readonly stream: string;
  readonly state: Json;
  readonly updatedAt: number;
}

const COLUMNS = `stream, state, updated_at as "updatedAt"`;

/** Keeps the state of one stream in place of the one before. */
export async function putPipelineState(sql: Sql, pipelineId: string, stream: string, state: Json): Promise<void> {
  await sql.query(
    `insert into pipeline_states (org_id, pipeline_id, stream, state) values (current_org(), $1, $2, $3::jsonb)
    on conflict (org_id, pipeline_id, stream) do update set state = excluded.state, updated_at = clock_timestamp()`,
    [requireText("pipeline id", pipelineId), requireText("stream", stream), toExactJson("state", state)],
  );
}

export async function getPipelineState(
  sql: Sql,
  pipelineId: string,
  stream: string,
): Promise<PipelineState | undefined> {
  const [row] = await sql.query<PipelineState>(
    `select ${COLUMNS} from pipeline_states where org_id = current_org() and pipeline_id = $1 and stream = $2`,
    [requireText("pipeline id", pipelineId), requireText("stream", stream)],
  );
  return row;
}

/** Every stream of a pipeline that has a state: a sync starts from them. */
export function readPipelineStates(sql: Sql, pipelineId: string): Promise<PipelineState[]> {
  return sql.query<PipelineState>(
    `select ${COLUMNS} from pipeline_states where org_id = current_org() and pipeline_id = $1 order by stream`,
    [requireText("pipeline id", pipelineId)],
  );
}
