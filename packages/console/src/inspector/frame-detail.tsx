// One frame as it came over the wire; for a status, also what the server's registry says of it.
//   E1. What the server decided about other events cannot be seen from here: only what was sent is shown.

import type { Frame } from "@framerail/protocol";
import { ScrollRegion } from "../app/scroll-region.jsx";
import { useSurroundings } from "../app/use-app.js";
import { FRAME_TEXT_LENGTH_MAX } from "../limits.js";

export function FrameDetail({ frame, onClose }: { readonly frame: Frame; onClose(): void }) {
  const text = JSON.stringify(frame, null, 2);
  const isCut = text.length > FRAME_TEXT_LENGTH_MAX;
  return (
    <section className="detail" aria-label={`Frame ${frame.seq}`}>
      <h3>
        Frame {frame.seq} <span className="scale">{frame.event_type}</span>
        <button type="button" className="link" onClick={onClose}>
          Close
        </button>
      </h3>
      {frame.event_type === "status" && <StatusPolicy id={frame.data.event_id} />}
      <ScrollRegion className="json" label="JSON of the frame">
        <pre>{isCut ? text.slice(0, FRAME_TEXT_LENGTH_MAX) : text}</pre>
      </ScrollRegion>
      {isCut && <p className="hint">Cut here: the frame has {text.length} characters.</p>}
    </section>
  );
}

const POLICIES: Readonly<Record<string, string>> = {
  forward: "forwarded as it is",
  transform: "rendered in the reader's language",
  batch: "rendered, and joined with others of its group that came at the same time",
  suppress: "kept from the wire",
};

function StatusPolicy({ id }: { readonly id: string }) {
  const { registry } = useSurroundings();
  const event = registry?.events.find((one) => one.id === id);
  if (event === undefined) return <p className="policy">The registry of this server does not list {id}.</p>;
  return (
    <dl className="policy">
      <div>
        <dt>Policy</dt>
        <dd>
          <strong>{event.policy}</strong>: {POLICIES[event.policy] ?? "a policy this console does not know"}
        </dd>
      </div>
      <div>
        <dt>Written by</dt>
        <dd>{event.emitters.join(", ")}</dd>
      </div>
      <div>
        <dt>Means</dt>
        <dd>{event.description}</dd>
      </div>
    </dl>
  );
}
