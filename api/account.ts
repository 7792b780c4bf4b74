import type { accountEndpoints } from "../contract/account.ts";
import { GatewayError } from "../contract/errors.ts";
import { setBalanceAlert } from "../db/accounts.ts";
import type { BudgetStore } from "../db/budgets.ts";
import type { Database } from "../db/client.ts";
import { usageBy } from "../db/usage.ts";
import { webhookEndpoints } from "../db/webhook-endpoints.ts";
import { AccountTurns, TooManyWaiting } from "../runtime/account-turns.ts";
import { budgetView } from "./admission/budgets.ts";
import { type Caller, ownerName } from "./auth.ts";
import { type Handlers, accountOf } from "./endpoints.ts";
import type { Catalogue } from "./catalogue.ts";
import type { HereReader } from "./docs/availability.ts";
import { commonHeaders, leaving } from "./reply.ts";
import { retryStore } from "./stores.ts";

const dayMs = 24 * 3600_000;
const usageColumns = ["day", "area", "operation", "calls", "errors", "credits", "records"] as const;

/** Reports read more than any other request, so they have a connection of their own and take turns. */
const reportTurns = new AccountTurns({ name: "usage reports", slots: 1, waitingPerAccount: 4 });

interface Parts {
  db: Database;
  /** The connection of usage reports. */
  reports: Database;
  budgets: BudgetStore;
  catalogue: Catalogue;
  here: Pick<HereReader, "read">;
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

  async "gateway.usage"({ input, caller, request, reply }, { reports }) {
    const { from, to, format } = input;
    const last = to ?? new Date().toISOString().slice(0, 10);
    const first = from ?? new Date(Date.parse(last) - 29 * dayMs).toISOString().slice(0, 10);
    const range = { from: new Date(first), to: new Date(Date.parse(last) + dayMs) };
    const rows = await inTurn(caller, leaving(reply), () =>
      retryStore(() => usageBy(reports, caller.accountId, caller.mode, range)),
    );
    request.timeline.resume();
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

  async "gateway.operations"(_, { catalogue, here }) {
    return { data: await catalogue.read(await here.read()) };
  },
} satisfies Handlers<typeof accountEndpoints, Parts>;

async function inTurn<T>(caller: Caller, gone: AbortSignal, report: () => Promise<T>): Promise<T> {
  try {
    return await reportTurns.run(ownerName(caller), report, gone);
  } catch (error) {
    if (!(error instanceof TooManyWaiting)) throw error;
    throw new GatewayError("rate_limited", "Usage reports of earlier requests are not ready yet", {
      retryAfter: 1,
    });
  }
}

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
