// Names that a graph or a service chose, as its events may show them to clients: an address is no name [W-ERR-8].

import type { PartFailure } from "@framerail/protocol";
import type { SingleFailure } from "../agent/failure-axes.js";
import { publicName } from "../agent/public-name.js";

interface ToolNames {
  readonly tool_name: string;
  readonly tool_type?: string;
}

export function nameForClients<T extends ToolNames>(event: T): T {
  const { tool_name, tool_type } = event;
  return {
    ...event,
    tool_name: publicName(tool_name),
    ...(tool_type !== undefined && { tool_type: publicName(tool_type) }),
  };
}

export function failureForClients(failure: PartFailure): PartFailure {
  return failure.code === "PARTIAL_FAN_OUT"
    ? { ...failure, failed: failure.failed.map(partForClients) }
    : partForClients(failure);
}

function partForClients(failure: SingleFailure): SingleFailure {
  return failure.code === "SUB_AGENT_FAILED"
    ? { ...failure, sub_agent_id: publicName(failure.sub_agent_id) }
    : { ...failure, enricher_id: publicName(failure.enricher_id) };
}
