import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Actor } from "../../db/changes.ts";
import type { Database } from "../../db/client.ts";
import { listBatches, listJobs, listOpenJobs } from "../../db/work-list.ts";
import { actorOf } from "../form-actor.ts";
import { framed, note } from "../frame.ts";
import { missingPage } from "../missing.ts";
import { type Answer, cancelBatch, cancelJob } from "./cancel.ts";
import { batchPage, jobPage, jobsPage } from "./one-page.ts";
import { batchAddress, jobAddress, workPage } from "./page.ts";

const mostRows = 100;
const title = "Batches and jobs";
const away = "Batches and jobs are in the database, which does not answer.";

type Sent = Record<string, unknown>;
type Named = { Params: { id: string }; Body: Sent | undefined };

const textOf = (sent: Sent, name: string): string =>
  typeof sent[name] === "string" ? sent[name].trim().slice(0, 100) : "";

/** A batch or a job: how it is found, shown and cancelled. */
interface Kind<One> {
  name: string;
  address(id: string): string;
  find(db: Database, id: string): Promise<One | undefined>;
  page(one: One, view: { mayChange: boolean; problem?: string | undefined; why?: string }): string;
  cancel(db: Database, id: string, actor: Actor): Promise<Answer>;
}

function addOne<One>(app: FastifyInstance, db: Database | undefined, kind: Kind<One>): void {
  async function answer(request: FastifyRequest<Named>, reply: FastifyReply, sent?: Sent) {
    void reply.type("text/html");
    const { id } = request.params;
    try {
      if (!db) return await reply.code(503).send(framed({ title, body: note(away) }));
      const isName = /^\w{1,64}$/.test(id);
      if (!isName || !(await kind.find(db, id)))
        return await reply
          .code(404)
          .send(
            missingPage(title, `There is no such ${kind.name}; one is kept for a day.`, ["/work"]),
          );
      const actor = sent && actorOf(request.visitor.user, sent);
      const problem = typeof actor === "object" ? await kind.cancel(db, id, actor) : actor;
      if (sent && problem === undefined) return await reply.redirect(kind.address(id), 303);
      const one = (await kind.find(db, id)) as One;
      const mayChange = request.visitor.role === "operator";
      const why = sent === undefined ? "" : textOf(sent, "why");
      return await reply
        .code(problem === undefined ? 200 : 400)
        .send(kind.page(one, { mayChange, problem, why }));
    } catch (error) {
      request.log.warn({ reason: (error as Error).message }, `a ${kind.name} could not be read`);
      return reply.code(503).send(framed({ title, body: note(away) }));
    }
  }
  const path = kind.address(":id");
  app.get<Named>(path, (request, reply) => answer(request, reply));
  app.post<Named>(path, (request, reply) => answer(request, reply, request.body ?? {}));
}

/** `/work`: batches and jobs of all accounts, or of one; below it each of them, with the form that cancels it. */
export function addWorkPage(app: FastifyInstance, db: Database | undefined): void {
  app.get<{ Querystring: Sent }>("/work", async (request, reply) => {
    const account = textOf(request.query, "account");
    const selection = { account: account || undefined, limit: mostRows };
    const found = await (
      db && Promise.all([listBatches(db, selection), listOpenJobs(db, selection)])
    )?.catch(() => undefined);
    const [batches, jobs] = found ?? [[], []];
    return reply
      .code(found ? 200 : 503)
      .type("text/html")
      .send(workPage({ batches, jobs, account, problem: found ? undefined : away }));
  });

  app.get<{ Querystring: Sent }>("/work/jobs", async (request, reply) => {
    const [account, operation] = [
      textOf(request.query, "account"),
      textOf(request.query, "operation"),
    ];
    const selection = { account: account || undefined, operation: operation || undefined };
    const found = await (db && listJobs(db, { ...selection, limit: mostRows + 1 }))?.catch(
      () => undefined,
    );
    void reply.type("text/html");
    if (!found) return reply.code(503).send(framed({ title, body: note(away) }));
    const hasMore = found.length > mostRows;
    const shown = { account, operation, hasMore, now: Date.now() };
    return reply.send(jobsPage(found.slice(0, mostRows), shown));
  });

  addOne(app, db, {
    name: "batch",
    address: batchAddress,
    find: async (database, id) => (await listBatches(database, { id, limit: 1 }))[0],
    page: batchPage,
    cancel: cancelBatch,
  });
  addOne(app, db, {
    name: "job",
    address: jobAddress,
    find: async (database, id) => (await listJobs(database, { id, limit: 1 }))[0],
    page: jobPage,
    cancel: cancelJob,
  });
}
