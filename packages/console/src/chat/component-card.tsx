// A component whose kind this console does not know: its fields, plainly. It knows no kind, because kinds belong to the
// applications; so every component looks like what it is, data.
//   D1. A value is text: never markup, never an address that is loaded.

import type { Json } from "@framerail/protocol";
import { placed } from "../app/placed.js";
import { FIELDS_MAX, ITEMS_MAX, VALUE_LENGTH_MAX } from "../limits.js";

export function ComponentCard({ type, values }: { readonly type: string; readonly values: readonly Json[] }) {
  return (
    <div className="card component">
      <h3>{type}</h3>
      {values.length === 0 && <p className="hint">Nothing in it.</p>}
      <ul>
        {placed(values.slice(0, ITEMS_MAX)).map(({ key, value }) => (
          <li key={key}>
            <Fields value={value} />
          </li>
        ))}
      </ul>
      {values.length > ITEMS_MAX && <p className="hint">{values.length - ITEMS_MAX} more are not shown.</p>}
    </div>
  );
}

function Fields({ value }: { readonly value: Json }) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return <p dir="auto">{shortText(value)}</p>;
  const fields = Object.entries(value);
  const title = fields.find(([name, field]) => /^(?:title|name|label)$/.test(name) && typeof field === "string");
  const rest = fields.filter((field) => field !== title);
  return (
    <>
      {title !== undefined && (
        <p className="title" dir="auto">
          {shortText(title[1] as Json)}
        </p>
      )}
      <dl>
        {rest.slice(0, FIELDS_MAX).map(([name, field]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{shortText(field as Json)}</dd>
          </div>
        ))}
      </dl>
      {rest.length > FIELDS_MAX && <p className="hint">{rest.length - FIELDS_MAX} more fields are not shown.</p>}
    </>
  );
}

/** D1 */
function shortText(value: Json): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}
