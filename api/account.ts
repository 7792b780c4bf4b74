import type { FastifyInstance } from "fastify";
import { usageInput } from "../contract/account.ts";
import { nothing } from "../contract/endpoint.ts";
import { alertInput } from "../contract/webhook-endpoints.ts";
import type { Operation } from "../contract/operation.ts";
import { setBalanceAlert } from "../db/accounts.ts";
import type { BudgetStore } from "../db/budgets.ts";
import type { Database } from "../db/client.ts";
import { usageBy } from "../db/usage.ts";
import { webhookEndpoints } from "../db/webhook-endpoints.ts";
import { callerOf } from "./callers.ts";
import type { Caller } from "./auth.ts";
import { budgetTold } from "./admission/budgets.ts";
import { accountOf, ownInput, sendOwn } from "./own.ts";
import { commonHeaders } from "./reply.ts";
import { fromStore } from "./stores.ts";

const dayMs = 24 * 3600_000;
const usageColumns = ["day", "area", "operation", "calls", "errors", "credits", "records"] as const;

/** The gateway's own free endpoints: the caller's account and the catalogue. */
export function addAccount(
  app: FastifyInstance,
  db: Database,
  operations: readonly Operation[],
  budgets: BudgetStore,
): void {
  app.get("/account/usage", async (request, reply) => {
    const caller = callerOf(request);
    const { from, to, format } = ownInput(request, "/account/usage", usageInput);
    const last = to ?? new Date().toISOString().slice(0, 10);
    const first = from ?? new Date(Date.parse(last) - 29 * dayMs).toISOString().slice(0, 10);
    const rows = await fromStore(() =>
      usageBy(db, caller.accountId, caller.mode, {
        from: new Date(first),
        to: new Date(Date.parse(last) + dayMs),
      }),
    );
    if (format === "json") return sendOwn(db, request, reply, { data: rows });
    const lines = [usageColumns, ...rows.map((row) => usageColumns.map((column) => row[column]))];
    return reply
      .headers({
        ...commonHeaders(request.id, request.version),
        "content-type": "text/csv; charset=utf-8",
      })
      .send(`${lines.map((line) => line.join(",")).join("\r\n")}\r\n`);
  });

  async function shownAccount(caller: Caller) {
    const [account, endpoints, standing] = await Promise.all([
      accountOf(db, caller),
      fromStore(() => webhookEndpoints(db, caller)),
      fromStore(() => budgets.standing(caller)),
    ]);
    const { available, alertBelow } = account.balances[caller.mode];
    const data = {
      account: caller.accountName,
      mode: caller.mode,
      key_id: caller.keyId,
      balance: available,
      balance_alert_below: alertBelow,
      limits: { requests_per_second: caller.ratePerSecond, requests_in_flight: caller.maxInFlight },
      budgets: standing.budgets.map(budgetTold),
      webhooks_off: endpoints.flatMap(({ id, url, offSince, offReason }) =>
        offSince && offReason && url !== null
          ? [{ id, url, since: offSince.toISOString(), reason: offReason }]
          : [],
      ),
    };
    return { account, data };
  }

  app.get("/account", async (request, reply) => {
    ownInput(request, "/account", nothing);
    return sendOwn(db, request, reply, await shownAccount(callerOf(request)));
  });

  app.patch("/account", async (request, reply) => {
    const caller = callerOf(request);
    const { balance_alert_below } = ownInput(request, "/account", alertInput);
    const { accountId, mode } = caller;
    await fromStore(() => setBalanceAlert(db, accountId, mode, balance_alert_below));
    return sendOwn(db, request, reply, await shownAccount(caller));
  });

  const catalogue = Buffer.from(JSON.stringify(operations.map(entryOf)));
  app.get("/operations", (request, reply) => {
    ownInput(request, "/operations", nothing);
    return sendOwn(db, request, reply, { data: catalogue });
  });
}

const entryOf = (op: Operation) => ({
  id: op.id,
  area: op.area,
  method: op.method,
  path: op.path,
  summary: op.summary,
  paginated: op.paginated,
  credits_per_record: 1,
  minimum_credits: op.minimum,
});
