import type { FastifyInstance } from "fastify";
import { type Change, listChanges } from "../../db/changes.ts";
import type { Database } from "../../db/client.ts";
import { type Asked, changesPage } from "./page.ts";

const pageSize = 100;
const away = "The database does not answer, and it holds the log of changes.";

type Query = Record<string, unknown>;

function textOf(query: Query, name: string): string {
  const value = query[name];
  return typeof value === "string" ? value.trim().slice(0, 100) : "";
}

const askedIn = (query: Query): Asked => ({
  account: textOf(query, "account"),
  kind: textOf(query, "kind"),
  who: textOf(query, "who"),
});

async function read(db: Database, query: Query): Promise<{ rows: Change[]; hasMore: boolean }> {
  const { account, kind, who } = askedIn(query);
  const before = textOf(query, "before");
  const found = await listChanges(db, {
    account: account || undefined,
    kind: kind || undefined,
    who: who || undefined,
    beforeId: /^\d{1,15}$/.test(before) ? Number(before) : undefined,
    limit: pageSize + 1,
  });
  return { rows: found.slice(0, pageSize), hasMore: found.length > pageSize };
}

/** `/changes` for people, `/api/changes` for programs: who changed what, newest first. */
export function addChanges(app: FastifyInstance, db: Database | undefined): void {
  app.get<{ Querystring: Query }>("/changes", async (request, reply) => {
    const found = await (db && read(db, request.query))?.catch(() => undefined);
    const asked = askedIn(request.query);
    return reply
      .code(found ? 200 : 503)
      .type("text/html")
      .send(changesPage({ ...(found ?? { rows: [], hasMore: false, problem: away }), asked }));
  });

  app.get<{ Querystring: Query }>("/api/changes", async (request, reply) => {
    const found = await (db && read(db, request.query))?.catch(() => undefined);
    if (!found) return reply.code(503).send({ error: away });
    return {
      changes: found.rows,
      next_before: found.hasMore ? (found.rows.at(-1)?.id ?? null) : null,
    };
  });
}
