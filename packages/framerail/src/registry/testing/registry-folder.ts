// Registry folders for tests: real files in a temporary folder, gone after the test.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const REPOSITORY = fileURLToPath(new URL("../../../../../", import.meta.url));

/** The registry that this repository shows to its readers. */
export const EXAMPLE = join(REPOSITORY, "examples/registry");

export type Files = Readonly<Record<string, string | Uint8Array>>;

export function writeFolder(files: Files): string {
  const dir = mkdtempSync(join(tmpdir(), "framerail-registry-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [file, content] of Object.entries(files)) writeInto(dir, file, content);
  return dir;
}

export function writeInto(dir: string, file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(dir, file)), { recursive: true });
  writeFileSync(join(dir, file), content);
}

/** An entry of a fragment: six lines, the id in the first. A field given as undefined is left out. */
export function entryText(id: string, changed: Readonly<Record<string, string | undefined>> = {}): string {
  const fields: Record<string, string | undefined> = {
    id,
    description: `Says ${id}`,
    default_render_key: `status.${id}`,
    default_policy: "transform",
    emitter_subagents: "[shop]",
    lifecycle: "active",
    ...(changed.lifecycle === "deprecated" && { deprecation: '{ since: 2026-05-15, note: "write something else" }' }),
    ...changed,
  };
  const lines = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `- ${lines.join("\n  ")}\n`;
}

/** A locale file with a sentence for each id. */
export function localeText(ids: readonly string[], sentence = (id: string) => `Doing ${id}`): string {
  return `status:\n${ids.map((id) => `  ${id}: ${JSON.stringify(sentence(id))}\n`).join("")}`;
}

/** A sound registry: the ids, by fragment, with English sentences. */
export function soundFiles(fragments: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  const files: Record<string, string> = {
    "locales/en.yaml": localeText([...new Set(Object.values(fragments).flat())]),
  };
  for (const [folder, ids] of Object.entries(fragments))
    files[`${folder}/status_events.yaml`] = ids.map((id) => entryText(id)).join("");
  return files;
}
