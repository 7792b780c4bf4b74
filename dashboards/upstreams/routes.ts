import type { FastifyInstance } from "fastify";
import { tokenUpstreamOf } from "../../runtime/controls.ts";
import { canaryDays, lastCanaries } from "../../db/canaries.ts";
import { framed, note } from "../frame.ts";
import { missingPage, nearUpstreams } from "../missing.ts";
import { canariesPage } from "./canaries-page.ts";
import { upstreamPage } from "./one-page.ts";
import { upstreamAddress, upstreamsPage } from "./page.ts";
import { readUpstream, readUpstreams, shownUpstreams, type UpstreamSources } from "./read.ts";

const redisAway = "Redis does not answer.";

/** The page of a list that an address asks for, counted from 0. */
const pageOf = (text: string | undefined): number =>
  Math.max(0, Math.trunc(Number(text ?? 0)) || 0);

/** `/upstreams`, `/upstreams/:name` and `/canaries`: what is known of the providers of data. */
export function addUpstreams(app: FastifyInstance, sources: UpstreamSources): void {
  app.get("/upstreams", async (request, reply) => {
    void reply.type("text/html");
    try {
      return await reply.send(upstreamsPage(await readUpstreams(sources)));
    } catch (error) {
      request.log.warn({ reason: (error as Error).message }, "upstreams could not be read");
      const body = note(redisAway);
      return reply.code(503).send(framed({ title: "Upstreams", body, refresh: 5 }));
    }
  });

  app.get<{ Params: { name: string }; Querystring: { changes?: string } }>(
    "/upstreams/:name",
    async (request, reply) => {
      void reply.type("text/html");
      const { name } = request.params;
      const shown = tokenUpstreamOf(name);
      if (shown !== name) return reply.redirect(upstreamAddress(shown));
      if (!shownUpstreams.includes(name)) {
        const problem = "There is no such upstream.";
        return reply.code(404).send(missingPage("Upstreams", problem, nearUpstreams(name)));
      }
      try {
        return await reply.send(
          upstreamPage(await readUpstream(sources, name, pageOf(request.query.changes))),
        );
      } catch (error) {
        request.log.warn({ reason: (error as Error).message }, "an upstream could not be read");
        const body = note(redisAway);
        return reply.code(503).send(framed({ title: `Upstream ${name}`, body, refresh: 5 }));
      }
    },
  );

  app.get("/canaries", async (_request, reply) => {
    const { db } = sources;
    const read = db && Promise.all([lastCanaries(db), canaryDays(db)]);
    const found = await read?.catch(() => undefined);
    const results = found && { last: found[0], days: found[1] };
    return reply
      .code(results ? 200 : 503)
      .type("text/html")
      .send(canariesPage(results, Date.now()));
  });
}
