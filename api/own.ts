import type { FastifyReply, FastifyRequest } from "fastify";
import type * as z from "zod";
import { openCursor, pageTold } from "../contract/cursor.ts";
import type { Pagination } from "../contract/envelope.ts";
import { invalid } from "../contract/errors.ts";
import type { CursorPayload } from "../contract/job.ts";
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

export async function accountOf(db: Database, caller: Caller): Promise<Account> {
  const found = await fromStore(() => account(db, caller.accountId));
  if (!found) throw unavailable();
  return found;
}

/** Where a list is read on, and what is told of the page behind it. */
export interface AskedPage<Place extends CursorPayload> {
  /** Undefined for the first page. */
  after: Place | undefined;
  /** `next` is where the page after this one begins, where there is one. */
  told(next: Place | undefined): Pagination;
}

/** The page of a list that a caller asks for: `input` is what its cursor is bound to, under the name `operation`. */
export function pageAsked<Place extends CursorPayload>(
  request: FastifyRequest,
  list: { operation: string; input: Readonly<Record<string, unknown>>; cursor: string | undefined },
  { secret, now }: { secret: string; now: number },
): AskedPage<Place> {
  const { accountId, mode } = callerOf(request);
  const { operation, input, cursor } = list;
  const binding = { accountId, mode, version: request.version, operation, input };
  const after = cursor === undefined ? undefined : openCursor(secret, binding, cursor, now);
  if (cursor !== undefined && !after) {
    const message = "cursor: is altered, stale or belongs to another call";
    throw invalid("query", "cursor", "invalid_cursor", message);
  }
  return {
    after: after as Place | undefined,
    told: (next) =>
      pageTold(secret, binding, { has_more: next !== undefined, ...(next ? { next } : {}) }, now),
  };
}

interface Told {
  /** As JSON where it is a buffer. */
  data: unknown;
  status?: number;
  pagination?: Pagination;
}

/** Answers with `data`, at no charge, where the balance is known. */
export function sendFree(
  request: FastifyRequest,
  reply: FastifyReply,
  { data, status = 200, pagination }: Told,
  available: number,
): FastifyReply {
  const json = Buffer.isBuffer(data) ? data : Buffer.from(JSON.stringify(data));
  const body = openBody(request.id, json, pagination);
  return reply
    .code(status)
    .headers(commonHeaders(request.id, request.version))
    .send(closeBody(body, unchanged(available)));
}

/** The same where the balance is yet to be read, unless `account` has it. */
export async function sendOwn(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  { account: read, ...told }: Told & { account?: Account },
): Promise<FastifyReply> {
  const caller = callerOf(request);
  const { balances } = read ?? (await accountOf(db, caller));
  return sendFree(request, reply, told, balances[caller.mode].available);
}
