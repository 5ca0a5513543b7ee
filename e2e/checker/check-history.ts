// Judges a recorded run by the invariants that every run must keep, whatever was killed in it. Pure: data in, violations
// out, and not a line of the product in between.
//   I1 one end per turn, in the log and for everybody who stayed · I2 seq 1..n, one payload each · I3 nothing after the end ·
//   I4 a client's bytes over all its connections are the log's · I5 tool calls are completed · I6 an end that was told is
//   stored, with the text that was told · I7 one usage row per model call · I8 nothing stays reserved · I9 only the newest
//   epoch writes · I10 nothing of another tenant · I13 nothing is left open · I14 memory is bounded · I15 a cancel closes
//   the model's request · I16 what was accepted ends · I20 what was accepted is stored

import type { History, ProcessRecord, Violation } from "./history.js";
import { judgeClients } from "./judge-clients.js";
import { judgeLog } from "./judge-log.js";
import { judgeRows } from "./judge-rows.js";

export function checkHistory(history: History): Violation[] {
  return [
    ...history.turns.flatMap(judgeLog),
    ...judgeClients(history),
    ...judgeRows(history),
    ...(history.processes ?? []).flatMap(judgeProcess),
  ];
}

function judgeProcess(record: ProcessRecord): Violation[] {
  const { socketsBefore, socketsAfter, socketsKeptMax, rssBytesMax, rssBytesAllowed } = record;
  const found: Violation[] = [];
  if (socketsAfter > socketsBefore + socketsKeptMax) {
    const says = `a process had ${socketsBefore} sockets before its turns, and ${socketsAfter} after them`;
    found.push({ invariant: "I13", turnId: undefined, says });
  }
  if (rssBytesMax > rssBytesAllowed) {
    found.push({ invariant: "I14", turnId: undefined, says: `a process took ${rssBytesMax} bytes of memory` });
  }
  return found;
}
