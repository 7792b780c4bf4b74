import { Dispatcher } from "../../api/queue/dispatch.ts";
import { runJob } from "../../api/queue/run-job.ts";
import { newRequestId } from "../../api/reply.ts";
import type { CursorPayload } from "../../contract/cursor.ts";
import { type Operation, type Pool, mostRecords } from "../../contract/operation.ts";
import { createMetrics } from "../../runtime/metrics.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { ProbeKind } from "../../runtime/probe.ts";
import { type JobOutcome, formatVersion } from "../../runtime/queue.ts";
import { CliProblem } from "../problem.ts";

/** The name under which verify takes its turn at shared resources, beside the callers' accounts. */
const account = "verify";

/** Asking ends before the first request. */
const askMs = 20_000;

export interface Ended {
  /** Undefined where no worker answered before the deadline. */
  outcome: JobOutcome | undefined;
  data: unknown;
  ms: number;
}

/** Sends jobs to the workers of an installation, without a caller and without credits. */
export class Jobs {
  readonly #dispatcher: Dispatcher;

  private constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  static async open(redisUrl: string): Promise<Jobs> {
    const faults: Error[] = [];
    const dispatcher = new Dispatcher(redisUrl, createMetrics(), (error) => faults.push(error));
    const timer = Promise.withResolvers<never>();
    const limit = setTimeout(() => {
      timer.reject(
        new CliProblem("redis", `Redis does not answer: ${faults.at(-1)?.message ?? "no answer"}`),
      );
    }, 5000);
    try {
      await Promise.race([dispatcher.start(), timer.promise]);
    } catch (error) {
      await dispatcher.close().catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(limit);
    }
    return new Jobs(dispatcher);
  }

  hasWorkers(pool: Pool): boolean {
    return this.#dispatcher.stateOf(pool).workers > 0;
  }

  async send(
    op: Operation,
    input: Record<string, unknown>,
    probe: ProbeKind,
    cursor?: CursorPayload,
  ): Promise<Ended> {
    const jobId = newRequestId();
    const startedAt = monotonicNow();
    const deadline = startedAt + (probe === "ask" ? askMs : op.deadlineMs(input));
    const job = {
      v: formatVersion,
      operation: op.id,
      input,
      mode: "live" as const,
      tenant: account,
      account,
      max_records: mostRecords(op, input),
      cursor,
      deadline,
      probe,
    };
    const parts = { dispatcher: this.#dispatcher, log: () => undefined };
    const cancels = { deadline: "once" } as const;
    const waited = await runJob(parts, { jobId, pool: op.pool, job, deadline, cancels });
    this.#dispatcher.forget(jobId);
    const ms = monotonicNow() - startedAt;
    if (waited.kind !== "outcome") return { outcome: undefined, data: undefined, ms };
    const { outcome, data } = waited;
    return {
      outcome,
      data: outcome.ok ? (JSON.parse(data.toString()) as unknown) : undefined,
      ms: outcome.work?.ran ?? ms,
    };
  }

  async close(): Promise<void> {
    await this.#dispatcher.close();
  }
}
