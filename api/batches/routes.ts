import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type * as z from "zod";
import { batchListInput, batchResultsInput, oneBatchInput } from "../../contract/batches.ts";
import { GatewayError, invalid } from "../../contract/errors.ts";
import { callerOf } from "../callers.ts";
import { type Caller, ownerName } from "../auth.ts";
import type { Services } from "../call.ts";
import { decodeInput } from "../input.ts";
import { pageAsked, sendFree } from "../own.ts";
import { commonHeaders } from "../reply.ts";
import { fromStore } from "../stores.ts";
import type { Batches } from "./batches.ts";
import { resultLines } from "./results.ts";
import { quote, submit } from "./submit.ts";
import { viewOf } from "./view.ts";

/** Streams of results of one account and mode in this process. */
const mostStreams = 16;
const listOperation = "gateway.batches.list";

/** Everything below `/batches`. */
export function addBatches(
  app: FastifyInstance,
  batches: Batches,
  services: Pick<Services, "budgets">,
  draining: () => boolean,
): void {
  // Bodies come as streams here, so these routes have parsers of their own.
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      ["application/json", "application/x-ndjson", "application/ndjson", "application/jsonl"],
      (_request, body, done) => done(null, body),
    );
    addRoutes(scope, batches, services, draining);
  });
}

function addRoutes(
  app: FastifyInstance,
  batches: Batches,
  services: Pick<Services, "budgets">,
  draining: () => boolean,
): void {
  const { store, items, feeder, looks, watchers, cursorSecret, storeNow } = batches;
  const streams = new Map<string, number>();

  function input<I extends z.ZodObject>(path: string, schema: I, request: FastifyRequest) {
    return decodeInput(
      { method: "GET", path, input: schema },
      {
        path: request.params as Record<string, string>,
        query: request.query as URLSearchParams,
        body: undefined,
      },
    );
  }

  async function found(caller: Caller, id: string) {
    const row = await fromStore(() => store.get(caller, id));
    if (!row) throw notFound();
    return row;
  }

  app.post("/batches", { config: { priced: true } }, async (request, reply) => {
    if (request.dryRun) {
      const { body, headers } = await quote(request, batches, services);
      return reply
        .headers({ ...commonHeaders(request.id, request.version), ...headers })
        .send(body);
    }
    const { answer, requestId, replayed } = await submit(request, batches);
    const { id } = (JSON.parse(answer) as { data: { id: string } }).data;
    return reply
      .code(202)
      .headers({
        ...commonHeaders(requestId, request.version),
        location: `/batches/${id}`,
        ...(replayed ? { "idempotency-replayed": "true" } : {}),
      })
      .send(answer);
  });

  app.get("/batches", async (request, reply) => {
    const caller = callerOf(request);
    const { limit, cursor, state } = input("/batches", batchListInput, request);
    const now = storeNow();
    const asked = pageAsked<{ before: number }>(
      request,
      { operation: listOperation, input: { state }, cursor },
      { secret: cursorSecret, now },
    );
    const before = asked.after?.before;
    const [rows, { available }] = await fromStore(() =>
      Promise.all([store.list(caller, { limit: limit + 1, before, state }), store.load(caller)]),
    );
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const data = shown.map((row) => viewOf(row, storeNow()));
    const pagination = asked.told(last && { before: last.id });
    return sendFree(request, reply, { data, pagination }, available);
  });

  app.get("/batches/:id", async (request, reply) => {
    const { id } = input("/batches/{id}", oneBatchInput, request);
    const row = await fromStore(() => looks.get(callerOf(request), id));
    if (!row) throw notFound();
    return sendFree(request, reply, { data: viewOf(row, storeNow()) }, row.available);
  });

  app.delete("/batches/:id", async (request, reply) => {
    const { id } = input("/batches/{id}", oneBatchInput, request);
    const caller = callerOf(request);
    const number = await fromStore(() => store.cancel(caller, id));
    if (number === undefined) throw notFound();
    looks.changed(number);
    watchers.changed(number);
    void feeder.look();
    const row = await found(caller, id);
    return sendFree(request, reply, { data: viewOf(row, storeNow()) }, row.available);
  });

  app.post("/batches/:id/retry", async (request, reply) => {
    const { id } = input("/batches/{id}/retry", oneBatchInput, request);
    const caller = callerOf(request);
    const number = await fromStore(() => store.retry(caller, id));
    if (number === undefined) throw notFound();
    if (number < 0) {
      const message = "A batch that was cancelled is not tried again";
      throw invalid("path", "id", "cancelled", message, { status: 409 });
    }
    looks.changed(number);
    void feeder.look();
    const row = await found(caller, id);
    void reply.header("location", `/batches/${id}`);
    return sendFree(request, reply, { status: 202, data: viewOf(row, storeNow()) }, row.available);
  });

  app.get("/batches/:id/results", async (request, reply) => {
    const { id, after, follow } = input("/batches/{id}/results", batchResultsInput, request);
    const caller = callerOf(request);
    const scope = ownerName(caller);
    const count = streams.get(scope) ?? 0;
    if (count >= mostStreams) {
      const message = `More than ${mostStreams} results are being read`;
      throw new GatewayError("rate_limited", message, { retryAfter: 1 });
    }
    const batch = await found(caller, id);
    streams.set(scope, (streams.get(scope) ?? 0) + 1);
    const lines = Readable.from(
      resultLines({
        batch,
        after,
        follow,
        items,
        watchers,
        now: () => fromStore(() => store.get(caller, id)),
        leaving: draining,
        silenceMs: batches.silenceMs,
      }),
      { objectMode: false },
    );
    lines.once("close", () => {
      const left = (streams.get(scope) ?? 1) - 1;
      if (left > 0) streams.set(scope, left);
      else streams.delete(scope);
    });
    return reply
      .headers({
        ...commonHeaders(request.id, request.version),
        "content-type": "application/x-ndjson; charset=utf-8",
      })
      .send(lines);
  });
}

const notFound = () => new GatewayError("not_found", "There is no such batch");
