import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { oneConnection } from "../../db/address.ts";
import { type OwnDatabase, emptyDatabase } from "../database.ts";

/**
 * What `npm run migrate` of commit 8d894b3 makes, as pg_dump writes it: the schema, with its functions, and the
 * rows of `migrations`. Compressed, so that a search for a function finds the one of today.
 */
const dump = new URL("release-8d894b3.sql.gz", import.meta.url);

/** A database of the last release whose migrations this one does not have. */
export async function formerDatabase(): Promise<OwnDatabase> {
  const database = await emptyDatabase();
  const sql = oneConnection(database.url, 10);
  try {
    await sql.unsafe(gunzipSync(readFileSync(dump)).toString("utf8")).simple();
  } finally {
    await sql.end();
  }
  return database;
}
