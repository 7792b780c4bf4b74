import type { Redis } from "ioredis";
import { queuePrefix } from "../../runtime/redis/keys.ts";
import type { TraceContext } from "../../runtime/trace.ts";
import type { Services } from "../call.ts";

/** Only the first items of a sampled batch are traced: ten thousand would be one trace of 80,000 spans. */
export const itemsTraced = 100;
/** A batch that takes longer loses its trace. */
const keptSeconds = 24 * 3600;
const keyOf = (batchId: number) => `${queuePrefix}:batch-trace:${batchId}`;

type Stores = Pick<Services, "tracing"> & { dispatcher: { redis: Redis } };

/** Stores the trace for any process that runs the batch's items. */
export async function keepTrace(
  { dispatcher }: Stores,
  batchId: number,
  trace: TraceContext | undefined,
): Promise<void> {
  if (!trace) return;
  const text = JSON.stringify(trace);
  // A lost trace must not fail the batch.
  await dispatcher.redis.set(keyOf(batchId), text, "EX", keptSeconds).catch(() => undefined);
}

/** Undefined when the batch was not sampled, or tracing is off. */
export async function traceOf(
  { tracing, dispatcher }: Stores,
  batchId: number,
): Promise<TraceContext | undefined> {
  if (!tracing) return undefined;
  const text = await dispatcher.redis.get(keyOf(batchId)).catch(() => null);
  return text === null ? undefined : (JSON.parse(text) as TraceContext);
}
