import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { noteChange } from "../../db/changes.ts";
import type { Database } from "../../db/client.ts";
import { changeWebhookEndpoint } from "../../db/webhook-endpoints.ts";
import { type ListedEndpoint, listEndpoints } from "../../db/webhook-list.ts";
import { replayWebhook, webhookLog } from "../../db/webhook-log.ts";
import { actorOf } from "../form-actor.ts";
import { framed, note } from "../frame.ts";
import { endpointAddress, endpointPage, webhooksPage } from "./page.ts";

const mostEndpoints = 200;
const shownDeliveries = 100;
const away = "Webhooks are in the database, which does not answer.";

type Sent = Record<string, unknown>;
type Named = { Params: { id: string }; Body: Sent | undefined };

const textOf = (sent: Sent, name: string) =>
  typeof sent[name] === "string" ? sent[name].trim() : "";

/** Carries a form out; returns the objection if it is wrong or came too late. */
async function change(
  db: Database,
  endpoint: ListedEndpoint,
  who: string,
  sent: Sent,
): Promise<string | undefined> {
  const actor = actorOf(who, sent);
  if (typeof actor === "string") return actor;
  const { id, accountId } = endpoint;
  const noted = (after: object) =>
    noteChange(db, actor, { kind: "webhook", target: id, accountId, after });
  const act = textOf(sent, "change");
  if (act === "replay") {
    const delivery = textOf(sent, "delivery");
    if (!(await replayWebhook(db, endpoint, { endpoint: id, delivery })))
      return "the log has no such delivery, or the endpoint is switched off";
    await noted({ delivery, effect: "sent again" });
    return undefined;
  }
  if (act !== "on" && act !== "off") return "change must be replay, on or off";
  const enabled = act === "on";
  if (!(await changeWebhookEndpoint(db, endpoint, id, { enabled }))) return "the endpoint is gone";
  await noted({ enabled });
  return undefined;
}

/** `/webhooks` and `/webhooks/:id`: endpoints of all accounts, their deliveries, and sending one again. */
export function addWebhookPages(app: FastifyInstance, db: Database | undefined): void {
  app.get<{ Querystring: Sent }>("/webhooks", async (request, reply) => {
    const account = textOf(request.query, "account").slice(0, 100);
    const asked = { account: account || undefined, limit: mostEndpoints + 1 };
    const found = await (db && listEndpoints(db, asked))?.catch(() => undefined);
    return reply
      .code(found ? 200 : 503)
      .type("text/html")
      .send(
        webhooksPage({
          endpoints: found?.slice(0, mostEndpoints) ?? [],
          account,
          hasMore: (found?.length ?? 0) > mostEndpoints,
          problem: found ? undefined : away,
        }),
      );
  });

  async function answer(request: FastifyRequest<Named>, reply: FastifyReply, sent?: Sent) {
    void reply.type("text/html");
    try {
      const [endpoint] = db ? await listEndpoints(db, { id: request.params.id, limit: 1 }) : [];
      if (!db) return await reply.code(503).send(framed({ title: "Webhooks", body: note(away) }));
      if (!endpoint) {
        const body = note("There is no such webhook endpoint.");
        return await reply.code(404).send(framed({ title: "Webhooks", body }));
      }
      const problem = sent && (await change(db, endpoint, request.visitor.user, sent));
      if (sent && problem === undefined)
        return await reply.redirect(endpointAddress(endpoint.id), 303);
      const log = { endpoint: endpoint.id, limit: shownDeliveries };
      const deliveries = await webhookLog(db, endpoint, log);
      const mayChange = request.visitor.role === "operator";
      return await reply.code(problem === undefined ? 200 : 400).send(
        endpointPage({
          endpoint,
          deliveries,
          mayChange,
          problem: problem === undefined ? undefined : `Not done: ${problem}.`,
        }),
      );
    } catch (error) {
      request.log.warn({ reason: (error as Error).message }, "an endpoint could not be read");
      return reply.code(503).send(framed({ title: "Webhooks", body: note(away) }));
    }
  }

  app.get<Named>("/webhooks/:id", (request, reply) => answer(request, reply));
  app.post<Named>("/webhooks/:id", (request, reply) => answer(request, reply, request.body ?? {}));
}
