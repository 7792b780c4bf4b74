import type { Database } from "./client.ts";
import { sqlFiles } from "./migrations.ts";

const definition = /^create or replace function (\w+)\([\s\S]*?\bas \$\$([\s\S]*?)\$\$;$/gm;

/** Functions with another body in the database than in the files of this version; for a migrated database. */
export async function editedFunctions(db: Database): Promise<string[]> {
  const rows = await db.answer(
    db.sql<{ name: string; body: string }[]>`
      select proname as name, prosrc as body from pg_proc
      where pronamespace = current_schema()::regnamespace`,
  );
  const bodies = new Map(rows.map(({ name, body }) => [name, body]));
  return [...sqlFiles().functions.text.matchAll(definition)]
    .filter(([, name = "", body]) => bodies.get(name) !== body)
    .map(([, name = ""]) => name);
}
