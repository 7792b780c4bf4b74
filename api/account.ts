import type { FastifyInstance } from "fastify";
import type { Operation } from "../contract/operation.ts";
import { account } from "../db/accounts.ts";
import type { Database } from "../db/client.ts";
import { callerOf } from "./app.ts";
import type { Caller } from "./auth.ts";
import { closeBody, openBody } from "./envelope.ts";
import { commonHeaders } from "./reply.ts";
import { fromStore, unavailable } from "./stores.ts";

/** The gateway's own free endpoints: the caller's account and the catalogue. */
export function addAccount(
  app: FastifyInstance,
  db: Database,
  operations: readonly Operation[],
): void {
  async function balanceOf(caller: Caller) {
    const found = await fromStore(() => account(db, caller.accountId));
    if (!found) throw unavailable();
    return found.balances[caller.mode];
  }

  function own(path: string, dataOf: (caller: Caller, available: number) => unknown): void {
    app.get(path, async (request, reply) => {
      const caller = callerOf(request);
      const balance = await balanceOf(caller);
      const data = Buffer.from(JSON.stringify(dataOf(caller, balance.available)));
      const billing = {
        credits_charged: 0,
        records_charged: 0,
        balance_remaining: balance.available,
        truncated_due_to_balance: false,
      };
      return reply
        .headers(commonHeaders(request.id, request.version))
        .send(closeBody(openBody(request.id, data, undefined), billing));
    });
  }

  own("/account", (caller, available) => ({
    account: caller.accountName,
    mode: caller.mode,
    key_id: caller.keyId,
    balance: available,
    limits: { requests_per_second: caller.ratePerSecond, requests_in_flight: caller.maxInFlight },
  }));

  const catalogue = operations.map((op) => ({
    id: op.id,
    area: op.area,
    method: op.method,
    path: op.path,
    summary: op.summary,
    paginated: op.paginated,
    credits_per_record: 1,
    minimum_credits: op.minimum,
  }));
  own("/operations", () => catalogue);
}
