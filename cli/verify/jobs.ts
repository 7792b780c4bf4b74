import { Dispatcher } from "../../api/queue/dispatch.ts";
import { runJob } from "../../api/queue/run-job.ts";
import { newRequestId } from "../../api/reply.ts";
import type { CursorPayload } from "../../contract/cursor.ts";
import { type Operation, type Pool, mostRecords } from "../../contract/operation.ts";
import { type Metrics, createMetrics } from "../../runtime/metrics.ts";
import { publishOnce } from "../../runtime/metrics-publisher.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { ProbeKind } from "../../runtime/probe.ts";
import { type JobOutcome, jobVersionOf } from "../../runtime/queue.ts";
import { CliProblem } from "../problem.ts";

/** The names under which verify takes its turn at shared resources, beside the callers' accounts. */
type Lane = "verify" | "canary";

/** BullMQ's last priority: a daily call waits behind every caller, among the items of batches. */
const lastOfAll = 2 ** 21 - 1;

/** Asking ends before the first request. */
const askMs = 20_000;

export interface Ended {
  /** Undefined where no worker answered before the deadline. */
  outcome: JobOutcome | undefined;
  data: unknown;
  ms: number;
}

/** A later page, and upstreams that the call leaves out where the operation has another one. */
export interface Way {
  cursor?: CursorPayload | undefined;
  without?: readonly string[] | undefined;
}

/** How verify reaches workers. */
export type Sender = Pick<Jobs, "hasWorkers" | "send">;

/** Sends jobs to the workers of an installation, without a caller and without credits. */
export class Jobs {
  readonly #dispatcher: Dispatcher;
  readonly #lane: Lane;

  private constructor(dispatcher: Dispatcher, lane: Lane) {
    this.#dispatcher = dispatcher;
    this.#lane = lane;
  }

  static async open(redisUrl: string, lane: Lane = "verify"): Promise<Jobs> {
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
    return new Jobs(dispatcher, lane);
  }

  hasWorkers(pool: Pool): boolean {
    return this.#dispatcher.stateOf(pool).workers > 0;
  }

  async send(
    op: Operation,
    input: Record<string, unknown>,
    probe: ProbeKind,
    { cursor, without }: Way = {},
  ): Promise<Ended> {
    const jobId = newRequestId();
    const startedAt = monotonicNow();
    const deadline = startedAt + (probe === "ask" ? askMs : op.deadlineMs(input));
    const job = {
      v: jobVersionOf({}),
      operation: op.id,
      input,
      mode: "live" as const,
      tenant: this.#lane,
      account: this.#lane,
      max_records: mostRecords(op, input),
      cursor,
      deadline,
      probe,
      probe_without: without,
    };
    const parts = { dispatcher: this.#dispatcher, log: () => undefined };
    const cancels = { deadline: "once" } as const;
    const priority = this.#lane === "canary" ? lastOfAll : undefined;
    const run = { jobId, pool: op.pool, job, deadline, cancels, priority };
    const waited = await runJob(parts, run).catch((error: unknown) => {
      throw new CliProblem("redis", `Redis did not accept the call of ${op.id}: ${String(error)}`);
    });
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

  /** Adds counts to the metrics of the installation. */
  async publish(metrics: Metrics): Promise<void> {
    await publishOnce(this.#dispatcher.redis, metrics);
  }

  async close(): Promise<void> {
    await this.#dispatcher.close();
  }
}
