import { distance } from "./field-selection.ts";

/** Longer names are not compared, so that a caller cannot choose how much time this takes. */
const longestCompared = 60;

/** Names that differ from a misspelt one in a few letters, the closest first. */
export function nearNames(names: readonly string[], misspelt: string, most = 3): string[] {
  if (misspelt.length > longestCompared) return [];
  // Two letters that changed places differ by two.
  const mostApart = Math.min(4, Math.max(2, Math.floor(misspelt.length / 4)));
  return names
    .filter((name) => Math.abs(name.length - misspelt.length) <= mostApart)
    .map((name) => ({ name, far: distance(name, misspelt) }))
    .filter(({ far }) => far <= mostApart)
    .toSorted((one, other) => one.far - other.far)
    .slice(0, most)
    .map(({ name }) => name);
}
