import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { Redis } from "ioredis";
import { requireRedis } from "../runtime/redis/requirements.ts";
import type { Database } from "../db/client.ts";
import { checkDatabase, settingsWarning } from "../db/objection.ts";

const pauseMs = 500;

/**
 * Ends the process when Redis or Postgres are configured so that calls would be lost or fail. A database that
 * is away is not refused: the API starts, is not ready, and checks again until it answers.
 */
export async function refuseWrongStores(
  db: Database,
  redis: Redis,
  log: FastifyBaseLogger,
): Promise<void> {
  const refuse = (objection: string): never => {
    log.fatal(objection);
    process.exit(1);
  };
  await requireRedis(
    () => redis.info(),
    () => sleep(pauseMs),
    (warning) => log.warn(warning),
  ).catch((error: Error) => refuse(error.message));
  const check = async (): Promise<boolean> => {
    const found = await checkDatabase(db).catch(() => "away" as const);
    if (found === "away") return false;
    if (found.objection !== undefined) refuse(found.objection);
    const settings = await settingsWarning(db).catch(() => undefined);
    for (const warning of [found.warning, settings]) if (warning !== undefined) log.warn(warning);
    return true;
  };
  if (await check()) return;
  void (async () => {
    do await sleep(pauseMs, undefined, { ref: false });
    while (!(await check()));
  })();
}
