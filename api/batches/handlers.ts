import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { batchesEndpoints } from "../../contract/batches.ts";
import { mediaTypesOfItems } from "../../contract/endpoint.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { SeenBatch } from "../../db/batches.ts";
import type { Database } from "../../db/client.ts";
import type { Caller } from "../auth.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { Services } from "../call.ts";
import { decidedWithinMs } from "../doubts.ts";
import { type Handlers, addEndpoints } from "../endpoints.ts";
import { pageAsked } from "../paging.ts";
import { commonHeaders } from "../reply.ts";
import { retryStore } from "../stores.ts";
import type { Batches } from "./batches.ts";
import { continueBatch } from "./continue.ts";
import { resultLines } from "./results.ts";
import type { ResultStreams } from "./streams.ts";
import { quote, submit } from "./submit.ts";
import { batchView } from "./batch-view.ts";

export interface ResultParts {
  db: Database;
  batches: Batches;
  streams: ResultStreams;
  draining: () => boolean;
}

interface Parts extends ResultParts {
  services: Pick<Services, "budgets">;
}

interface Asked {
  input: { id: string; after: number; follow: boolean };
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Adds the endpoints below `/batches`. */
export function addBatches(app: FastifyInstance, parts: Parts): void {
  const [create, ...others] = batchesEndpoints;
  addEndpoints(app, others, batchesHandlers, parts);
  // The items are read as a stream, so their route has a parser of its own.
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(mediaTypesOfItems, (_request, body, done) => done(null, body));
    addEndpoints(scope, [create], batchesHandlers, parts);
  });
}

const batchesHandlers = {
  async "gateway.batches.create"({ request, reply }, { batches, services }) {
    if (request.dryRun) {
      const { body, headers } = await quote(request, batches, services);
      void reply.headers({ ...commonHeaders(request.id, request.version), ...headers }).send(body);
      return undefined;
    }
    const { answer, requestId, replayed } = await submit(request, batches);
    const { id } = (JSON.parse(answer) as { data: { id: string } }).data;
    void reply
      .code(202)
      .headers({
        ...commonHeaders(requestId, request.version),
        location: `/batches/${id}`,
        ...(replayed ? { "idempotency-replayed": "true" } : {}),
      })
      .send(answer);
    return undefined;
  },

  async "gateway.batches.list"({ input, caller, request }, { batches }) {
    const { limit, cursor, state } = input;
    const { store, cursorSecret, storeNow } = batches;
    const { after, pagination } = pageAsked<{ before: number }>(
      { caller, request },
      { name: "gateway.batches.list", input: { state }, cursor },
      { secret: cursorSecret, now: storeNow() },
    );
    const [rows, { available }] = await retryStore(() =>
      Promise.all([
        store.list(caller, { limit: limit + 1, before: after?.before, state }),
        store.load(caller),
      ]),
    );
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return {
      data: page.map((row) => batchView(row, storeNow())),
      pagination: pagination(last && { before: last.id }),
      available,
    };
  },

  async "gateway.batches.get"({ input, caller }, { batches }) {
    const row = await retryStore(() => batches.statusCache.get(caller, input.id));
    if (!row) throw notFound();
    return shown(row, batches);
  },

  async "gateway.batches.cancel"({ input: { id }, caller }, { batches }) {
    const { store, statusCache, watchers, scheduler } = batches;
    const number = await retryStore(() => store.cancel(caller, id));
    if (number === undefined) throw notFound();
    statusCache.changed(number);
    watchers.changed(number);
    void scheduler.look();
    return shown(await found(batches, caller, id), batches);
  },

  async "gateway.batches.retry"({ input: { id }, caller, request }, { db, batches }) {
    const answer = await continueBatch(
      request,
      {
        id,
        location: `/batches/${id}`,
        take: (by) => batches.store.retry(caller, id, by),
        notFound,
        cancelled: "A batch that was cancelled is not tried again",
        notKnown:
          "Whether the failed items run again is not known yet; send the request again with the same Idempotency-Key, or look at the batch",
      },
      { db, batches },
    );
    const row = await found(batches, caller, id, decidedWithinMs);
    return { ...shown(row, batches), ...answer };
  },

  "gateway.batches.results": (asked, parts) => sendResults(asked, parts),
} satisfies Handlers<typeof batchesEndpoints, Parts>;

/** Sends the lines of a batch. */
export async function sendResults(
  { input, caller, request, reply }: Asked,
  { batches, streams, draining }: ResultParts,
): Promise<undefined> {
  const { id, after, follow } = input;
  streams.check(caller);
  const batch = await found(batches, caller, id);
  const head = {
    // The lines are of the batch's version, whichever asks for them.
    ...commonHeaders(request.id, batch.version),
    "content-type": "application/x-ndjson; charset=utf-8",
  };
  if (request.method === "HEAD") {
    void reply.headers(head).send("");
    return undefined;
  }
  const close = streams.open(caller);
  const { items, watchers, store, silenceMs } = batches;
  const lines = Readable.from(
    resultLines({
      batch,
      after,
      follow,
      items,
      watchers,
      now: () => retryStore(() => store.get(caller, id)),
      leaving: draining,
      resumed: () => request.timeline.resume(),
      silenceMs,
    }),
    { objectMode: false },
  );
  lines.once("close", close);
  void reply.headers(head).send(lines);
  return undefined;
}

/** Waits for the row while Postgres is away, at most `patienceMs`. */
async function found(
  { store }: Batches,
  caller: Caller,
  id: string,
  patienceMs = 0,
): Promise<SeenBatch> {
  const until = monotonicNow() + patienceMs;
  const row = await retryStore(() => store.get(caller, id), { until, patienceMs });
  if (!row) throw notFound();
  return row;
}

const shown = (row: SeenBatch, { storeNow }: Batches) => ({
  data: batchView(row, storeNow()),
  available: row.available,
});

const notFound = () => new GatewayError("not_found", "There is no such batch");
