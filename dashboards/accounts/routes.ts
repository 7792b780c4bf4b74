import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { accountNamed } from "../../db/accounts.ts";
import { accountsToday } from "../../db/account-list.ts";
import { standingControls } from "../../db/controls.ts";
import { nearAccounts } from "../../db/call-list.ts";
import type { Database } from "../../db/client.ts";
import { framed, note } from "../frame.ts";
import { missingPage } from "../missing.ts";
import { type SentChange, changeFromPage } from "./change.ts";
import { accountAddress } from "./forms.ts";
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

  type Named = { Params: { name: string }; Body: SentChange | undefined };

  /** The page of an account, or of its absence; with the objection to a form that was sent. */
  async function show(
    request: FastifyRequest<Named>,
    reply: FastifyReply,
    refused?: { problem: string; sent: SentChange },
  ) {
    void reply.type("text/html");
    if (!db) return reply.code(503).send(away());
    const { name } = request.params;
    try {
      const reading = await readAccount(db, name, Date.now());
      if (reading) {
        const mayChange = request.visitor.role === "operator";
        return await reply.send(accountPage(reading, { mayChange, ...refused }));
      }
      const near = await nearAccounts(db, name);
      const problem = `There is no account ${name}.`;
      return await reply.code(404).send(missingPage("Accounts", problem, near.map(accountAddress)));
    } catch (error) {
      request.log.warn({ reason: (error as Error).message }, "an account could not be read");
      return reply.code(503).send(away());
    }
  }

  app.get<Named>("/accounts/:name", (request, reply) => show(request, reply));

  app.post<Named>("/accounts/:name", async (request, reply) => {
    const sent = request.body ?? {};
    try {
      const account = await (db && accountNamed(db, request.params.name));
      if (!db || !account) return await show(request, reply);
      const problem = await changeFromPage(db, account, request.visitor.user, sent);
      if (problem === undefined) return await reply.redirect(accountAddress(account.name), 303);
      return await show(request, reply.code(400), { problem: `Not done: ${problem}.`, sent });
    } catch (error) {
      request.log.warn({ reason: (error as Error).message }, "an account could not be changed");
      return reply.code(503).type("text/html").send(away());
    }
  });
}
