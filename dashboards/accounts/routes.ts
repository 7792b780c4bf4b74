import type { FastifyInstance } from "fastify";
import { accountsToday } from "../../db/account-list.ts";
import { standingControls } from "../../db/controls.ts";
import { nearAccounts } from "../../db/call-list.ts";
import type { Database } from "../../db/client.ts";
import { framed, note } from "../frame.ts";
import { accountPage, accountsPage } from "./page.ts";
import { readAccount } from "./read.ts";

const pageSize = 100;
const mostPages = 1_000;

/** `/accounts` and `/accounts/:name`. */
export function addAccounts(app: FastifyInstance, db: Database | undefined): void {
  const away = () =>
    framed({
      title: "Accounts",
      body: note(
        db ? "The database does not answer." : "Accounts need the database: set DATABASE_URL.",
      ),
    });

  app.get<{ Querystring: Record<string, unknown> }>("/accounts", async (request, reply) => {
    void reply.type("text/html");
    const { name, page: asked } = request.query;
    const search = typeof name === "string" ? name.trim().slice(0, 100) : "";
    const page = Math.min(mostPages, Math.max(0, Math.trunc(Number(asked ?? 0)) || 0));
    const range = { search, limit: pageSize + 1, offset: page * pageSize };
    const found = await (
      db && Promise.all([accountsToday(db, range), standingControls(db)])
    )?.catch(() => undefined);
    if (!found) return reply.code(503).send(away());
    const [rows, controls] = found;
    const hasMore = rows.length > pageSize;
    return reply.send(
      accountsPage({ rows: rows.slice(0, pageSize), search, page, hasMore, controls }),
    );
  });

  app.get<{ Params: { name: string } }>("/accounts/:name", async (request, reply) => {
    void reply.type("text/html");
    if (!db) return reply.code(503).send(away());
    const { name } = request.params;
    try {
      const reading = await readAccount(db, name, Date.now());
      if (reading)
        return await reply.send(accountPage(reading, request.visitor.role === "operator"));
      const near = await nearAccounts(db, name);
      const offer = near.length > 0 ? ` Near names: ${near.join(", ")}.` : "";
      const problem = `There is no account ${name}.${offer}`;
      return await reply.code(404).send(framed({ title: "Accounts", body: note(problem) }));
    } catch (error) {
      request.log.warn({ reason: (error as Error).message }, "an account could not be read");
      return reply.code(503).send(away());
    }
  });
}
