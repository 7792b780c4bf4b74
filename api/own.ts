import type { FastifyReply, FastifyRequest } from "fastify";
import type * as z from "zod";
import type { Pagination } from "../contract/envelope.ts";
import { invalid } from "../contract/errors.ts";
import { type Account, account } from "../db/accounts.ts";
import type { Database } from "../db/client.ts";
import { callerOf } from "./callers.ts";
import type { Caller } from "./auth.ts";
import { closeBody, openBody, unchanged } from "./envelope.ts";
import { decodeInput } from "./input.ts";
import { commonHeaders } from "./reply.ts";
import { fromStore, unavailable } from "./stores.ts";
import type { Query } from "./edge/text.ts";

/** What the gateway's own endpoints have in common: they are free, and answer in the success envelope. */

type Whole = Account;

/** The input of an endpoint whose path has the fields of `path`; GET and DELETE take no body. */
export function ownInput<I extends z.ZodObject>(
  request: FastifyRequest,
  path: string,
  input: I,
): z.output<I> {
  const hasBody = request.method === "POST" || request.method === "PATCH";
  const { body } = request;
  const decoded = decodeInput(
    { method: hasBody ? "POST" : "GET", path, input },
    {
      path: request.params as Record<string, string>,
      query: request.query as Query,
      // What has only optional fields may be left out.
      body: hasBody && body === undefined ? {} : body,
    },
  );
  refuseNul(decoded, hasBody ? "body" : "query");
  return decoded;
}

/** What endpoints of the gateway itself are sent is stored and looked up, and no text of Postgres holds U+0000. */
function refuseNul(input: Readonly<Record<string, unknown>>, place: "body" | "query"): void {
  for (const [name, value] of Object.entries(input)) {
    if (typeof value === "string" && value.includes("\0"))
      throw invalid(place, name, "invalid_text", `${name}: must not contain U+0000`);
  }
}

export async function accountOf(db: Database, caller: Caller): Promise<Whole> {
  const found = await fromStore(() => account(db, caller.accountId));
  if (!found) throw unavailable();
  return found;
}

/** Answers with `data`, at no charge. */
export async function sendOwn(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  told: {
    data: unknown;
    status?: number;
    pagination?: Pagination;
    /** Where it has been read already. */
    account?: Whole;
  },
): Promise<FastifyReply> {
  const caller = callerOf(request);
  const { balances } = told.account ?? (await accountOf(db, caller));
  const billing = unchanged(balances[caller.mode].available);
  const data = Buffer.from(JSON.stringify(told.data));
  return reply
    .code(told.status ?? 200)
    .headers(commonHeaders(request.id, request.version))
    .send(closeBody(openBody(request.id, data, told.pagination), billing));
}
