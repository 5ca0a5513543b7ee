// Every frame of a turn, one row each; only the rows that are seen are made.
//   R1. The list follows the end while it is scrolled there, and stays where it is otherwise.
//   R2. By keyboard: arrows, Home, End and the page keys move the choice, and the list moves with it.

import type { Frame } from "@framerail/protocol";
import type { KeyboardEvent } from "react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { FOLLOW_PX, FRAME_ROW_PX, FRAME_ROWS_BEYOND } from "../limits.js";
import type { FrameView } from "./frame-feed.js";
import { previewOf } from "./preview-frame.js";
import { formatMs } from "./timeline.js";
import { scrollToRow, windowOf } from "./window.js";

export interface FrameListProps {
  readonly view: FrameView;
  readonly selected: number | undefined;
  onSelect(index: number): void;
}

export function FrameList({ view: { frames, count }, selected, onSelect }: FrameListProps) {
  const list = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const [place, setPlace] = useState({ scrollTop: 0, height: 0 });
  useHeight(list, (height) => setPlace((before) => ({ ...before, height })));
  const onScroll = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = list.current ?? {};
    isFollowing.current = scrollHeight - scrollTop - clientHeight < FOLLOW_PX;
    setPlace({ scrollTop, height: clientHeight });
  };
  useLayoutEffect(() => {
    // R1
    if (isFollowing.current && list.current !== null) list.current.scrollTop = count * FRAME_ROW_PX;
  }, [count]);
  useLayoutEffect(() => {
    if (selected === undefined || list.current === null) return;
    const { scrollTop, clientHeight: height } = list.current;
    list.current.scrollTop = scrollToRow(selected, { scrollTop, height, rowHeight: FRAME_ROW_PX });
  }, [selected]);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moveChoice(event.key, { selected, count, page: Math.floor(place.height / FRAME_ROW_PX) });
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next);
  };
  const rows = windowOf({ ...place, rowHeight: FRAME_ROW_PX, count, beyond: FRAME_ROWS_BEYOND });
  const start = Date.parse(frames[0]?.timestamp ?? "");
  const made = Array.from({ length: rows.to - rows.from }, (_, offset) => rows.from + offset);
  const isMade = selected !== undefined && selected >= rows.from && selected < rows.to;
  return (
    <section className="frames" aria-label="Frames">
      <h3>
        Frames <span className="scale">{count}</span>
      </h3>
      <div
        ref={list}
        className="list"
        role="listbox"
        tabIndex={0}
        aria-label="Frames of the turn"
        aria-activedescendant={isMade ? `frame-${selected}` : undefined}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <div className="extent" role="presentation" style={{ height: rows.totalHeight }}>
          <div className="made" role="presentation" style={{ transform: `translateY(${rows.offset}px)` }}>
            {made.map((index) => (
              <FrameRow
                key={index}
                frame={frames[index] as Frame}
                index={index}
                count={count}
                startMs={start}
                isSelected={index === selected}
                onSelect={onSelect}
              />
            ))}
          </div>
        </div>
      </div>
    </section>
  );
}

interface FrameRowProps {
  readonly frame: Frame;
  readonly index: number;
  readonly count: number;
  readonly startMs: number;
  readonly isSelected: boolean;
  onSelect(index: number): void;
}

function FrameRow({ frame, index, count, startMs, isSelected, onSelect }: FrameRowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys, and moves the choice.
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the row by its id.
    <div
      id={`frame-${index}`}
      className="frame"
      role="option"
      aria-selected={isSelected}
      aria-posinset={index + 1}
      aria-setsize={count}
      onClick={() => onSelect(index)}
    >
      <span className="seq">{frame.seq}</span>
      <span className="type">{frame.event_type}</span>
      <span className="preview">{previewOf(frame)}</span>
      <span className="time">+{formatMs(Date.parse(frame.timestamp) - startMs)}</span>
    </div>
  );
}

interface Choice {
  readonly selected: number | undefined;
  readonly count: number;
  readonly page: number;
}

// R2
function moveChoice(key: string, { selected = -1, count, page }: Choice): number | undefined {
  const within = (index: number) => Math.max(0, Math.min(count - 1, index));
  switch (key) {
    case "ArrowDown":
      return within(selected + 1);
    case "ArrowUp":
      return within(selected - 1);
    case "PageDown":
      return within(selected + page);
    case "PageUp":
      return within(selected - page);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}

function useHeight(element: { readonly current: HTMLElement | null }, onHeight: (height: number) => void): void {
  const told = useRef(onHeight);
  told.current = onHeight;
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => told.current(entry?.contentRect.height ?? 0));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
}
