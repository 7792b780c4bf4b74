import type { FastifyBaseLogger } from "fastify";
import type { Redis } from "ioredis";
import { requireRedis } from "../runtime/redis/requirements.ts";
import { retryUntil } from "../runtime/retry.ts";
import type { Database } from "../db/client.ts";
import { checkDatabase, settingsWarning } from "../db/objection.ts";
import { isUnavailable } from "../db/retry.ts";

const pauseMs = 500;
/** A process that waits longer for a store says so. */
const patienceMs = 3000;

type Log = Pick<FastifyBaseLogger, "warn" | "fatal">;

/** Takes a step that waits for a store: a process may start before its stores do. The step may tell why it waits. */
export async function awaitStore<T>(
  name: "Redis" | "Postgres",
  log: Log,
  step: (tell: (reason: string) => void) => Promise<T>,
): Promise<T> {
  let reason = "";
  const silence = setTimeout(() => {
    log.warn(`The API waits for ${name}, and starts once it works.${reason}`);
  }, patienceMs);
  try {
    return await step((latest) => (reason = ` ${latest}`));
  } finally {
    clearTimeout(silence);
  }
}

/** Repeats a step that needs Postgres until Postgres answers. */
export const untilAnswered = <T>(
  step: () => Promise<T>,
  tell?: (reason: string) => void,
): Promise<T> =>
  retryUntil(step, {
    pauseMs,
    isOver(error) {
      if (!isUnavailable(error)) return true;
      tell?.(error.message);
      return false;
    },
  });

/**
 * Waits for Redis and Postgres. Ends the process when they cannot be used, or are configured so that calls would be
 * lost or fail.
 */
export async function requireStores(db: Database, redis: Redis, log: Log): Promise<void> {
  const refuse = (objection: string): never => {
    log.fatal(objection);
    process.exit(1);
  };
  const refused = (error: Error) => refuse(error.message);
  await awaitStore("Redis", log, () => requireRedis(redis, (warning) => log.warn(warning))).catch(
    refused,
  );
  const found = await awaitStore("Postgres", log, (tell) =>
    untilAnswered(() => checkDatabase(db), tell),
  ).catch(refused);
  if (found.objection !== undefined) refuse(found.objection);
  const settings = await settingsWarning(db).catch(() => undefined);
  for (const warning of [found.warning, settings]) if (warning !== undefined) log.warn(warning);
}
