// A slow reader of Server-Sent Events that follows the HTML standard's text step by step on the whole input at once, as
// a judge for the fast one. Comments and retry times are logged beside the events, in the order of their lines.

export type SseLog = (
  | { readonly kind: "event"; readonly id: string; readonly event: string; readonly data: string }
  | { readonly kind: "comment"; readonly text: string }
  | { readonly kind: "retry"; readonly ms: number }
)[];

export interface SseReading {
  readonly log: SseLog;
  readonly lastEventId: string;
  readonly clean: boolean;
}

export function readSse(bytes: Uint8Array): SseReading {
  // This decoder drops one leading BOM, as the standard asks.
  const lines = new TextDecoder("utf-8").decode(bytes).split(/\r\n|\r|\n/);
  const unfinishedLine = lines.pop() as string;
  const log: SseLog = [];
  let data = "";
  let eventType = "";
  let idBuffer = "";
  let lastEventId = "";
  let fieldSeen = false;
  for (const line of lines) {
    if (line === "") {
      lastEventId = idBuffer;
      if (data !== "")
        log.push({ kind: "event", id: lastEventId, event: eventType || "message", data: data.slice(0, -1) });
      data = "";
      eventType = "";
      fieldSeen = false;
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "") log.push({ kind: "comment", text: value });
    if (field === "retry" && /^[0-9]+$/.test(value)) log.push({ kind: "retry", ms: clampRetry(value) });
    if (field === "data") data += `${value}\n`;
    if (field === "event") eventType = value;
    if (field === "id" && !value.includes("\0")) idBuffer = value;
    if (field === "data" || field === "event" || (field === "id" && !value.includes("\0"))) fieldSeen = true;
  }
  return { log, lastEventId, clean: unfinishedLine === "" && !fieldSeen };
}

/** The standard has integers without end; ours stop at the last safe one. */
export function clampRetry(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}
