import type { Database } from "./client.ts";
import { sqlFiles } from "./migrations.ts";

const written = /^create or replace function (\w+)\([\s\S]*?\bas \$\$([\s\S]*?)\$\$;$/gm;

/** Functions that the database does not have as the files of this version do, though it has had those. */
export async function editedFunctions(db: Database): Promise<string[]> {
  const rows = await db.answer(
    db.sql<{ name: string; body: string }[]>`
      select proname as name, prosrc as body from pg_proc
      where pronamespace = current_schema()::regnamespace`,
  );
  const bodies = new Map(rows.map(({ name, body }) => [name, body]));
  return [...sqlFiles().functions.text.matchAll(written)]
    .filter(([, name = "", body]) => bodies.get(name) !== body)
    .map(([, name = ""]) => name);
}
