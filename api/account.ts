import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { nothingInput, usageInput } from "../contract/own.ts";
import type { Operation } from "../contract/operation.ts";
import type * as z from "zod";
import { account } from "../db/accounts.ts";
import type { Database } from "../db/client.ts";
import { usageBy } from "../db/usage.ts";
import { callerOf } from "./app.ts";
import type { Caller } from "./auth.ts";
import { closeBody, openBody } from "./envelope.ts";
import { decodeInput } from "./input.ts";
import { commonHeaders } from "./reply.ts";
import { fromStore, unavailable } from "./stores.ts";

const dayMs = 24 * 3600_000;
const usageColumns = ["day", "area", "operation", "calls", "errors", "credits", "records"] as const;

function inputOf<I extends z.ZodObject>(path: string, input: I, request: FastifyRequest) {
  const query = request.query as URLSearchParams;
  return decodeInput({ method: "GET", path, input }, { path: {}, query, body: undefined });
}

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

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
    dataOf: (available: number) => unknown,
  ) {
    const balance = await balanceOf(caller);
    const data = Buffer.from(JSON.stringify(dataOf(balance.available)));
    const billing = {
      credits_charged: 0,
      records_charged: 0,
      balance_remaining: balance.available,
      truncated_due_to_balance: false,
    };
    return reply
      .headers(commonHeaders(request.id, request.version))
      .send(closeBody(openBody(request.id, data, undefined), billing));
  }

  function own(path: string, dataOf: (caller: Caller, available: number) => unknown): void {
    app.get(path, (request, reply) => {
      const caller = callerOf(request);
      inputOf(path, nothingInput, request);
      return send(request, reply, caller, (available) => dataOf(caller, available));
    });
  }

  app.get("/account/usage", async (request, reply) => {
    const caller = callerOf(request);
    const { from, to, format } = inputOf("/account/usage", usageInput, request);
    const last = to ?? new Date().toISOString().slice(0, 10);
    const first = from ?? new Date(Date.parse(last) - 29 * dayMs).toISOString().slice(0, 10);
    const rows = await fromStore(() =>
      usageBy(db, caller.accountId, caller.mode, {
        from: new Date(first),
        to: new Date(Date.parse(last) + dayMs),
      }),
    );
    if (format === "json") return send(request, reply, caller, () => rows);
    const lines = [usageColumns, ...rows.map((row) => usageColumns.map((column) => row[column]))];
    return reply
      .headers({
        ...commonHeaders(request.id, request.version),
        "content-type": "text/csv; charset=utf-8",
      })
      .send(`${lines.map((line) => line.join(",")).join("\r\n")}\r\n`);
  });

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
