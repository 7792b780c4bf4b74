import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

export interface Migration {
  name: string;
  text: string;
  sha256: string;
  /** Number of the migration that a process must know to use the database once this one is applied. */
  compatibleFrom: number;
}

/** The SQL of a version: its migrations in order, and all its functions under one name. */
export interface SqlFiles {
  migrations: Migration[];
  functions: Migration;
}

const sqlFolder = new URL("./", import.meta.url);

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** `-- compatible from 0023` closes the database to processes that do not know migration 0023. */
export const migration = (name: string, text: string): Migration => ({
  name,
  text,
  sha256: sha256(text),
  compatibleFrom: Number(/^-- compatible from (\d{4})$/m.exec(text)?.[1] ?? 0),
});

export const numberOf = (name: string): number => Number.parseInt(name, 10);

function filesOf(folder: URL): { name: string; text: string }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => ({ name, text: readFileSync(new URL(name, folder), "utf8") }));
}

/** The files of a folder with `migrations/` and `functions/`. */
export function sqlFiles(folder: URL = sqlFolder): SqlFiles {
  const functions = filesOf(new URL("functions/", folder)).map(({ text }) => text);
  return {
    migrations: filesOf(new URL("migrations/", folder)).map(({ name, text }) =>
      migration(name, text),
    ),
    functions: { ...migration("functions", functions.join("\n")), compatibleFrom: 0 },
  };
}
