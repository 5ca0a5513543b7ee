// A reader of server-sent events that shares no code with the product: bytes in, events out, and what was left over.
// Slow and simple on purpose.

export interface ReadEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
  /** Its lines as they came, without the blank one behind them. */
  readonly raw: string;
}

export interface ReadStream {
  readonly events: readonly ReadEvent[];
  /** Comments, without their colon. */
  readonly comments: readonly string[];
  /** What came after the last blank line: a stream that was cut may have some. */
  readonly rest: string;
}

export function readSse(body: string): ReadStream {
  const blocks = body.split("\n\n");
  const rest = blocks.pop() ?? "";
  const events: ReadEvent[] = [];
  const comments: string[] = [];
  for (const block of blocks) {
    const fields = new Map<string, string[]>();
    for (const line of block.split("\n")) {
      if (line.startsWith(":")) {
        comments.push(line.slice(1));
        continue;
      }
      const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      fields.set(name, [...(fields.get(name) ?? []), value]);
    }
    const data = fields.get("data");
    if (data === undefined) continue;
    events.push({
      id: fields.get("id")?.at(-1),
      event: fields.get("event")?.at(-1),
      data: data.join("\n"),
      raw: block,
    });
  }
  return { events, comments, rest };
}
