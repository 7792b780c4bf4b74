import { hostname } from "node:os";
import { GatewayError } from "../contract/errors.ts";
import type { CallLogEntry, Stage } from "../runtime/call-log.ts";
import type { CallTrace, Mark } from "../runtime/trace.ts";
import type { Caller } from "./auth.ts";
import { type Work, loopGuard } from "./loop-guard.ts";
import type { Waited } from "./queue/waiters.ts";

const api = `${hostname()}-${process.pid}`;
const tenths = (ms: number) => Math.round(ms * 10) / 10;

/** Issues with these codes quote names that a caller made up, so their paths are not logged. */
const madeUp = new Set(["unknown_field", "unexpected", "malformed"]);

/** The call log (timeline) of one request while it is served: times, and what was decided. */
export class CallTimeline {
  readonly #at = Date.now();
  readonly #from = performance.now();
  #since = this.#from;
  #stage: Stage = "edge";
  readonly #stages: CallLogEntry["stages"] = {};
  readonly #facts: Pick<
    CallLogEntry,
    "of" | "keyed" | "hold" | "charged" | "ended" | "left" | "error" | "work"
  > = {};
  #fate: CallLogEntry["fate"] = "refused";
  #trace: { spans: CallTrace; marks: Mark<Stage>[] } | undefined;
  /** The handler is still working, although the connection may be closed. */
  busy = false;
  closed = false;
  readonly #work: () => Work;

  /** `work` names the call for the guard of the event loop. */
  constructor(work: () => Work) {
    this.#work = work;
    this.resume();
  }

  /** The thread continues with this call. */
  resume(): void {
    loopGuard.begin(this.#work);
  }

  /** Ends the current stage and begins this one. */
  enter(stage: Stage): void {
    this.resume();
    const now = performance.now();
    this.#stages[this.#stage] = (this.#stages[this.#stage] ?? 0) + now - this.#since;
    this.#since = now;
    this.#stage = stage;
    this.#trace?.marks.push({ name: stage, at: this.#at + now - this.#from });
  }

  /** Records the request as a trace too, from its first stage on. */
  traced(begin: (at: number) => CallTrace | undefined): void {
    const spans = begin(this.#at);
    if (spans) this.#trace = { spans, marks: [{ name: this.#stage, at: this.#at }] };
  }

  get trace(): CallTrace | undefined {
    return this.#trace?.spans;
  }

  keyed(): void {
    this.#facts.keyed = true;
  }

  held(credits: number): void {
    this.#fate = "ran";
    this.#facts.hold = credits;
  }

  /** Marks the log as one of a job or batch item, not of the request that submitted it. */
  carried(hold?: number): void {
    this.#fate = "carried";
    this.#stage = "enqueue";
    if (hold !== undefined) this.#facts.hold = hold;
  }

  /** Another request's answer is sent. */
  answeredBy(fate: "replayed" | "joined", requestId: string): void {
    this.#fate = fate;
    this.#facts.of = requestId;
  }

  /** The request runs as the first call after all: the one it had joined did not finish. */
  alone(): void {
    this.#fate = "refused";
    delete this.#facts.of;
  }

  waited(waited: Waited): void {
    if (waited.kind !== "outcome") this.#facts.ended = waited.kind;
    else if (waited.outcome.work) this.#facts.work = waited.outcome.work;
  }

  charged(credits: number, records: number, truncated: boolean): void {
    this.#facts.charged = { credits, records, truncated: truncated || undefined };
  }

  failed(error: GatewayError): void {
    const issues = error.issues
      ?.slice(0, 5)
      .map(
        (issue) =>
          `${issue.in} ${madeUp.has(issue.code) ? "" : issue.path.slice(0, 80)}: ${issue.code}`,
      );
    const cause = causeOf(error.cause);
    this.#facts.error = {
      type: error.type,
      // The message of a validation error may quote the caller, so it is not logged.
      message: issues || error.type === "invalid_id" ? undefined : error.message.slice(0, 200),
      issues,
      cause,
    };
  }

  left(): void {
    this.#facts.left = true;
  }

  /** Completes the call log; nothing may be added afterwards. */
  end(about: {
    status: number;
    method: string;
    operation: string | undefined;
    pool: string | undefined;
    caller: Pick<Caller, "mode" | "accountId" | "keyId"> | undefined;
    /** Template of the path. */
    route?: string | undefined;
  }): CallLogEntry {
    const { operation, pool, caller, route, ...rest } = about;
    const now = performance.now();
    this.#stages[this.#stage] = (this.#stages[this.#stage] ?? 0) + now - this.#since;
    const spans = this.#trace?.spans;
    for (const stage of Object.keys(this.#stages) as Stage[]) {
      this.#stages[stage] = tenths(this.#stages[stage] as number);
    }
    const entry: CallLogEntry = {
      fate: this.#fate,
      at: this.#at,
      ...rest,
      operation,
      pool,
      mode: caller?.mode,
      account: caller?.accountId,
      key: caller?.keyId,
      api,
      trace: spans?.traceId,
      stages: this.#stages,
      ...this.#facts,
    };
    spans?.end(entry, this.#trace?.marks ?? [], this.#at + now - this.#from, route);
    return entry;
  }
}

/** The error's cause as a code or name; its message may quote anything. */
function causeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { code } = cause as NodeJS.ErrnoException;
  const inner = causeOf(cause.cause);
  const own = typeof code === "string" ? code : cause.name;
  return (inner === undefined ? own : `${own}: ${inner}`).slice(0, 120);
}
