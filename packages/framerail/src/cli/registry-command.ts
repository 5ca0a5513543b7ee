// `framerail registry …`: the status catalogue's gates, for continuous integration and for people.
// Owns: arguments and output. Does not own: any judgement (registry/).
//   R1. What a program reads is on stdout and nothing else is; with --json it is one JSON document.
//   R2. A registry with errors fails every command: a list or a type file that silently lacks entries is worse than none.
//   R3. A problem is one line, and nothing that a file says commands the terminal that shows it.

import { writeFileSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Command } from "commander";
import { checkRegistry } from "../registry/check-registry.js";
import { describeEntries, generateCodeowners } from "../registry/describe-registry.js";
import type { LoadedRegistry } from "../registry/load-registry.js";
import { loadRegistry } from "../registry/load-registry.js";
import type { Problem } from "../registry/problem.js";
import { codeOf } from "../registry/read-yaml.js";
import { generateStatusTypes } from "../registry/registry-types.js";
import type { LocaleOption } from "./locale-option.js";
import { LOCALE_OPTION } from "./locale-option.js";
import { toOneLine } from "./terminal/strip-controls.js";
import type { Terminal } from "./terminal.js";
import { alignColumns } from "./terminal.js";

const DIR_SAYS = "folder with platform/, verticals/ and locales/";

export function addRegistryCommand(program: Command, terminal: Terminal): void {
  const registry = program
    .command("registry")
    .description("check, list and publish the catalogue of status events")
    .addHelpText("after", example("framerail registry check examples/registry"));
  registry
    .command("check")
    .description("find every error in the fragments and locales")
    .argument("<dir>", DIR_SAYS)
    .option("--json", "print {ok, errors, warnings} as JSON")
    .option(...LOCALE_OPTION)
    .addHelpText("after", example("framerail registry check examples/registry --json"))
    .action((dir: string, options: LocaleOption & { json?: true }) => runCheck(terminal, dir, options));
  registry
    .command("list")
    .description("list the entries with their policy, emitters and owner")
    .argument("<dir>", DIR_SAYS)
    .option("--json", "print the rows as JSON")
    .option(...LOCALE_OPTION)
    .addHelpText("after", example("framerail registry list examples/registry"))
    .action((dir: string, options: LocaleOption & { json?: true }) => runList(terminal, dir, options));
  registry
    .command("types")
    .description("write the type declarations that make an unknown status id a compile error")
    .argument("<dir>", DIR_SAYS)
    .option("--out <file>", "write to this file instead of stdout")
    .option(...LOCALE_OPTION)
    .addHelpText("after", example("framerail registry types examples/registry --out src/status-ids.d.ts"))
    .action((dir: string, options: LocaleOption & { out?: string }) => runTypes(terminal, dir, options));
  registry
    .command("owners")
    .description("print a CODEOWNERS template, seen from the current folder")
    .argument("<dir>", DIR_SAYS)
    .option("--org <name>", "organisation of the owners that are team names", "your-org")
    .option(...LOCALE_OPTION)
    .addHelpText("after", example("framerail registry owners examples/registry --org acme >> .github/CODEOWNERS"))
    .action((dir: string, options: LocaleOption & { org: string }) => runOwners(terminal, dir, options));
}

function example(line: string): string {
  return `\nExample:\n  ${line}\n`;
}

function runCheck(terminal: Terminal, dir: string, options: LocaleOption & { json?: true }): void {
  const loaded = loadRegistry(dir, options);
  const check = checkRegistry(loaded);
  if (!check.ok) terminal.fail();
  if (options.json) {
    terminal.out(`${JSON.stringify(check, null, 2)}\n`);
    return;
  }
  const { fragments, registry } = loaded;
  const counts = [
    count(registry.entries.size, "id"),
    count(fragments.length, "fragment"),
    count(registry.locales.size, "locale"),
    count(check.errors.length, "error"),
    count(check.warnings.length, "warning"),
  ];
  terminal.out(showProblems("error", check.errors) + showProblems("warning", check.warnings));
  terminal.out(`${check.ok ? "ok" : "failed"}: ${counts.join(", ")}\n`);
}

function runList(terminal: Terminal, dir: string, options: LocaleOption & { json?: true }): void {
  const loaded = loadSound(terminal, dir, options);
  if (loaded === undefined) return;
  const rows = describeEntries(loaded);
  if (options.json) {
    terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const header = ["ID", "POLICY", "EMITTERS", "OWNER", "LIFECYCLE", "FILE"];
  const cells = rows.map((row) => [row.id, row.policy, row.emitters.join(","), row.owner, row.lifecycle, row.file]);
  terminal.out(alignColumns([header, ...cells]));
}

function runTypes(terminal: Terminal, dir: string, options: LocaleOption & { out?: string }): void {
  const loaded = loadSound(terminal, dir, options);
  if (loaded === undefined) return;
  const text = generateStatusTypes(loaded.registry);
  if (options.out === undefined) {
    terminal.out(text);
    return;
  }
  try {
    writeFileSync(options.out, text);
  } catch (error) {
    terminal.err(`error: ${options.out} cannot be written (${codeOf(error)})\n`);
    terminal.fail();
  }
}

function runOwners(terminal: Terminal, dir: string, options: LocaleOption & { org: string }): void {
  const loaded = loadSound(terminal, dir, options);
  if (loaded === undefined) return;
  const folder = relative(process.cwd(), resolve(dir)).split(sep).join("/");
  // Seen from outside its repository, a registry's place in it is not known: then it is taken for the root.
  const isInside = !isAbsolute(folder) && folder.split("/")[0] !== "..";
  terminal.out(generateCodeowners(loaded, { folder: isInside ? folder : "", org: options.org }));
}

/** The registry, or nothing after its errors were shown [R2]. */
function loadSound(terminal: Terminal, dir: string, options: LocaleOption): LoadedRegistry | undefined {
  const loaded = loadRegistry(dir, options);
  const { ok, errors } = checkRegistry(loaded);
  if (ok) return loaded;
  terminal.err(showProblems("error", errors));
  terminal.fail();
  return undefined;
}

function showProblems(kind: "error" | "warning", problems: readonly Problem[]): string {
  return problems
    .map(({ file, line, id, rule, message }) => {
      const about = id === null ? "" : `${id}: `;
      return `${toOneLine(`${file}:${line}: ${kind} ${rule}: ${about}${message}`)}\n`;
    })
    .join("");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
