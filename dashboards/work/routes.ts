import type { FastifyInstance } from "fastify";
import type { Database } from "../../db/client.ts";
import { listBatches, listOpenJobs } from "../../db/work-list.ts";
import { workPage } from "./page.ts";

const mostRows = 100;

/** `/work`: batches and jobs of all accounts, or of one. */
export function addWorkPage(app: FastifyInstance, db: Database | undefined): void {
  app.get<{ Querystring: { account?: unknown } }>("/work", async (request, reply) => {
    const { account: asked } = request.query;
    const account = typeof asked === "string" ? asked.trim().slice(0, 100) : "";
    const selection = { account: account || undefined, limit: mostRows };
    const found = await (
      db && Promise.all([listBatches(db, selection), listOpenJobs(db, selection)])
    )?.catch(() => undefined);
    const [batches, jobs] = found ?? [[], []];
    const problem = found
      ? undefined
      : "Batches and jobs are in the database, which does not answer.";
    return reply
      .code(found ? 200 : 503)
      .type("text/html")
      .send(workPage({ batches, jobs, account, problem }));
  });
}
