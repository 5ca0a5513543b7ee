// The server's own document of a turn, asked for when the turn is known and again when it has ended.

import { useEffect, useState } from "react";
import type { ConsoleServer, TurnTimes } from "./server.js";

export function useTurnTimes(
  server: ConsoleServer,
  turnId: string | undefined,
  hasEnded: boolean,
): TurnTimes | undefined {
  const [times, setTimes] = useState<TurnTimes>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end is the reason to ask again.
  useEffect(() => {
    if (turnId === undefined) return undefined;
    let isCurrent = true;
    void server.turn(turnId).then((found) => {
      if (isCurrent) setTimes(found);
    });
    return () => {
      isCurrent = false;
    };
  }, [server, turnId, hasEnded]);
  return times?.turn_id === turnId ? times : undefined;
}
