import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

export const root = join(import.meta.dirname, "..");

/** Short names that Node itself resolves: "#wire". */
const subpaths = (
  JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    imports: Record<string, string>;
  }
).imports;

const specifier =
  /(?:^|[;}\s])(?:import|export)\s[^;'"]*?from\s*["']([^"']+)["']|(?:^|[;}\s])import\s*["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']/g;

/** The imports of a file: paths from the root for the project's own files, names for packages. */
export function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  return [...text.matchAll(specifier)].map((found) => {
    const name = (found[1] ?? found[2] ?? found[3]) as string;
    if (name.startsWith("#")) return relative(root, join(root, subpaths[name] as string));
    return name.startsWith(".") ? relative(root, join(root, dirname(file), name)) : name;
  });
}
