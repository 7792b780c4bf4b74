import * as fs from "node:fs";
import { join } from "node:path";
import { run } from "./process.ts";

export const localAccount = "local";

export interface FirstKeys {
  live: string;
  test: string;
}

/**
 * The keys of the account `local` if this start created them, or else undefined. The file `marker` records
 * that the database has them; without a marker the database is queried every time.
 */
export async function firstKeys(
  databaseUrl: string,
  pepper: string,
  marker: string | undefined,
): Promise<FirstKeys | undefined> {
  if (marker !== undefined && fs.existsSync(marker)) return undefined;
  const { ok, stdout, output } = await run({
    argv: [process.execPath, join(import.meta.dirname, "first-account.ts")],
    env: { ...process.env, DATABASE_URL: databaseUrl, KEY_PEPPER: pepper },
  });
  if (!ok) throw new Error(`The first account could not be created: ${output}`);
  if (marker !== undefined) fs.writeFileSync(marker, "");
  return (JSON.parse(stdout) as FirstKeys | null) ?? undefined;
}
