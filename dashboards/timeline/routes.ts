import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Redis } from "ioredis";
import type { Database } from "../../db/client.ts";
import { isRequestId, readFacts } from "./call-log.ts";
import { callPage } from "./page.ts";
import { timelineOf } from "./timeline.ts";

/** `/find` and `/calls/:id`; `notFound` renders the page of an unknown id. */
export function addCallPages(
  app: FastifyInstance,
  stores: { db: Database | undefined; redis: Redis },
  notFound: (request: FastifyRequest, problem: string) => Promise<string>,
): void {
  app.get<{ Querystring: { id?: string } }>("/find", async (request, reply) => {
    const id = String(request.query.id ?? "").trim();
    if (isRequestId(id)) return reply.redirect(`/calls/${id}`, 303);
    const page = await notFound(request, "This is not a request id.");
    return reply.code(404).type("text/html").send(page);
  });

  app.get<{ Params: { id: string } }>("/calls/:id", async (request, reply) => {
    const { id } = request.params;
    const known = isRequestId(id) ? await readFacts(stores, id) : undefined;
    void reply.type("text/html");
    if (!known) {
      const page = await notFound(
        request,
        "This request id is unknown. Refusals are kept for an hour, calls for a week.",
      );
      return reply.code(404).send(page);
    }
    const isEmpty = known.logs.length === 0 && !known.refused && !known.books && !known.job;
    return reply.code(isEmpty ? 503 : 200).send(callPage(timelineOf(known)));
  });
}
