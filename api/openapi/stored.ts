import { createHash } from "node:crypto";
import { glob, readFile, writeFile, rename } from "node:fs/promises";
import { join } from "node:path";

/**
 * The whole document, written at the build: deriving it takes a second of processor time, for which the first
 * caller of each process would wait. Its first line is the hash of the sources that it follows from.
 */

const root = join(import.meta.dirname, "..", "..");

export const storedFile = join(root, "client", "openapi.stored");

/** The document follows from these files. */
export const documentSources: readonly string[] = [
  "contract/**/*.{ts,json}",
  "api/openapi/*.ts",
  "package.json",
];

export interface Place {
  file: string;
  folder: string;
  sources: readonly string[];
}

const place: Place = { file: storedFile, folder: root, sources: documentSources };

/** By content: a copy or a checkout gives files other times. */
async function hashOf({ folder, sources }: Place): Promise<string> {
  const files: string[] = [];
  for await (const file of glob([...sources], { cwd: folder })) files.push(file);
  const hash = createHash("sha256");
  for (const file of files.toSorted())
    hash.update(`${file}\0`).update(await readFile(join(folder, file)));
  return hash.digest("hex");
}

export async function storeDocument(text: string, at: Place = place): Promise<void> {
  // Two builds may run at once.
  const part = `${at.file}.${process.pid}`;
  await writeFile(part, `${await hashOf(at)}\n${text}`);
  await rename(part, at.file);
}

/** Undefined where no build has written it, or a source has changed since. */
export async function storedDocument(at: Place = place): Promise<string | undefined> {
  const stored = await readFile(at.file, "utf8").catch(() => undefined);
  if (stored === undefined) return undefined;
  const end = stored.indexOf("\n");
  return stored.slice(0, end) === (await hashOf(at)) ? stored.slice(end + 1) : undefined;
}
