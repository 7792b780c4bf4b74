import type { FastifyInstance } from "fastify";
import { farMs, skewText } from "../contract/clock.ts";
import { queuePrefix } from "../contract/job.ts";
import { pools } from "../contract/operation.ts";
import type { Database } from "../db/client.ts";
import type { Dispatcher } from "./queue/dispatch.ts";
import { commonHeaders } from "./reply.ts";

/** Open to everyone; says nothing that a stranger should not know. */
export function addHealth(
  app: FastifyInstance,
  parts: { db: Database; dispatcher: Dispatcher; draining(): boolean },
): void {
  app.get("/health/live", { exposeHeadRoute: true, config: { open: true } }, (request, reply) =>
    reply.headers(commonHeaders(request.id)).send(JSON.stringify({ status: "live" })),
  );

  // Ready means able to take calls; a pool without workers answers 503 for its own operations only.
  app.get(
    "/health/ready",
    { exposeHeadRoute: true, config: { open: true } },
    async (request, reply) => {
      const [database, redis] = await Promise.all([
        parts.db.answer(parts.db.sql`select 1`).then(
          () => true,
          () => false,
        ),
        // One that only answers may be a replica, or full.
        parts.dispatcher.redis.set(`${queuePrefix}:ready`, 1, "PX", 60_000).then(
          () => true,
          () => false,
        ),
      ]);
      const ready = database && redis && !parts.draining();
      const workers = Object.fromEntries(
        pools.map((pool) => [pool, parts.dispatcher.stateOf(pool).workers]),
      );
      const { skewMs } = parts.dispatcher;
      return reply
        .code(ready ? 200 : 503)
        .headers(commonHeaders(request.id))
        .send(
          JSON.stringify({
            status: ready ? "ready" : parts.draining() ? "draining" : "not ready",
            database,
            redis,
            workers,
            clock_skew_seconds: Math.round(skewMs / 100) / 10,
            // Calls work all the same, so it is no reason to send them elsewhere.
            ...(Math.abs(skewMs) > farMs
              ? { warning: `The clock of this machine is ${skewText(skewMs, "redis")}` }
              : {}),
          }),
        );
    },
  );
}
