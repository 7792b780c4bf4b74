import type { FastifyBaseLogger } from "fastify";
import type { Redis } from "ioredis";
import { awaitStore } from "../runtime/await-store.ts";
import { requireRedis } from "../runtime/redis/requirements.ts";
import { retryUntil } from "../runtime/retry.ts";
import type { Database } from "../db/client.ts";
import { checkDatabase, settingsWarning } from "../db/objection.ts";
import { isUnavailable } from "../db/retry.ts";

const pauseMs = 500;
type Log = Pick<FastifyBaseLogger, "warn" | "fatal">;

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
  const warn = (message: string) => log.warn(message);
  await awaitStore({ process: "API", store: "Redis", warn }, () => requireRedis(redis, warn)).catch(
    refused,
  );
  const found = await awaitStore({ process: "API", store: "Postgres", warn }, (tell) =>
    untilAnswered(() => checkDatabase(db), tell),
  ).catch(refused);
  if (found.objection !== undefined) refuse(found.objection);
  const settings = await settingsWarning(db).catch(() => undefined);
  for (const warning of [found.warning, settings]) if (warning !== undefined) warn(warning);
}
