import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { canonicalJson } from "../../contract/canonical.ts";
import type { CrawlInput } from "../../contract/crawls.ts";
import { invalid } from "../../contract/errors.ts";
import { webhookHeader } from "../../contract/webhook.ts";
import type { KnownBatch } from "../../db/batch-intake.ts";
import type { BatchRow } from "../../db/batch-rows.ts";
import type { CrawlStore, NewCrawl } from "../../db/crawls.ts";
import { callerOf } from "../callers.ts";
import type { Caller } from "../auth.ts";
import { closeBody, openBody, unchanged } from "../envelope.ts";
import { readIdempotencyKey, readScenario } from "../headers.ts";
import { retryStore, unavailable } from "../stores.ts";
import type { Batches } from "../batches/batches.ts";
import { type Begun, admit, begin } from "../batches/begin.ts";
import { discard, start, wasAccepted } from "../batches/decide.ts";
import { join } from "../batches/submit.ts";
import { keepTrace } from "../batches/traces.ts";
import { crawlView } from "./crawl-view.ts";
import { planOf } from "./plan.ts";

/** Accepts a crawl: all of it, or nothing. */

interface Created {
  answer: string;
  requestId: string;
  replayed: boolean;
}

export async function create(
  request: FastifyRequest,
  input: CrawlInput,
  batches: Batches,
  crawls: CrawlStore,
): Promise<Created> {
  const caller = callerOf(request);
  const scenario = readScenario(request.raw, caller.mode);
  const { version } = request;
  const common = { caller, version, scenario, arrivedAt: batches.storeNow() };
  const plan = planOf(input, batches.operations, common, batches.cursorSecret);
  const key = readIdempotencyKey(request.raw);
  const fingerprint = hash(
    "sha256",
    canonicalJson(["crawl", input, version, scenario ?? null]),
    "base64url",
  );
  const joined = (known: KnownBatch) =>
    join(known, fingerprint, { caller, key: key as string, batches });
  const known = key === undefined ? undefined : await retryStore(() => crawls.find(caller, key));
  if (known) return joined(known);
  const available = await admit(caller, batches);
  const begun = await begin(request, { key, common }, batches);
  if (!("id" in begun)) return joined(begun);
  let answer = "";
  const accepted = () => {
    void start(batches, begun).then(() => batches.scheduler.look());
    return { answer, requestId: request.id, replayed: false };
  };
  let isAccepting = false;
  try {
    await nameWebhook(input, caller, begun, batches);
    await retryStore(() => crawls.begin(begun.id, plan));
    await keepTrace(batches.services, begun.id, request.timeline.trace?.below());
    isAccepting = true;
    const isAccepted = await retryStore(() =>
      crawls.accept(begun.id, {
        total: 1,
        pools: [...new Set([plan.file.pool, plan.page.pool])],
        maxCredits: input.max_credits,
        fields: undefined,
        fingerprint: key === undefined ? undefined : fingerprint,
        bytes: 0,
        keyed: key !== undefined,
        answer: (row) => (answer = answerOf(request.id, row, plan, available)),
      }),
    );
    if (!isAccepted) throw unavailable();
    return accepted();
  } catch (error) {
    if (!isAccepting) await discard(batches, begun.incoming);
    else if (await wasAccepted(batches, begun.incoming)) return accepted();
    throw error;
  }
}

async function nameWebhook(
  { webhook_url: address }: CrawlInput,
  caller: Caller,
  { incoming: { publicId }, address: named }: Begun,
  { webhooks }: Batches,
): Promise<void> {
  if (address === undefined) return;
  if (named !== undefined) {
    const message = `webhook_url: ${webhookHeader} is given too`;
    throw invalid("body", "webhook_url", "duplicate", message);
  }
  await webhooks.name(caller, publicId, address, { in: "body", path: "webhook_url" });
}

function answerOf(
  requestId: string,
  row: BatchRow,
  { url, limit }: NewCrawl,
  available: number,
): string {
  const crawl = {
    url,
    limit,
    known: 0,
    waiting: 0,
    delivered: 0,
    duplicates: 0,
    skipped: 0,
    delayMs: 0,
    stoppedBy: null,
  };
  const data = Buffer.from(JSON.stringify(crawlView(row, crawl, Date.now())));
  return closeBody(openBody(requestId, data, undefined), unchanged(available)).toString();
}
