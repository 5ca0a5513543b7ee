// The generated part of PROTOCOL.md: every type, field, code and limit of the contract, as Markdown.
// Owns: its sections and their order. Does not own: the prose around it, written by hand, and how a field is described
// (src/schema/reference.ts).

import { ERROR_CODES, FramerailError } from "../src/error.js";
import { explainCode } from "../src/explain-code.js";
import { envelopeFields, FRAME_GROUPS } from "../src/frame/define-frame.js";
import { CANCEL_CODES, cancellationSchema, failureSchema } from "../src/frame/failure.js";
import { describeFields, renderFieldTable, renderTable } from "../src/schema/reference.js";
import type { Schema } from "../src/schema/schema.js";
import { object } from "../src/schema/schema.js";
import type { Limit } from "./limits-table.js";
import type { Contract, Schemas } from "./published.js";
import { variantsOf } from "./published.js";

const GROUP_TITLES: { readonly [G in (typeof FRAME_GROUPS)[number]]: string } = {
  lifecycle: "Lifecycle and metadata",
  mcp: "MCP",
  tool: "Tool",
  content: "Content",
  component: "Component",
  status: "Status",
  terminal: "Terminal",
};

export function referencePage(contract: Contract, limits: readonly Limit[]): string {
  const sections = [
    "## Reference\n",
    frameSections(contract),
    `### Inner events (${countOf(contract.events)})\n`,
    typeSections(contract.events),
    `### Pipeline messages (${countOf(contract.pipelineMessages)})\n`,
    typeSections(contract.pipelineMessages),
    routeSection(contract),
    "### Universal agent events\n",
    typeSections(contract.agentEvents),
    "### Messages of the history\n",
    typeSections(contract.messages),
    codeSections(),
    limitSection(limits),
  ];
  return sections.join("\n");
}

function countOf(entries: object): number {
  return Object.keys(entries).length;
}

function frameSections({ version, frames, frameSets }: Contract): string {
  const envelope = describeFields(object(envelopeFields("", version))).map((row) =>
    row.path === "event_type" ? { ...row, type: "the name of the type" } : row,
  );
  const versions = Object.keys(frameSets).join(", ");
  return [
    `### Frames (${countOf(frames)})\n`,
    `The frames of wire version ${version}. Versions spoken: ${versions}. Every frame has the envelope:\n`,
    renderFieldTable(envelope),
    ...FRAME_GROUPS.map((group) => groupSection(group, frames)),
  ].join("\n");
}

function groupSection(group: (typeof FRAME_GROUPS)[number], frames: Contract["frames"]): string {
  const members = Object.entries(frames).filter(([, frame]) => frame.group === group);
  const parts = members.map(([type, frame]) => {
    const remark = frame.deprecated === undefined ? "" : ` **Deprecated.** ${frame.deprecated}`;
    const fields = renderFieldTable(describeFields(frame.payload));
    return `##### \`${type}\`\n\n${frame.says} Since ${frame.since}.${remark}\n\n${fields}`;
  });
  return [`#### ${GROUP_TITLES[group]} (${members.length})\n`, ...parts].join("\n");
}

function typeSections(schemas: Schemas): string {
  return Object.entries(schemas)
    .map(([name, schema]) => `#### \`${name}\`\n\n${introduce(schema)}${renderFieldTable(describeFields(schema))}`)
    .join("\n");
}

function introduce({ says }: Schema): string {
  return says === undefined ? "" : `${says}\n\n`;
}

const SILENT_ENDS = { complete: "completed", violation: "a violation" };

function routeSection({ routes }: Contract): string {
  const list = (entries: readonly string[]) => entries.map((entry) => `\`${entry}\``).join(", ") || "nothing";
  const rows = Object.entries(routes).map(([route, { prelude, streaming, silentEnd }]) => [
    `\`/${route}\``,
    list(prelude),
    list(streaming),
    SILENT_ENDS[silentEnd],
  ]);
  const head = ["route", "in the prelude", "while streaming", "an end without `eof` is"];
  return `### Pipeline routes (${rows.length})\n\nEvery route ends with one \`eof\`.\n\n${renderTable(head, rows)}`;
}

function codeSections(): string {
  const failures = Object.entries(variantsOf(failureSchema)).map(([code, { says = "" }]) => [code, "`error`", says]);
  const whoStopped = describeFields(cancellationSchema).find(({ path }) => path === "code")?.says ?? "";
  const cancels = CANCEL_CODES.map((code) => [code, "`cancelled`", whoStopped]);
  const thrown = ERROR_CODES.map((code) => [code, new FramerailError(code, "").retry, explainCode(code)]);
  const quoteFirst = ([code, ...rest]: readonly string[]) => [`\`${code}\``, ...rest];
  return [
    "### Error codes on the wire\n",
    renderTable(["`error.code`", "frame", "meaning"], [...failures, ...cancels].map(quoteFirst)),
    "### Error codes of the library\n",
    renderTable(["`code`", "`retry`", "meaning"], thrown.map(quoteFirst)),
  ].join("\n");
}

function limitSection(limits: readonly Limit[]): string {
  const rows = limits.map(({ name, value, says }) => [`\`${name}\``, value.toLocaleString("en-US"), says]);
  return `### Limits\n\n${renderTable(["name", "value", "what it bounds"], rows)}`;
}
