import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "../contract/index.ts";

/** The lines of mappings that read a field of an upstream's answer, found in the sources that run here. */

const root = join(import.meta.dirname, "..");
const mostLines = 3;
const mostNamed = 12;

/** Sources do not change while a process runs: files by folder, lines by file. */
const listed = new Map<string, string[]>();
const read = new Map<string, string[]>();

/** The sources below a folder of the project, without samples; none where there is no such folder. */
function filesOf(folder: string): string[] {
  const known = listed.get(folder);
  if (known) return known;
  const path = join(root, folder);
  const files = existsSync(path) ? readdirSync(path, { encoding: "utf8", recursive: true }) : [];
  const found = files
    .filter((file) => file.endsWith(".ts") && !file.split("/").includes("samples"))
    .map((file) => `${folder}/${file}`)
    .toSorted();
  listed.set(folder, found);
  return found;
}

function linesOf(file: string): string[] {
  const known = read.get(file) ?? readFileSync(join(root, file), "utf8").split("\n");
  read.set(file, known);
  return known;
}

/** `file:line` of the area's and the upstream's code that names the last member of `path`; none for a frequent name. */
export function linesThatRead(operation: string, upstream: string, path: string): string[] {
  const name = path.split(".").at(-1)?.replaceAll("[]", "") ?? "";
  const area = operations.get(operation)?.area;
  if (!/^\w+$/.test(name) || area === undefined) return [];
  const named = new RegExp(`(\\.|\\b["'])${name}\\b|"${name}"|\\b${name}[,:}]`);
  const found = [`worker/areas/${area}`, `worker/upstreams/${upstream}`]
    .flatMap(filesOf)
    .flatMap((file) =>
      linesOf(file).flatMap((line, index) => (named.test(line) ? [`${file}:${index + 1}`] : [])),
    );
  const mappings = found.filter((line) => line.includes(".map.ts"));
  const lines = mappings.length > 0 ? mappings : found;
  // A name such as "id" stands in too many lines to point at one.
  return lines.length > mostNamed ? [] : lines.slice(0, mostLines);
}
