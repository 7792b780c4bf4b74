import { setTimeout as sleep } from "node:timers/promises";
import { createMetrics } from "../../runtime/metrics.ts";
import { defaultNice } from "../../worker/config.ts";
import { lowerPriority } from "../../worker/niceness.ts";
import { startPool } from "../../worker/pools.ts";
import { type Handlers, type Outbound, run } from "../../worker/run.ts";
import { startTracing } from "../../runtime/tracing/tracing.ts";
import { reportBytesInUse } from "./in-use.ts";
import { noop } from "./noop.ts";

/** A worker of the benchmark's pool with an empty handler; prints a line when it is ready. */
const none: Outbound = {
  send: () => Promise.reject(new Error("no upstream")),
  fetchFor: () => fetch,
};
const handlers = new Map([
  [
    "bench.noop",
    async ({ text, ms }: { text: string; ms: number }) => {
      if (ms > 0) await sleep(ms);
      return { data: { text } };
    },
  ],
]) as unknown as Handlers;
// The same niceness as a real worker.
await lowerPriority(defaultNice);
const tracing = await startTracing({ role: "worker", env: process.env, warn: () => undefined });
await startPool({
  tracing,
  pool: "seo",
  slots: Number(process.env["SLOTS"] ?? 64),
  redisUrl: process.env["REDIS_URL"] as string,
  metrics: createMetrics(),
  log: () => undefined,
  understands: () => true,
  process: (jobId, job, signal, taken) =>
    run(
      jobId,
      job,
      signal,
      {
        operations: new Map(noop.operations.map((op) => [op.id, op])),
        handlers,
        live: none,
        test: none,
        log: () => undefined,
        shapeFault: () => undefined,
        rowsDropped: () => undefined,
        now: Date.now,
      },
      taken,
    ),
});
reportBytesInUse();
process.stdout.write("working\n");
