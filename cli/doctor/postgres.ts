import { audit } from "../../db/audit.ts";
import { connect } from "../../db/client.ts";
import type { Database } from "../../db/client.ts";
import { editedFunctions } from "../../db/edited-functions.ts";
import { checkDatabase, settingsWarning, oldestPostgres } from "../../db/objection.ts";
import { postgresVersion } from "../../local/postgres.ts";
import { describe } from "../problem.ts";
import { examined, fail, ok, warn } from "./check.ts";
import type { Check } from "./check.ts";

const shownViolations = 3;

async function checkMigrations(db: Database): Promise<Check> {
  const { objection, warning } = await checkDatabase(db);
  if (objection !== undefined) return fail("migrations", objection);
  if (warning !== undefined) return warn("migrations", warning);
  const edited = await editedFunctions(db);
  return edited.length === 0
    ? ok("migrations", "None is pending.")
    : warn(
        "migrations",
        `None is pending, but ${edited.join(", ")} was edited in the database; \`migrate\` leaves that so until the files in db/functions change.`,
      );
}

async function checkLedger(db: Database): Promise<Check> {
  const violations = await audit(db);
  if (violations.length === 0) return ok("ledger", "Everything in the books adds up.");
  const shown = violations
    .slice(0, shownViolations)
    .map(({ rule, subject, detail }) => `${subject}: ${rule} (${detail})`);
  const message = `${violations.length} entries do not add up; find the cause before you correct any by hand: ${shown.join("; ")}.`;
  return fail("ledger", message);
}

export async function checkPostgres(url: string): Promise<Check[]> {
  let version: string;
  try {
    version = await postgresVersion(url);
  } catch (error) {
    return [fail("postgres", `Postgres does not answer (${describe(error).message}).`)];
  }
  if (Number.parseInt(version, 10) < oldestPostgres)
    return [
      fail("postgres", `Version ${version} is too old: ${oldestPostgres} or later is needed.`),
    ];
  const checks = [ok("postgres", `Postgres answers, version ${version}.`)];
  const db = connect(url, { max: 1, name: "gateway doctor", statementTimeoutMs: 60_000 });
  try {
    const migrations = await examined("migrations", async () => [await checkMigrations(db)]);
    const current = migrations.every(({ verdict }) => verdict !== "fail");
    const ledger = current
      ? await examined("ledger", async () => [await checkLedger(db)])
      : [warn("ledger", "The ledger was not checked: migrate first.")];
    const warning = await settingsWarning(db).catch(() => undefined);
    const settings = warning === undefined ? [] : [warn("postgres settings", warning)];
    return [...checks, ...settings, ...migrations, ...ledger];
  } finally {
    await db.close();
  }
}
