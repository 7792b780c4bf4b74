import type * as z from "zod";
import type { accountEndpoints, catalogueData } from "../contract/account.ts";
import type { Operation } from "../contract/operation.ts";
import { setBalanceAlert } from "../db/accounts.ts";
import type { BudgetStore } from "../db/budgets.ts";
import type { Database } from "../db/client.ts";
import { usageBy } from "../db/usage.ts";
import { webhookEndpoints } from "../db/webhook-endpoints.ts";
import { budgetView } from "./admission/budgets.ts";
import type { Caller } from "./auth.ts";
import { type Handlers, accountOf } from "./endpoints.ts";
import { commonHeaders } from "./reply.ts";
import { retryStore } from "./stores.ts";

const dayMs = 24 * 3600_000;
const usageColumns = ["day", "area", "operation", "calls", "errors", "credits", "records"] as const;

interface Parts {
  db: Database;
  budgets: BudgetStore;
  /** JSON, which is the same for every caller. */
  catalogue: Buffer;
}

export function catalogueOf(operations: readonly Operation[]): Buffer {
  const entries = operations.map((op): z.output<typeof catalogueData>[number] => ({
    id: op.id,
    area: op.area,
    method: op.method,
    path: op.path,
    summary: op.summary,
    paginated: op.paginated,
    credits_per_record: 1,
    minimum_credits: op.minimum,
  }));
  return Buffer.from(JSON.stringify(entries));
}

/** Handlers of the caller's account and the catalogue of operations. */
export const accountHandlers = {
  async "gateway.account"({ caller }, parts) {
    return accountView(caller, parts);
  },

  async "gateway.account.change"({ input, caller }, parts) {
    const { accountId, mode } = caller;
    await retryStore(() => setBalanceAlert(parts.db, accountId, mode, input.balance_alert_below));
    return accountView(caller, parts);
  },

  async "gateway.usage"({ input, caller, request, reply }, { db }) {
    const { from, to, format } = input;
    const last = to ?? new Date().toISOString().slice(0, 10);
    const first = from ?? new Date(Date.parse(last) - 29 * dayMs).toISOString().slice(0, 10);
    const rows = await retryStore(() =>
      usageBy(db, caller.accountId, caller.mode, {
        from: new Date(first),
        to: new Date(Date.parse(last) + dayMs),
      }),
    );
    if (format === "json") return { data: rows };
    const lines = [usageColumns, ...rows.map((row) => usageColumns.map((column) => row[column]))];
    void reply
      .headers({
        ...commonHeaders(request.id, request.version),
        "content-type": "text/csv; charset=utf-8",
      })
      .send(`${lines.map((line) => line.join(",")).join("\r\n")}\r\n`);
    return undefined;
  },

  async "gateway.operations"(_, { catalogue }) {
    return { data: catalogue };
  },
} satisfies Handlers<typeof accountEndpoints, Parts>;

async function accountView(caller: Caller, { db, budgets }: Parts) {
  const [account, endpoints, standing] = await Promise.all([
    accountOf(db, caller),
    retryStore(() => webhookEndpoints(db, caller)),
    retryStore(() => budgets.standing(caller)),
  ]);
  const { available, alertBelow } = account.balances[caller.mode];
  const data = {
    account: caller.accountName,
    mode: caller.mode,
    key_id: caller.keyId,
    balance: available,
    balance_alert_below: alertBelow,
    limits: { requests_per_second: caller.ratePerSecond, requests_in_flight: caller.maxInFlight },
    budgets: standing.budgets.map(budgetView),
    webhooks_off: endpoints.flatMap(({ id, url, offSince, offReason }) =>
      offSince && offReason && url !== null
        ? [{ id, url, since: offSince.toISOString(), reason: offReason }]
        : [],
    ),
  };
  return { data, available };
}
