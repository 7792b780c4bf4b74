import { DatabaseError } from "../db/errors.ts";
import { SettingsError } from "../runtime/settings.ts";
import { LocalProblem, messageOf } from "../local/problem.ts";

/** The error of a command, as `--json` shows it; the message has one or two sentences. */
export interface Described {
  type: string;
  message: string;
}

/** An error that the person at the terminal can fix. */
export class CliProblem extends Error {
  readonly type: string;

  constructor(type: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CliProblem";
    this.type = type;
  }
}

/** SQLSTATEs of errors that the person at the terminal can fix. */
const fixable: Record<string, string> = {
  "28P01": "Postgres refuses the password in DATABASE_URL.",
  "28000": "Postgres refuses the user in DATABASE_URL.",
  "3D000": "Postgres has no database of the name in DATABASE_URL: create it first.",
  "42P01": "The database has not been migrated: run `npm run -s gateway -- migrate`.",
  "42883": "The database has not been migrated: run `npm run -s gateway -- migrate`.",
  "42501": "The user in DATABASE_URL may not do this in the database.",
  "42703": "The database has not been migrated: run `npm run -s gateway -- migrate`.",
};

/** The SQLSTATE of the innermost cause: drizzle wraps the driver's error. */
function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return sqlState(error.cause) ?? code;
}

export function describe(error: unknown): Described {
  if (error instanceof CliProblem) return { type: error.type, message: error.message };
  if (error instanceof DatabaseError) {
    if (error.code !== "unavailable") return { type: error.code, message: error.message };
    const fix = fixable[sqlState(error.cause) ?? ""];
    if (fix !== undefined) return { type: "database", message: fix };
    const message = `${error.message} Is Postgres running, and is DATABASE_URL right?`;
    return { type: error.code, message };
  }
  if (error instanceof LocalProblem || error instanceof SettingsError)
    return { type: "setup", message: error.message };
  const fix = fixable[sqlState(error) ?? ""];
  if (fix !== undefined) return { type: "database", message: fix };
  return { type: "internal_error", message: messageOf(error).split("\n")[0] ?? "" };
}
