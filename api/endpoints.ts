import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  type Endpoint,
  type EndpointData,
  type EndpointInput,
  mediaTypesOfItems,
  takesBody,
} from "../contract/endpoint.ts";
import type { Pagination } from "../contract/envelope.ts";
import { type Account, account } from "../db/accounts.ts";
import type { Database } from "../db/client.ts";
import type { Caller } from "./auth.ts";
import { closeBody, openBody, unchanged } from "./envelope.ts";
import { decodeInput } from "./input.ts";
import { commonHeaders } from "./reply.ts";
import { retryStore, unavailable } from "./stores.ts";
import { routeOf, withHead } from "./edge/known-paths.ts";
import type { Query } from "./edge/text.ts";

/** The gateway's own endpoints: a route for each declaration of the contract, and its handler. */

/** A request to an endpoint, as its handler receives it. */
export interface Asked<E extends Endpoint> {
  readonly input: EndpointInput<E>;
  readonly caller: E extends { open: true } ? undefined : Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface Answer<Data> {
  /** JSON where it is a buffer. */
  data: Data | Buffer;
  /** Overrides the declared status. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  pagination?: Pagination;
  /** The caller's credits, when the handler has read them already. */
  available?: number;
  /** Of the earlier request whose answer this is. */
  requestId?: string;
}

/** Returns the answer, or undefined when it has written one itself. `parts` is the handler's dependencies. */
export type Handler<E extends Endpoint, Parts> = (
  asked: Asked<E>,
  parts: Parts,
) => Promise<Answer<EndpointData<E>> | undefined>;

/** One handler for every endpoint of a list; the compiler refuses a missing one. */
export type Handlers<L extends readonly Endpoint[], Parts> = {
  [E in L[number] as E["id"]]: Handler<E, Parts>;
};

export function addEndpoints<const L extends readonly Endpoint[], Parts extends { db: Database }>(
  app: FastifyInstance,
  endpoints: L,
  handlers: Handlers<L, NoInfer<Parts>>,
  parts: Parts,
): void {
  for (const endpoint of endpoints) {
    const handler = (handlers as Record<string, unknown>)[endpoint.id] as Handler<Endpoint, Parts>;
    const { method, path, open = false, headers = [], bodyBytes, items } = endpoint;
    app.route({
      method: withHead(method),
      url: routeOf(path),
      ...(bodyBytes === undefined ? {} : { bodyLimit: bodyBytes }),
      config: {
        open,
        headers,
        streamed: items !== undefined,
        ...(items ? { mediaTypes: mediaTypesOfItems } : {}),
      },
      handler: async (request, reply) => {
        const input = inputOf(endpoint, request);
        const caller = request.caller as Caller;
        const answer = await handler({ input, caller, request, reply } as never, parts);
        request.timeline.resume();
        return answer ? send(endpoint, { caller, request, reply }, answer, parts.db) : reply;
      },
    });
  }
}

/** The decoded input of a request to this endpoint. */
export function inputOf<E extends Pick<Endpoint, "method" | "path" | "input">>(
  endpoint: E,
  request: FastifyRequest,
): EndpointInput<E & Endpoint> {
  const { path, input } = endpoint;
  if (!input) return undefined as EndpointInput<E & Endpoint>;
  const hasBody = takesBody(endpoint);
  // The handler reads a stream itself.
  const body = request.body instanceof Readable ? undefined : request.body;
  return decodeInput(
    { method: hasBody ? "POST" : "GET", path, input },
    {
      path: request.params as Record<string, string>,
      query: request.query as Query,
      // A body may be left out when every field is optional.
      body: hasBody && body === undefined ? {} : body,
    },
  ) as EndpointInput<E & Endpoint>;
}

export async function accountOf(db: Database, caller: Caller): Promise<Account> {
  const found = await retryStore(() => account(db, caller.accountId));
  if (!found) throw unavailable();
  return found;
}

async function send(
  endpoint: Endpoint,
  { caller, request, reply }: Pick<Asked<Endpoint>, "request" | "reply"> & { caller: Caller },
  answer: Answer<unknown>,
  db: Database,
): Promise<FastifyReply> {
  const { data, status = endpoint.status ?? 200, headers, pagination, available } = answer;
  const { requestId = request.id } = answer;
  const json = Buffer.isBuffer(data) ? data : Buffer.from(JSON.stringify(data));
  const balance = async () =>
    available ?? (await accountOf(db, caller)).balances[caller.mode].available;
  const body = endpoint.bare
    ? json
    : closeBody(openBody(requestId, json, pagination), unchanged(await balance()));
  return reply
    .code(status)
    .headers({ ...commonHeaders(requestId, request.version), ...headers })
    .send(body);
}
