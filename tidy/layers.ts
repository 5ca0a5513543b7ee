// Checks every import of every package against the tables in arrows.ts.
//   L1. A file imports only what the row of its folder names; what has no row may not exist.
//   L2. A package is entered by its doors, never by a path into its folders.
//   L3. Sources do not import test code; tests may import anything of their package.
//   L4. No file imports itself by way of others.

import { posix } from "node:path";
import type { PackageArrows } from "./arrows.js";
import { ARROWS } from "./arrows.js";
import type { Finding } from "./finding.js";
import type { Import } from "./syntax.js";
import { importsOf } from "./syntax.js";
import type { Tree } from "./tree.js";
import { isCode, isTestCode } from "./tree.js";

interface Importer {
  readonly path: string;
  readonly packageName: string;
  readonly arrows: PackageArrows;
  /** The row of the table it belongs to. */
  readonly unit: string;
  readonly isTest: boolean;
}

export function checkLayers(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [path, text] of tree) {
    const packageName = /^packages\/([^/]+)\/src\//.exec(path)?.[1];
    if (packageName === undefined || !isCode(path)) continue;
    const arrows = ARROWS[packageName];
    // A test of the package as a whole stands beside the folders, in none of them.
    const unit = arrows && (findUnit(arrows, path) ?? (isTestCode(path) ? "" : undefined));
    if (arrows === undefined || unit === undefined) {
      findings.push({
        file: path,
        line: 1,
        rule: "layers",
        says: "has no row in tidy/arrows.ts: decide what it may import",
      });
      continue;
    }
    const importer = { path, packageName, arrows, unit, isTest: isTestCode(path) };
    for (const line of importsOf(path, text)) {
      const says = line.specifier.startsWith(".") ? judgeInside(importer, line) : judgeOutside(importer, line);
      if (says !== undefined) findings.push({ file: path, line: line.line, rule: "layers", says });
    }
  }
  return findings;
}

/** The longest row of the table that the path is in: a driver's folder has a row of its own. */
function findUnit({ folders }: PackageArrows, path: string): string | undefined {
  const inside = path.split("/").slice(3).join("/");
  const rows = Object.keys(folders).filter((row) => inside.startsWith(`${row}/`) || stemOf(inside) === row);
  if (rows.length > 0) return rows.reduce((best, row) => (row.length > best.length ? row : best));
  return "*" in folders ? (inside.split("/")[0] ?? "*") : undefined;
}

// `index.test.ts` beside `index.ts` belongs to the same row.
function stemOf(path: string): string {
  return path.replace(/(?:\.(?:test|long))?\.[a-z]+$/, "");
}

function judgeInside(importer: Importer, { specifier }: Import): string | undefined {
  const { packageName, arrows, unit } = importer;
  const target = resolveImport(importer.path, specifier);
  const home = `packages/${packageName}/`;
  if (!target.startsWith(home)) return `${specifier} leaves the package: import the other one by its name`;
  if (importer.isTest) return undefined;
  if (!target.startsWith(`${home}src/`)) return `${specifier} is not a source: a source imports only sources`;
  if (isTestCode(target)) return `${specifier} is test code: a source imports only sources`;
  const to = findUnit(arrows, target);
  if (to === undefined) return `${specifier} has no row in tidy/arrows.ts`;
  const allowed = arrows.folders[unit] ?? arrows.folders["*"] ?? [];
  if (to === unit || allowed.includes(to) || allowed.includes("*")) return undefined;
  return `${unit} may not import ${to} (${specifier}); it may import ${listOf(allowed)} (tidy/arrows.ts)`;
}

function judgeOutside({ packageName, arrows, unit, isTest }: Importer, { specifier }: Import): string | undefined {
  const workspace = /^(?:@framerail\/([^/]+)|(framerail))(?:\/|$)/.exec(specifier);
  const other = workspace?.[1] ?? workspace?.[2];
  if (isTest && (other === undefined || other === packageName)) return undefined;
  const allowed = [...(arrows.outside["*"] ?? []), ...(arrows.outside[unit] ?? [])];
  if (!allowed.some((pattern) => pattern.test(specifier)))
    return `${packageName}/${unit} may not import ${specifier} (tidy/arrows.ts)`;
  if (other !== undefined && !ARROWS[other]?.doors.includes(specifier))
    return `${specifier} is not a door; ${other} is entered by ${listOf(ARROWS[other]?.doors ?? [])}`;
  return undefined;
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? "nothing" : names.join(", ");
}

function resolveImport(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier).replace(/\.(m?)js(x?)$/, ".$1ts$2");
}

/** Cycles between files, each named once, at the import that closes it. */
export function checkCycles(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  const done = new Set<string>();
  const open: string[] = [];
  const visit = (path: string): void => {
    open.push(path);
    for (const { specifier, line } of importsOf(path, tree.get(path) ?? "")) {
      if (!specifier.startsWith(".")) continue;
      const target = [resolveImport(path, specifier), posix.join(posix.dirname(path), specifier)].find((file) =>
        tree.has(file),
      );
      if (target === undefined || !isCode(target) || done.has(target)) continue;
      const since = open.indexOf(target);
      if (since === -1) visit(target);
      else
        findings.push({
          file: path,
          line,
          rule: "cycles",
          says: `closes ${[...open.slice(since), target].join(" → ")}`,
        });
    }
    open.pop();
    done.add(path);
  };
  for (const path of tree.keys()) if (isCode(path) && !done.has(path)) visit(path);
  return findings;
}
