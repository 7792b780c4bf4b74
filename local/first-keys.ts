import * as fs from "node:fs";
import { join } from "node:path";
import { run } from "./process.ts";

export const localAccount = "local";

export interface FirstKeys {
  live: string;
  test: string;
}

/**
 * Keys of the account `local` when this start made them, otherwise undefined. `marker` is a file
 * that says the database has them; without one it is asked every time.
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
  if (!ok) throw new Error(`The first account could not be made: ${output}`);
  if (marker !== undefined) fs.writeFileSync(marker, "");
  return (JSON.parse(stdout) as FirstKeys | null) ?? undefined;
}
