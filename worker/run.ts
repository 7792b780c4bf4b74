import { setTimeout as sleep } from "node:timers/promises";
import type * as z from "zod";
import { type ErrorType, GatewayError } from "../contract/errors.ts";
import { type JobData, type JobOutcome, type Success, encodeOutcome } from "../runtime/queue.ts";
import type { ShapeReport } from "../runtime/shape-report.ts";
import type { WorkLog } from "../runtime/call-log.ts";
import { countRecords, mostRecords, type Operation } from "../contract/operation.ts";
import type { Answer, Call, Failovers, Handler, Patience, Standing, Turn } from "./connector.ts";
import { type Dropped as DroppedRows, countDropped } from "./mapping/dropped.ts";
import { CredentialsOfJob } from "./own-credentials.ts";
import { Probe } from "./probe.ts";
import { outline } from "./shape-report.ts";
import { WorkTimeline, type Taken } from "./timeline.ts";
import type { Reply, Upstream, UpstreamRequest } from "./transport/upstream.ts";
import { ShapeError } from "#wire";

/** Delay of the scenario `slow`, in milliseconds. */
const slowMs = 3000;

/** Most bytes of `data`, as JSON. */
const dataLimitBytes = 32 * 1024 * 1024;

export type Handlers = ReadonlyMap<string, Handler<Operation>>;

export interface Services {
  operations: ReadonlyMap<string, Operation>;
  handlers: Handlers;
  live: Outbound;
  /** For test keys: samples instead of the network. */
  test: Outbound;
  log: Call["log"];
  /** Decrypt the own credentials that jobs carry. */
  credentialsKeys?: readonly string[] | undefined;
  /** Receives a report of every answer that did not fit, with the structure of the upstream's last answer. */
  shapeFault(report: ShapeReport): void;
  /** Receives each turn of an operation from one upstream to the other. */
  turned?: (turn: Turn, operation: string) => void;
  /** Receives each missing field that caused rows of a delivered answer to be left out. */
  rowsDropped(report: DroppedReport): void;
  /** A JSON value of this operation with personal values replaced, for `gateway verify --record`. */
  replaced?: (operation: string, value: unknown) => unknown;
  now(): number;
}

export interface DroppedReport {
  operation: string;
  upstream: string;
  field: string;
  count: number;
}

/** Sends requests to upstreams: the transport, the sandbox or stored answers. */
export interface Outbound {
  send(upstream: Upstream, request: UpstreamRequest, call: Call): Promise<Reply>;
  fetchFor(upstream: Upstream, call: Call): typeof fetch;
  /** Samples and stored answers need no credentials. */
  hasCredentials?: (upstream: Upstream, call?: Call) => Promise<boolean>;
  /** Present where operations with two upstreams may turn from one to the other. */
  rests?: Rests;
}

/** Knows which upstreams rest, for operations that another one can answer. */
export interface Rests {
  standing(upstream: Upstream, call: Call): Promise<Standing>;
  /** Notes how an upstream failed, or that it answered the operation. */
  fared(upstream: Upstream, call: Call, failure: ErrorType | undefined): void;
}

/** Thrown by `run` when the caller no longer waits; the job ends without an outcome. */
export class Abandoned extends Error {
  readonly reason: "expired" | "cancelled";
  /** The call log of the work up to that point. */
  readonly work: WorkLog | undefined;

  constructor(reason: "expired" | "cancelled", cause?: unknown, work?: WorkLog) {
    super(reason, { cause });
    this.reason = reason;
    this.work = work;
  }
}

export interface RunResult {
  /** `ok` or the error type. */
  outcome: "ok" | ErrorType;
  /** Stored form of the outcome. */
  stored: Buffer;
}

/**
 * Runs one job and returns its outcome in stored form.
 * A known failure becomes a value; a bug becomes `internal_error` and is logged with its stack.
 * With `taken` the outcome carries the call log of the work.
 */
export async function run(
  jobId: string,
  job: JobData,
  signal: AbortSignal,
  services: Services,
  taken?: Taken,
): Promise<RunResult> {
  const timeline = taken && new WorkTimeline(taken);
  const startedAt = services.now();
  if (startedAt >= job.deadline) throw new Abandoned("expired");
  const operation = services.operations.get(job.operation);
  const handler = services.handlers.get(job.operation);
  if (!operation || !handler) {
    return failed(new GatewayError("internal_error", "Unknown operation"), workOf(timeline, true));
  }
  const attempt = new Run(jobId, job, operation, startedAt, signal, services, timeline);
  try {
    return await attempt.answer(handler);
  } catch (error) {
    return attempt.failure(error);
  }
}

