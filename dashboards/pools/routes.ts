import type { FastifyInstance } from "fastify";
import type { Redis } from "ioredis";
import { operations } from "../../contract/index.ts";
import { type Pool, pools } from "../../contract/operation.ts";
import type { Database } from "../../db/client.ts";
import { framed, note } from "../frame.ts";
import { missingPage, nearPoolPages } from "../missing.ts";
import type { Queues } from "../state.ts";
import { poolPage } from "./page.ts";
import { readPoolPage } from "./read.ts";

/** `/pools/:pool` and `/pools/:pool/:operation`: the pages that explain a slow pool or operation. */
export function addPools(
  app: FastifyInstance,
  stores: { redis: Redis; db: Database | undefined; queues: Queues },
): void {
  app.get<{ Params: { pool: string; operation?: string } }>(
    "/pools/:pool/:operation?",
    async (request, reply) => {
      const { pool, operation } = request.params;
      void reply.type("text/html");
      const known =
        pools.includes(pool as Pool) &&
        (operation === undefined || operations.get(operation)?.pool === pool);
      if (!known) {
        const problem = "There is no such pool, or it has no such operation.";
        return reply.code(404).send(missingPage("Pools", problem, nearPoolPages(pool, operation)));
      }
      try {
        return await reply.send(
          poolPage(await readPoolPage(stores, { pool: pool as Pool, operation })),
        );
      } catch (error) {
        request.log.warn({ reason: (error as Error).message }, "a pool could not be read");
        const body = note("Redis does not answer.");
        return reply.code(503).send(framed({ title: `Pool ${pool}`, body, refresh: 5 }));
      }
    },
  );
}
