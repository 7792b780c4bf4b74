import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyRequest } from "fastify";
import { mediaTypesOfItems } from "../../contract/endpoint.ts";
import { GatewayError, invalid } from "../../contract/errors.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { webhookHeader } from "../../contract/webhook.ts";
import type { KnownBatch } from "../../db/batch-intake.ts";
import type { BatchRow } from "../../db/batch-rows.ts";
import { callerOf } from "../callers.ts";
import type { Caller } from "../auth.ts";
import type { Response, Services } from "../call.ts";
import { priced } from "../dry-run.ts";
import { keyReused } from "../claim.ts";
import { inPieces } from "../edge/edge.ts";
import { closeBody, openBody } from "../envelope.ts";
import { chosenForAll } from "../fields.ts";
import { readFields, readIdempotencyKey, readScenario } from "../headers.ts";
import { retryStore, unavailable } from "../stores.ts";
import type { Batches } from "./batches.ts";
import { type Begun, admit, begin } from "./begin.ts";
import { discard, start, wasAccepted } from "./decide.ts";
import { type Seen, limitUploads } from "./upload-limiter.ts";
import { type ReadBatch, type Reading, readBatch } from "./intake.ts";
import { type BodyKind, optionsIn } from "./options.ts";
import { keepTrace } from "./traces.ts";
import { batchView } from "./batch-view.ts";

/** Receives a batch: all of it, or nothing. */

/** A concurrent retry with the same key waits this long for the first request's answer. */
const joinMs = 30_000;

interface Submitted {
  /** The body of the answer. */
  answer: string;
  requestId: string;
  replayed: boolean;
}

export function submit(request: FastifyRequest, batches: Batches): Promise<Submitted> {
  const caller = callerOf(request);
  return limitUploads(caller, (seen) => take(request, caller, batches, seen));
}

/** Prices a batch: reads and validates the body like a submission, and stores nothing. */
export function quote(
  request: FastifyRequest,
  batches: Batches,
  services: Pick<Services, "budgets">,
): Promise<Response> {
  const caller = callerOf(request);
  return limitUploads(caller, async (seen) => {
    const { read, chosen } = reader(request, caller, batches, seen);
    const batch = await read(async () => undefined);
    refuse(batch);
    chosen(batch);
    const { max_credits: most = Infinity } = batch.options;
    const { least, most: all } = batch.price;
    const capped = most < all ? `; max_credits lets them cost ${most} at most` : "";
    return priced(services, caller, request.id, {
      price: { least: Math.min(least, most), most: Math.min(all, most) },
      needed: 1,
      why: `The sum of ${batch.total} calls, each priced like one of its own${capped}`,
    });
  });
}

/** Reads the headers and the query of a request for a batch, and returns a reader for its body. */
function reader(request: FastifyRequest, caller: Caller, batches: Batches, seen: Seen) {
  const { raw } = request;
  const common = {
    caller,
    version: request.version,
    scenario: readScenario(raw, caller.mode),
    arrivedAt: batches.storeNow(),
  };
  const key = readIdempotencyKey(raw);
  const kind: BodyKind = /^application\/json\b/i.test(request.headers["content-type"] ?? "")
    ? "json"
    : "ndjson";
  const query = optionsIn(request.query as URLSearchParams, kind);
  const fields = readFields(raw);
  const read = (add: Reading["add"]) =>
    readBatch(bodyOf(request), kind, {
      operations: batches.operations,
      common,
      cursorSecret: batches.cursorSecret,
      query,
      fields,
      add,
      seen,
      resume: () => request.timeline.resume(),
    });
  const chosen = ({ options, operations }: ReadBatch) =>
    chosenForAll(
      options.fields,
      operations,
      fields === undefined
        ? { in: kind === "json" ? "body" : "query", path: "fields" }
        : { in: "header", path: "Svc-Fields" },
    );
  return { key, kind, common, read, chosen };
}

type Sent = ReturnType<typeof reader>;