/** One run of a job: its call, and the upstream that it asked last. */
class Run {
  readonly #operation: Operation;
  readonly #job: JobData;
  readonly #services: Services;
  readonly #timeline: WorkTimeline | undefined;
  readonly #deadline: AbortSignal;
  readonly #aborted: AbortSignal;
  readonly #outbound: Outbound;
  readonly #probe: Probe | undefined;
  readonly #dropped: DroppedRows = new Map();
  readonly #call: Call;
  readonly #own: CredentialsOfJob;
  readonly #misfits = new Set<ShapeError>();
  #last: { upstream: string; body: unknown } | undefined;

  constructor(
    jobId: string,
    job: JobData,
    operation: Operation,
    startedAt: number,
    signal: AbortSignal,
    services: Services,
    timeline: WorkTimeline | undefined,
  ) {
    this.#job = job;
    this.#operation = operation;
    this.#services = services;
    this.#timeline = timeline;
    this.#deadline = AbortSignal.timeout(Math.max(1, job.deadline - startedAt));
    this.#aborted = AbortSignal.any([signal, this.#deadline]);
    const { replaced } = services;
    this.#probe =
      job.probe &&
      new Probe(
        job.probe,
        replaced && ((value) => replaced(job.operation, value)),
        job.probe_without,
      );
    this.#outbound = this.#probe?.around(services[job.mode]) ?? services[job.mode];
    this.#own = new CredentialsOfJob(jobId, job, services.credentialsKeys ?? []);
    this.#call = {
      requestId: jobId,
      operation: job.operation,
      mode: job.mode,
      scenario: job.scenario,
      tenant: job.tenant,
      account: job.account ?? job.tenant,
      signal: this.#aborted,
      deadline: job.deadline,
      startedAt,
      maxRecords: job.max_records,
      own: job.own && this.#own,
      shortOfCredits: job.max_records < mostRecords(operation, job.input as never),
      cursor: job.cursor,
      crawl: job.crawl,
      send: (upstream, request, patience) => this.#send(upstream, request, patience),
      fetchFor: (upstream) => this.#fetchFor(upstream),
      standingOf: (upstream) => this.#standingOf(upstream),
      failovers: this.#failovers(),
      log: (level, message, fields) =>
        services.log(level, message, { request_id: jobId, operation: job.operation, ...fields }),
      timeline,
    };
  }

  async answer(handler: Handler<Operation>): Promise<RunResult> {
    const job = this.#job;
    if (job.scenario === "slow") await sleep(slowMs, undefined, { signal: this.#aborted });
    const dropped = this.#dropped;
    const answer = await countDropped(dropped, () => handler(job.input as never, this.#call));
    playScenario(job);
    const done = finished(this.#operation, answer, this.#call, () => ({
      ...this.#work(false),
      ...(job.own ? { price_percent: this.#own.pricePercent } : {}),
    }));
    this.#reportDropped(dropped);
    return done;
  }

  /** The outcome of a run that failed; throws when nobody waits for it. */
  failure(error: unknown): RunResult {
    const timeline = this.#timeline;
    if (this.#aborted.aborted) {
      const reason = this.#deadline.aborted ? "expired" : "cancelled";
      throw new Abandoned(reason, error, timeline?.finish(true));
    }
    if (error instanceof ShapeError) this.#misfit(error);
    if (error instanceof GatewayError) {
      timeline?.because(error.cause);
      return failed(error, this.#work(true));
    }
    this.#call.log("error", "bug in a handler", { error });
    timeline?.cause("bug");
    return failed(new GatewayError("internal_error", "Internal error"), this.#work(true));
  }

  /** Reports an answer that did not fit, once. */
  #misfit(error: ShapeError): void {
    if (this.#misfits.has(error)) return;
    this.#misfits.add(error);
    const { path } = error;
    this.#timeline?.cause(`shape ${path}`);
    this.#services.shapeFault({
      at: this.#services.now(),
      request_id: this.#call.requestId,
      operation: this.#job.operation,
      upstream: this.#last?.upstream ?? "unknown",
      path,
      sample: outline(this.#last?.body),
    });
  }

  async #standingOf(upstream: Upstream): Promise<Standing> {
    const outbound = this.#outbound;
    const { rests } = outbound;
    if (rests) return rests.standing(upstream, this.#call);
    return (await outbound.hasCredentials?.(upstream, this.#call)) === false
      ? "no_credentials"
      : "ready";
  }

  #failovers(): Failovers | undefined {
    const { rests } = this.#outbound;
    return (
      rests && {
        answered: (upstream) => rests.fared(upstream, this.#call, undefined),
        turned: (turn) => {
          const { from, to, reason, error } = turn;
          if (error) rests.fared(from, this.#call, error.type);
          // The other upstream's answer must not hide a mapping that no longer fits.
          if (error instanceof ShapeError) this.#misfit(error);
          this.#timeline?.turned({ from: from.name, to: to.name, reason });
          this.#services.turned?.(turn, this.#job.operation);
        },
      }
    );
  }

  #work(hasFailed: boolean): WithWork {
    const probe = this.#probe && { probe: this.#probe.report(this.#dropped, this.#job.input) };
    return { ...workOf(this.#timeline, hasFailed), ...probe };
  }

  async #send(upstream: Upstream, request: UpstreamRequest, patience?: Patience): Promise<Reply> {
    const call = patience ? { ...this.#call, ...patience } : this.#call;
    const reply = await this.#during(() => this.#outbound.send(upstream, request, call));
    this.#own.answered(upstream);
    this.#last = { upstream: upstream.name, body: reply.body };
    return reply;
  }

  #fetchFor(upstream: Upstream): typeof fetch {
    this.#last = { upstream: upstream.name, body: undefined };
    const fetched = this.#outbound.fetchFor(upstream, this.#call);
    return async (input, init) => {
      const response = await this.#during(() => fetched(input, init));
      this.#own.answered(upstream);
      return response;
    };
  }

  #during<T>(step: () => Promise<T>): Promise<T> {
    return this.#timeline ? this.#timeline.during(step) : step();
  }

  #reportDropped(dropped: DroppedRows): void {
    const { operation } = this.#job;
    const upstream = this.#last?.upstream ?? "unknown";
    for (const [field, count] of dropped) {
      this.#call.log("warn", "rows of an upstream's answer did not fit", {
        upstream,
        field,
        count,
      });
      this.#services.rowsDropped({ operation, upstream, field, count });
    }
  }
}

/**
 * Forces the failure of a test scenario where the operation has answered all the same: it asked no upstream
 * (rendering, arithmetic look-ups), or it asked for a list, for which "not found" is an empty one.
 */
function playScenario(job: JobData): void {
  switch (job.scenario) {
    case "not_found":
    case "upstream_error":
    case "upstream_unavailable":
    case "response_shape_error":
      throw new GatewayError(
        job.scenario,
        "Forced by Svc-Test-Scenario",
        job.scenario === "upstream_unavailable" ? { retryAfter: 1 } : {},
      );
  }
}

type WithWork = Pick<JobOutcome, "work" | "probe"> & Pick<Success, "price_percent">;

function workOf(timeline: WorkTimeline | undefined, hasFailed: boolean): WithWork {
  return timeline ? { work: timeline.finish(hasFailed) } : {};
}

function finished(
  operation: Operation,
  answer: Answer<unknown>,
  call: Call,
  work: () => WithWork,
): RunResult {
  const checked = operation.data.safeParse(answer.data);
  if (!checked.success) {
    call.log("error", "answer breaks its own schema", { issues: shapeOf(checked.error) });
    throw new ShapeError(`answer: ${checked.error.issues[0]?.path.join(".") ?? ""}`);
  }
  const records = countRecords(operation, checked.data);
  if (records > call.maxRecords)
    throw new Error(`${records} records where ${call.maxRecords} are paid for`);
  const pagination = answer.pagination ?? (operation.onePage ? { has_more: false } : undefined);
  const data = Buffer.from(JSON.stringify(checked.data));
  if (data.length > dataLimitBytes) {
    throw new GatewayError("upstream_error", "The result is larger than 32 MiB");
  }
  const outcome: JobOutcome = {
    ok: true,
    records,
    truncated: answer.truncated ?? false,
    pagination,
    found: answer.found,
    ...work(),
  };
  return { outcome: "ok", stored: encodeOutcome(outcome, data) };
}

/** Where the faults are and what was expected there; values are never logged. */
function shapeOf(error: z.ZodError): { path: string; code: string }[] {
  return error.issues
    .slice(0, 10)
    .map((issue) => ({ path: issue.path.join("."), code: issue.code }));
}

function failed(error: GatewayError, work: WithWork): RunResult {
  const outcome: JobOutcome = {
    ok: false,
    type: error.type,
    status: error.status,
    message: error.message,
    issues: error.issues,
    retry_after: error.retryAfter,
    ...work,
  };
  return { outcome: error.type, stored: encodeOutcome(outcome, undefined) };
}
