import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Database } from "../../db/client.ts";
import { type ControlRow, controlLog, standingControls } from "../../db/controls.ts";
import { note, framed } from "../frame.ts";
import { type Sent, take } from "./form.ts";
import { type SentTexts, controlsPage } from "./page.ts";

const toJson = ({ perMinute, at, until, ...row }: ControlRow) => ({
  ...row,
  at: at.toISOString(),
  per_minute: perMinute,
  until: until?.toISOString() ?? null,
});

const textsOf = (sent: Sent | undefined): SentTexts =>
  Object.fromEntries(
    Object.entries(sent ?? {}).filter(([, value]) => typeof value === "string"),
  ) as SentTexts;

/** The page of an account, and that of the workers, send their operator back. */
function back(sent: Sent | undefined): string {
  const address = sent?.back;
  return typeof address === "string" && /^\/(?:accounts\/[\w.~%!'()*-]+|workers)$/.test(address)
    ? address
    : "/controls";
}

const away = "The database does not answer; earlier decisions stay in force.";

/**
 * `/controls` for people, `/api/controls` for programs: GET shows the decisions in force and the log, POST
 * takes a decision ({kind, target, effect, per_minute?, minutes?, why}). `auth.ts` checks the visitor's role.
 */
export function addControls(app: FastifyInstance, db: Database | undefined): void {
  const read = async (store: Database) => {
    const [standing, log] = await Promise.all([standingControls(store), controlLog(store)]);
    return { standing, log };
  };

  async function page(
    request: FastifyRequest,
    problem?: string,
    sent?: Sent,
  ): Promise<string | undefined> {
    try {
      if (!db) return undefined;
      const mayChange = request.visitor.role === "operator";
      return controlsPage({ ...(await read(db)), mayChange, problem, sent: textsOf(sent) });
    } catch (error) {
      request.log.warn({ reason: (error as Error).message }, "controls could not be read");
      return undefined;
    }
  }
  const awayPage = () => framed({ title: "Controls", body: note(away) });

  app.get<{ Querystring: Sent }>("/controls", async (request, reply) => {
    const { kind, target } = request.query;
    const html = await page(request, undefined, { kind, target });
    return reply
      .code(html ? 200 : 503)
      .type("text/html")
      .send(html ?? awayPage());
  });

  app.post<{ Body: Sent | undefined }>("/controls", async (request, reply) => {
    const actor = { who: request.visitor.user, via: "page" } as const;
    const taken = await (db && take(db, actor, request.body ?? {}))?.catch(() => undefined);
    if (taken && "id" in taken) return reply.redirect(back(request.body), 303);
    const html = taken && (await page(request, `Not done: ${taken.objection}.`, request.body));
    return reply
      .code(html ? 400 : 503)
      .type("text/html")
      .send(html ?? awayPage());
  });

  app.get("/api/controls", async (_request, reply) => {
    const found = await (db && read(db))?.catch(() => undefined);
    if (!found) return reply.code(503).send({ error: away });
    return { in_force: found.standing.map(toJson), log: found.log.map(toJson) };
  });

  app.post<{ Body: Sent | undefined }>("/api/controls", async (request, reply) => {
    const actor = { who: request.visitor.user, via: "program" } as const;
    const taken = await (db && take(db, actor, request.body ?? {}))?.catch(() => undefined);
    if (!taken) return reply.code(503).send({ error: away });
    return "id" in taken
      ? reply.code(201).send({ id: taken.id })
      : reply.code(400).send({ error: taken.objection });
  });
}