async function take(
  request: FastifyRequest,
  caller: Caller,
  batches: Batches,
  seen: Seen,
): Promise<Submitted> {
  const { store, scheduler } = batches;
  const sent = reader(request, caller, batches, seen);
  const { key, read } = sent;
  const joined = async (known: KnownBatch) => {
    const batch = await read(async () => undefined);
    const { fingerprint } = batch;
    return join(known, fingerprint, {
      caller,
      key: key as string,
      batches,
      refuse: () => refuse(batch),
    });
  };
  const known = key === undefined ? undefined : await retryStore(() => store.find(caller, key));
  if (known) return joined(known);
  const available = await admit(caller, batches);
  const begun = await begin(request, sent, batches);
  if (!("id" in begun)) return joined(begun);
  const { id, incoming } = begun;
  let answer = "";
  const accepted = () => {
    seen.isTaken = true;
    void start(batches, begun).then(() => scheduler.look());
    return { answer, requestId: request.id, replayed: false };
  };
  let isAccepting = false;
  try {
    const batch = await read((items) => retryStore(() => store.add(id, items)));
    const fields = await checked(batch, sent, begun, batches);
    await keepTrace(batches.services, id, request.timeline.trace?.below());
    isAccepting = true;
    const isAccepted = await retryStore(() =>
      store.accept(id, {
        total: batch.total,
        pools: [...batch.pools],
        maxCredits: batch.options.max_credits,
        fields,
        fingerprint: key === undefined ? undefined : batch.fingerprint,
        bytes: batch.bytes,
        keyed: key !== undefined,
        answer: (row) => (answer = answerOf(request.id, row, batch, available)),
      }),
    );
    if (!isAccepted) throw unavailable();
    return accepted();
  } catch (error) {
    if (!isAccepting) await discard(batches, incoming);
    else if (await wasAccepted(batches, incoming)) return accepted();
    throw error;
  }
}

/** Returns the fields of a valid batch; throws the first error of the batch as a whole. */
async function checked(
  batch: ReadBatch,
  { kind, chosen }: Sent,
  { incoming: { caller, publicId }, address: named }: Begun,
  { webhooks }: Batches,
): Promise<ReturnType<Sent["chosen"]>> {
  refuse(batch);
  const fields = chosen(batch);
  const { webhook_url: address } = batch.options;
  if (address === undefined) return fields;
  const field = { in: kind === "json" ? "body" : "query", path: "webhook_url" } as const;
  if (named !== undefined) {
    const message = `webhook_url: ${webhookHeader} is given too`;
    throw invalid(field.in, field.path, "duplicate", message);
  }
  await webhooks.name(caller, publicId, address, field);
  return fields;
}

function refuse({ options, total, skipped }: ReadBatch): void {
  if (total > 0 && (skipped.count === 0 || options.validation === "skip_invalid")) return;
  const [first] = skipped.issues;
  if (!first) throw invalid("body", "items", "too_small", "items: at least one is required");
  const many = skipped.count > 1 ? ` (and ${skipped.count - 1} more items are not valid)` : "";
  const where = first.path ? `${first.path}, line ${first.line}` : `line ${first.line}`;
  throw new GatewayError("validation_error", `${where}: ${first.message}${many}`, {
    issues: skipped.issues,
  });
}

function answerOf(requestId: string, row: BatchRow, batch: ReadBatch, available: number): string {
  const { options, skipped } = batch;
  const data = {
    ...batchView(row, Date.now()),
    skipped: options.validation === "skip_invalid" ? skipped : undefined,
  };
  const billing = {
    credits_charged: 0,
    records_charged: 0,
    balance_remaining: available,
    truncated_due_to_balance: false,
  };
  const open = openBody(requestId, Buffer.from(JSON.stringify(data)), undefined);
  return closeBody(open, billing).toString();
}

/** Answers a repetition with the first request's answer, and waits for it if necessary. */
export async function join(
  known: KnownBatch,
  fingerprint: string,
  {
    caller,
    key,
    batches: { store },
    refuse: refuseAgain,
  }: { caller: Caller; key: string; batches: Batches; refuse?: () => void },
): Promise<Submitted> {
  let first: KnownBatch | undefined = known;
  for (const end = monotonicNow() + joinMs; first && first.answer === undefined;) {
    if (monotonicNow() > end) {
      const message = "The first request with this Idempotency-Key is still being read";
      throw new GatewayError("rate_limited", message, { retryAfter: 1 });
    }
    await sleep(100);
    first = await retryStore(() => store.find(caller, key));
  }
  if (first?.answer === undefined) {
    // The first request was refused; an equal one is refused here for the same reason.
    refuseAgain?.();
    throw unavailable("The first request with this Idempotency-Key was given up; send it again");
  }
  if (first.fingerprint !== fingerprint) {
    throw keyReused();
  }
  const requestId = (JSON.parse(first.answer) as { request_id: string }).request_id;
  return { answer: first.answer, requestId, replayed: true };
}

function bodyOf(request: FastifyRequest): AsyncIterable<Buffer> {
  const body = request.body as Readable | undefined;
  if (!body) {
    const message = `Content-Type: must be ${mediaTypesOfItems.join(" or ")}`;
    throw invalid("header", "Content-Type", "required", message, { status: 415 });
  }
  return inPieces(request.raw, body);
}
