import { userInfo } from "node:os";
import * as address from "../runtime/redis/address.ts";
import * as database from "../runtime/database-url.ts";
import { settingOf } from "../runtime/settings.ts";
import type { Actor } from "../db/changes.ts";
import { connect } from "../db/client.ts";
import type { Database } from "../db/client.ts";
import { dataDir, readRunning, readSecrets } from "../local/data-folder.ts";
import { LocalProblem } from "../local/problem.ts";
import { CliProblem } from "./problem.ts";

/** The system that a command works on. */
export interface System {
  databaseUrl: string;
  redisUrl: string | undefined;
  /** The pepper with which the API hashes keys; undefined where only the API knows it. */
  keyPepper: string | undefined;
}

/** The operator, for the log of changes. */
function who(): string {
  try {
    return userInfo().username;
  } catch {
    return "command line";
  }
}

export const actor = (why?: string): Actor => ({ who: who(), via: "command line", why });

/** The API refuses to start with a shorter pepper. */
const pepperLength = 32;

function fromFolder(dir: string) {
  try {
    return { running: readRunning(dir), secrets: readSecrets(dir) };
  } catch (error) {
    if (error instanceof LocalProblem) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new CliProblem(
      "setup",
      `The data folder ${dir} cannot be read (${code}): use the account that started the gateway.`,
      { cause: error },
    );
  }
}

function checked(
  name: string,
  value: string | undefined,
  schema: typeof address.redisUrl,
): string | undefined {
  if (value === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return value;
  // The value itself may hold a password.
  throw new CliProblem("setup", `${name} is invalid: ${parsed.error.issues[0]?.message}.`);
}

/**
 * Finds the system through DATABASE_URL (with REDIS_URL and KEY_PEPPER, or the same with `_FILE`), or else
 * the one that runs in DATA_DIR. Throws CliProblem when there is none.
 */
export function findSystem(env: NodeJS.ProcessEnv = process.env): System {
  const dir = dataDir(env);
  const configured = checked("DATABASE_URL", settingOf(env, "DATABASE_URL"), database.databaseUrl);
  const { running, secrets } = fromFolder(dir);
  const databaseUrl = configured ?? running?.databaseUrl;
  if (databaseUrl === undefined) {
    throw new CliProblem(
      "not_running",
      `No gateway is running in ${dir}: start it with npm start, or name another one in DATA_DIR or DATABASE_URL.`,
    );
  }
  // With another database, the addresses and secrets of this folder belong to another system.
  const own = running?.databaseUrl === databaseUrl;
  const redisUrl = checked("REDIS_URL", settingOf(env, "REDIS_URL"), address.redisUrl);
  const keyPepper = settingOf(env, "KEY_PEPPER");
  return {
    databaseUrl,
    redisUrl: redisUrl ?? (own ? running?.redisUrl : undefined),
    keyPepper: keyPepper ?? (own || env["DATA_DIR"] ? secrets?.keyPepper : undefined),
  };
}

/** The pepper for new keys; throws CliProblem where it is unknown. */
export function pepperOf(system: System): string {
  if (system.keyPepper === undefined) {
    throw new CliProblem(
      "setup",
      "KEY_PEPPER is not set: a key works only with the pepper of the API that accepts it.",
    );
  }
  if (system.keyPepper.length < pepperLength) {
    throw new CliProblem(
      "setup",
      `KEY_PEPPER is shorter than ${pepperLength} characters, so it cannot be the pepper of an API.`,
    );
  }
  return system.keyPepper;
}

/** A person at a terminal prefers to wait for a slow database. */
const patienceMs = 10_000;

/** Connects to the system's database while `use` runs. */
export async function withDatabase<T>(
  use: (db: Database, system: System) => Promise<T>,
  system: System = findSystem(),
): Promise<T> {
  const db = connect(system.databaseUrl, { max: 1, name: "gateway cli", patienceMs });
  try {
    return await use(db, system);
  } finally {
    await db.close();
  }
}
