// One part of an answer: text, reasoning, a tool, a component, or the place where one will be.

import type { ReactNode } from "react";
import { formatMs } from "../inspector/timeline.js";
import { Markdown } from "../markdown/markdown.jsx";
import { ComponentCard } from "./component-card.jsx";
import type { Part, ToolState } from "./lay-out-items.js";

export function PartView({ part, isGrowing }: { readonly part: Part; readonly isGrowing: boolean }): ReactNode {
  switch (part.kind) {
    case "text":
      return (
        <div className="text" data-growing={isGrowing}>
          <Markdown text={part.text} />
        </div>
      );
    case "reasoning":
      return (
        <details className="reasoning">
          <summary>{part.isOpen ? "Reasoning…" : "Reasoning"}</summary>
          <p dir="auto">{part.text}</p>
        </details>
      );
    case "tool":
      return <ToolCard {...part} />;
    case "placeholder":
      return (
        <div className="card placeholder">
          <h3>{part.type} is loading…</h3>
          {BONES.slice(0, Math.max(1, part.count)).map((bone) => (
            <span key={bone} className="bone" aria-hidden="true" />
          ))}
        </div>
      );
    case "component":
      return <ComponentCard type={part.type} values={part.values} />;
  }
}

/** As many as say that several things will stand there. */
const BONES = ["first", "second", "third"];

const STATES: Readonly<Record<ToolState, string>> = {
  running: "running",
  finished: "finished",
  failed: "failed",
  cancelled: "cancelled",
  unknown: "outcome unknown",
};

function ToolCard({ name, state, durationMs }: Extract<Part, { kind: "tool" }>) {
  return (
    <p className="tool" data-state={state} dir="ltr">
      <span className="mark" aria-hidden="true" />
      <code>{name}</code>
      <span className="state">{STATES[state]}</span>
      {durationMs !== undefined && <span className="time">{formatMs(durationMs)}</span>}
    </p>
  );
}
