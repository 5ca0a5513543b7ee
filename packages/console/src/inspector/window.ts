// Which rows of a long list are seen: arithmetic over rows of one height.
//   W1. What is seen is always among what is made, and what is made is bounded by the height of the list.

export interface WindowOptions {
  readonly scrollTop: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly count: number;
  /** Rows to make on both sides of what is seen. */
  readonly beyond: number;
}

export interface RowWindow {
  /** The first row to make, and the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly offset: number;
  readonly totalHeight: number;
}

export function windowOf({ scrollTop, height, rowHeight, count, beyond }: WindowOptions): RowWindow {
  const firstSeen = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const seen = Math.ceil(Math.max(0, height) / rowHeight) + 1;
  // A list that has become shorter is scrolled past its end for a moment.
  const from = Math.max(0, Math.min(firstSeen, count - seen) - beyond);
  const to = Math.min(count, firstSeen + seen + beyond);
  return { from, to: Math.max(from, to), offset: from * rowHeight, totalHeight: count * rowHeight };
}

/** Where to scroll so that a row is seen; where it is seen already, nothing changes. */
export function scrollToRow(
  row: number,
  { scrollTop, height, rowHeight }: Omit<WindowOptions, "count" | "beyond">,
): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop;
}
