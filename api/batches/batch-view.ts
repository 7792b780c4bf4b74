import type { BatchData } from "../../contract/batches.ts";
import type { ErrorType } from "../../contract/errors.ts";
import { defaultReplayMs } from "../../db/calls.ts";
import type { BatchRow } from "../../db/batch-rows.ts";

/** An estimate needs at least this many ended items and this much time in milliseconds. */
const leastEnded = 10;
const leastMs = 500;

/** Renders a batch for its owner; at most 1 KB. */
export function batchView(row: BatchRow, now: number): BatchData {
  const { total, queued, running, succeeded, failed, cancelled, endedAt } = row;
  return {
    id: row.publicId,
    state: stateOf(row),
    created_at: iso(row.createdAt),
    ended_at: endedAt === null ? null : iso(endedAt),
    expires_at: endedAt === null ? null : iso(endedAt + defaultReplayMs),
    items: { total, queued, running, succeeded, failed, cancelled },
    credits: { max: row.maxCredits, held: row.held, charged: row.charged },
    estimated_end_at: endOf(row, now),
    error:
      row.errorType === null
        ? undefined
        : { type: row.errorType as ErrorType, message: row.errorMessage ?? "" },
  };
}

const iso = (at: number) => new Date(at).toISOString();

function stateOf({ state, running, succeeded, failed }: BatchRow): BatchData["state"] {
  if (state === "receiving") return "queued";
  return state === "running" && running + succeeded + failed === 0 ? "queued" : state;
}

/** Extrapolates the pace since the batch began. */
function endOf(row: BatchRow, now: number): string | null {
  if (row.state !== "running" || !row.beganAt) return null;
  const ended = row.succeeded + row.failed - row.beganWith;
  const tookMs = now - row.beganAt;
  if (ended < leastEnded || tookMs < leastMs) return null;
  const leftMs = ((row.queued + row.running) / ended) * tookMs;
  return iso(now + leftMs);
}
