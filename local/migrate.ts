import * as z from "zod";
import { migrate } from "../db/migrate.ts";
import { databaseUrl } from "../runtime/database-url.ts";
import { readSettings, settingsOrExit } from "../runtime/settings.ts";
import { dataDir, readRunning } from "./data-folder.ts";
import { messageOf } from "./problem.ts";

/** `npm run migrate`: migrates the database of DATABASE_URL or DATABASE_URL_FILE, or else the one running for DATA_DIR. */

const environment = z.object({ DATABASE_URL: databaseUrl.optional() });

const url = settingsOrExit(() => {
  const { DATABASE_URL } = readSettings(environment, process.env, ["DATABASE_URL"]);
  return DATABASE_URL ?? readRunning(dataDir())?.databaseUrl;
});

if (url === undefined) {
  process.stderr.write(
    "There is no database to migrate: set DATABASE_URL, or start the gateway (npm start) first.\n",
  );
  process.exitCode = 1;
} else {
  try {
    const applied = await migrate(url, (warning) => process.stderr.write(`${warning}\n`));
    for (const name of applied) process.stdout.write(`applied ${name}\n`);
    if (applied.length === 0) process.stdout.write("nothing to apply\n");
  } catch (error) {
    process.stderr.write(`The database could not be migrated: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}
