// The waterfall: a row for each span and each mark, in the order in which they began.

import type { CSSProperties } from "react";
import { TIMELINE_ROWS_MAX } from "../limits.js";
import type { Mark, Span, Timeline } from "./timeline.js";
import { formatMs } from "./timeline.js";

export interface TimelineViewProps {
  readonly timeline: Timeline;
  readonly selectedSeq: number | undefined;
  onSelect(seq: number): void;
}

/** The least part of the width that can be seen. */
const WIDTH_MIN = 0.006;

export function TimelineView({ timeline, selectedSeq, onSelect }: TimelineViewProps) {
  const { spans, marks, durationMs } = timeline;
  const rows = [...spans, ...marks].sort((a, b) => a.seq - b.seq);
  return (
    <section className="timeline" aria-label="Timeline">
      <h3>
        Timeline <span className="scale">0 – {formatMs(durationMs)}</span>
      </h3>
      <ul>
        {rows.slice(0, TIMELINE_ROWS_MAX).map((row) => (
          <li key={`${row.kind} ${row.seq}`}>
            <button type="button" aria-pressed={row.seq === selectedSeq} onClick={() => onSelect(row.seq)}>
              <span className="name" title={nameOf(row)}>
                {nameOf(row)}
              </span>
              <span className="unseen">{wordsOf(row)}</span>
              <span className="lane" aria-hidden="true">
                <span className="bar" {...shapeOf(row, durationMs)} />
              </span>
              <span className="time">{"fromMs" in row ? lengthOf(row, durationMs) : `+${formatMs(row.atMs)}`}</span>
            </button>
          </li>
        ))}
      </ul>
      {rows.length > TIMELINE_ROWS_MAX && <p className="hint">{rows.length - TIMELINE_ROWS_MAX} more rows.</p>}
    </section>
  );
}

function nameOf(row: Span | Mark): string {
  return "label" in row ? row.label : row.name;
}

function wordsOf(row: Span | Mark): string {
  if ("label" in row) return `, ${row.kind} at ${formatMs(row.atMs)}`;
  const kind = row.kind === "sub_agent" ? "sub-agent" : row.kind;
  return `, ${kind} from ${formatMs(row.fromMs)}, ${row.end ?? (row.toMs === undefined ? "open" : "done")}`;
}

function lengthOf({ fromMs, toMs }: Span, durationMs: number): string {
  return toMs === undefined ? `${formatMs(durationMs - fromMs)}…` : formatMs(toMs - fromMs);
}

function shapeOf(
  row: Span | Mark,
  durationMs: number,
): { "data-kind": string; "data-end"?: string; style: CSSProperties } {
  const whole = Math.max(1, durationMs);
  if ("label" in row) return { "data-kind": row.kind, style: { left: percent(row.atMs / whole) } };
  const from = Math.min(row.fromMs / whole, 1 - WIDTH_MIN);
  const width = Math.max(WIDTH_MIN, (row.toMs ?? durationMs) / whole - from);
  const end = row.end ?? (row.toMs === undefined ? "open" : "finished");
  return { "data-kind": row.kind, "data-end": end, style: { left: percent(from), width: percent(width) } };
}

function percent(part: number): string {
  return `${(part * 100).toFixed(2)}%`;
}
