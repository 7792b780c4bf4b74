import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Redis } from "ioredis";
import type { Database } from "../../db/client.ts";
import { isRequestId, readFacts } from "./facts.ts";
import { storyPage } from "./page.ts";
import { tell } from "./tell.ts";

/** `/find` and `/calls/:id`; `notFound` renders what is said of an id that nobody knows. */
export function addStories(
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
        "Nothing is known of this request id. Refusals are kept for an hour, calls for a week.",
      );
      return reply.code(404).send(page);
    }
    const nothing = known.told.length === 0 && !known.refused && !known.books && !known.job;
    return reply.code(nothing ? 503 : 200).send(storyPage(tell(known)));
  });
}
