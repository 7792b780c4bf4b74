import type { FastifyInstance } from "fastify";
import type { Redis } from "ioredis";
import { redisTime } from "../../runtime/store-clock.ts";
import type { Database } from "../../db/client.ts";
import { filterOf, givenOf } from "./filter.ts";
import { callsPage } from "./page.ts";
import { readCalls } from "./read.ts";

/** `/calls`: the list of calls, filtered by its address. */
export function addCallList(
  app: FastifyInstance,
  { db, redis }: { db: Database | undefined; redis: Redis },
): void {
  app.get<{ Querystring: Record<string, unknown> }>("/calls", async (request, reply) => {
    const given = givenOf(request.query);
    const { filter, objections } = filterOf(given);
    void reply.type("text/html");
    if (objections.length > 0) {
      return reply.code(400).send(callsPage({ given, problem: objections.join(" ") }));
    }
    if (!db) {
      const problem = "The list needs the database: set DATABASE_URL.";
      return reply.code(503).send(callsPage({ given, problem }));
    }
    try {
      const page = await readCalls({ db, redis }, filter, await redisTime(redis));
      if ("objection" in page) {
        return await reply.code(404).send(callsPage({ given, problem: page.objection }));
      }
      return await reply.send(callsPage({ given, page }));
    } catch (error) {
      request.log.warn({ reason: (error as Error).message }, "the calls could not be read");
      const problem = "Redis or the database does not answer.";
      return reply.code(503).send(callsPage({ given, problem }));
    }
  });
}
