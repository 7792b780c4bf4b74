import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
/** Texts in quotes, and the names of members, with which mappings compare what they read. */
const literals = [/"([^"\\\n]{1,40})"/g, /\b(\w{2,40})\??:/g];

/** The values that the code of an area, of the upstreams and of the contract names. */
export function vocabularyOf(area: string): ReadonlySet<string> {
  const files = globSync(`{worker/areas/${area},worker/upstreams,contract/areas/${area}}/**/*.ts`, {
    cwd: root,
    exclude: ["**/samples/**"],
  });
  const found = new Set<string>();
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    for (const rule of literals) {
      for (const [, literal] of text.matchAll(rule)) found.add(literal as string);
    }
  }
  return found;
}
