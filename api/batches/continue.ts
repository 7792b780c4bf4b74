import type { FastifyRequest } from "fastify";
import { type GatewayError, invalid } from "../../contract/errors.ts";
import { type Database, answerLimitMs } from "../../db/client.ts";
import { claimWrite, releaseWrite } from "../../db/own-writes.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { callerOf } from "../callers.ts";
import { decidedWithinMs } from "../doubts.ts";
import { answerTo, keyed, writeOf } from "../own-writes.ts";
import { bestEffort, retryStore, unavailable } from "../stores.ts";
import type { Batches } from "./batches.ts";

/** A step that sets a batch going again: its failed items, or a crawl that has ended. */
interface Step {
  id: string;
  /** Path of the batch. */
  location: string;
  /** Refuses a first request before anything changes; a repeated one is answered from the first. */
  check?: () => void;
  /** Has one effect for each `stepId`, and none after `notAfter`. The answers are those of `BatchStore.retry`. */
  take: (by: {
    stepId: string;
    notAfter: number;
  }) => Promise<number | "cancelled" | "late" | undefined>;
  notFound: () => GatewayError;
  cancelled: string;
  notKnown: string;
}

/**
 * Takes a step once for each Idempotency-Key, and returns what its answer has beside the data.
 * Throws when nothing changed, or the outcome is not known in time.
 */
export async function continueBatch(
  request: FastifyRequest,
  { id, location, check, take, notFound, cancelled, notKnown }: Step,
  { db, batches: { services, statusCache, scheduler } }: { db: Database; batches: Batches },
): Promise<{ requestId?: string; headers: Record<string, string> }> {
  const caller = callerOf(request);
  const write = writeOf(request);
  const claim = write && { ...write, subject: id };
  const patience = { until: monotonicNow() + decidedWithinMs, patienceMs: decidedWithinMs };
  const claimed =
    claim && (await keyed(() => retryStore(() => claimWrite(db, caller, claim), patience)));
  const earlier = claimed?.requestId === request.id ? undefined : claimed;
  const step = async () => {
    if (!earlier) check?.();
    const by = {
      stepId: earlier?.requestId ?? request.id,
      notAfter: monotonicNow() + answerLimitMs,
    };
    const taken = await services.doubts.outcome(() => take(by), { batch_id: id });
    // The first request may still have its effect, so its key stays its own.
    if (taken === undefined) return undefined;
    if (taken.value === "late") throw unavailable();
    if (taken.value === undefined) throw notFound();
    if (taken.value === "cancelled")
      throw invalid("path", "id", "cancelled", cancelled, { status: 409 });
    return taken.value;
  };
  const number = await step().catch(async (error: unknown) => {
    if (write && !earlier) await bestEffort(releaseWrite(db, caller, write));
    throw error;
  });
  if (number === undefined) throw unavailable(notKnown);
  statusCache.changed(number);
  void scheduler.look();
  const answer = answerTo(earlier);
  return { ...answer, headers: { location, ...answer?.headers } };
}
