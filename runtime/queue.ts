import type { CursorPayload, Page } from "../contract/cursor.ts";
import type { Mode } from "../contract/mode.ts";
import type { ErrorType, Issue } from "../contract/errors.ts";
import type { Scenario } from "../contract/scenario.ts";
import type { SealedCredentials } from "./own-credentials.ts";
import type { WorkLog } from "./call-log.ts";
import type { CrawlFound, CrawlTask } from "./crawl.ts";
import type { ProbeKind, ProbeReport } from "./probe.ts";
import type { TraceContext } from "./trace.ts";

/**
 * Messages that cross the queue. API and workers know each other only through this file.
 *
 * Two releases run side by side during an upgrade, so jobs, outcomes and hints carry a format version;
 * a missing version is 1. A field that older readers may ignore can be added under the same version. A
 * worker puts a job of a later version, or of an unknown operation, back for a newer worker. An
 * unreadable outcome or hint counts as missing, and the call polls for its result.
 */
export const formatVersion = 2;
/** A job is of the earliest version whose workers may run it: those of version 1 know no own credentials. */
export const jobVersionOf = ({ own }: Pick<JobData, "own">): number => (own ? 2 : 1);
/** Outcomes and hints have not changed since the first version. */
export const outcomeVersion = 1;

/** First priority in a pool's queue of jobs for which no caller waits; those whose callers wait come before. */
export const firstBackgroundPriority = 2 ** 20 + 0xc_0000;

/** One call, as a worker sees it: without API key and balance, and with its account's own credentials encrypted. */
export interface JobData {
  /** Version of this format; absent in jobs of release 0.1.0. */
  v?: number;
  operation: string;
  input: unknown;
  mode: Mode;
  /** Test mode only: the scenario that the sandbox plays (`Svc-Test-Scenario`). */
  scenario?: Scenario | undefined;
  /** Opaque id of account and mode; two tenants never share a browser context. */
  tenant: string;
  /** Opaque id of the account, whatever its mode: accounts take turns by it. The first field. Absent in jobs of release 0.2.0. */
  account?: string | undefined;
  /** Since version 2: the account's own credentials, encrypted for this job alone. */
  own?: SealedCredentials | undefined;
  /** Most billable records to return: as many as the hold pays for. */
  max_records: number;
  /** Decoded from the caller's cursor. */
  cursor?: CursorPayload | undefined;
  /** Unix time in milliseconds, by the clock of Redis, after which the caller no longer waits. */
  deadline: number;
  /** Most milliseconds that the work may run; when absent it may run until the deadline. */
  run_ms?: number | undefined;
  /** Redis channel on which the waiting API process listens. */
  reply: string;
  /** Parent span of the work, for a sampled call. */
  trace?: TraceContext | undefined;
  /** Set on the items of a crawl. */
  crawl?: CrawlTask | undefined;
  /** Set on the jobs of `gateway verify`. */
  probe?: ProbeKind | undefined;
  /** Beside `probe`: upstreams that the job does not turn to where the operation has another one. */
  probe_without?: readonly string[] | undefined;
}

export interface Success {
  ok: true;
  /** Billable records delivered. */
  records: number;
  /** True when fewer records are returned than requested because the balance pays for no more. */
  truncated: boolean;
  /** Price of a record in percent, where every upstream was asked with the account's own credentials. */
  price_percent?: number | undefined;
  /** On paginated lists only; `next` is the payload of the next cursor. */
  pagination?: Page | undefined;
}

export interface Failure {
  ok: false;
  type: ErrorType;
  /** HTTP status, where it differs from the type's own. */
  status?: number | undefined;
  message: string;
  issues?: Issue[] | undefined;
  /** Seconds. */
  retry_after?: number | undefined;
}

/** `work` is for operators, `probe` for `gateway verify`; no answer depends on them. `found` feeds a crawl. */
export type JobOutcome = (Success | Failure) & {
  found?: CrawlFound | undefined;
  work?: WorkLog | undefined;
  probe?: ProbeReport | undefined;
};

/** A hint also carries the outcome, up to this many bytes. */
export const hintLimitBytes = 64 * 1024;

export interface Hint {
  jobId: string;
  stored: Buffer | undefined;
}

/**
 * Hints of one or more jobs: each is a line of job id, length in bytes and version, then that many bytes
 * of the stored outcome (0 when it is too large for a hint). `rest` is true when an unreadable part follows.
 */
export function decodeHints(message: Buffer): { hints: Hint[]; rest: boolean } {
  const hints: Hint[] = [];
  for (let at = 0; at < message.length;) {
    const end = message.indexOf(10, at);
    const line = /^(\S+) (\d+)(?: (\d+))?$/.exec(message.toString("latin1", at, Math.max(at, end)));
    const length = Number(line?.[2]);
    const next = end + 1 + length;
    if (!line || Number(line[3] ?? 1) > outcomeVersion || next > message.length)
      return { hints, rest: true };
    hints.push({
      jobId: line[1] as string,
      stored: length > 0 ? message.subarray(end + 1, next) : undefined,
    });
    at = next;
  }
  return { hints, rest: false };
}

/**
 * The stored form: one line of JSON (the outcome), a line feed, then the bytes of `data` as JSON.
 * The API passes those bytes on without parsing them.
 */
export function encodeOutcome(outcome: JobOutcome, data: Buffer | undefined): Buffer {
  const head = Buffer.from(`${JSON.stringify({ v: outcomeVersion, ...outcome })}\n`);
  return data ? Buffer.concat([head, data]) : head;
}

/** Throws for an outcome written by a later release. */
export function decodeOutcome(stored: Buffer): { outcome: JobOutcome; data: Buffer } {
  const end = stored.indexOf(10);
  const { v = 1, ...outcome } = JSON.parse(stored.toString("utf8", 0, end)) as JobOutcome & {
    v?: number;
  };
  if (v > outcomeVersion) throw new Error(`an outcome of version ${v}`);
  return { outcome, data: stored.subarray(end + 1) };
}

/**
 * The reason why a worker's slots are at their number: a resource of its machine, the quota of an upstream, the most that a
 * worker takes, the setting `WORKER_SLOTS`, or demand, when more calls would get more slots. `worker` is the worker's
 * own thread, `browser` the main thread of its browser.
 */
export const slotsBounds = [
  "processors",
  "memory",
  "browser",
  "worker",
  "quota",
  "maximum",
  "demand",
  "setting",
] as const;
export type SlotsBound = (typeof slotsBounds)[number];

export interface Heartbeat {
  /** Unix time in milliseconds. */
  at: number;
  /** Jobs this worker process runs at once at present. */
  slots: number;
  /** Absent in heartbeats of release 0.2.0, whose slots are a setting. */
  slots_bound?: SlotsBound;
  running: number;
  /** Mean run time of recent jobs in milliseconds. */
  mean_run_ms: number;
  /** An operator has stopped it from taking jobs. */
  quiet?: true;
  /** The machine slows down jobs whose callers wait: items of batches and crawls run one at a time. */
  holds_items_back?: true;
  /** Absent in the first heartbeat of a worker, and in heartbeats of release 0.2.0. */
  machine?: MachineLoad;
}

/** Load of a worker's machine since its previous heartbeat. */
export interface MachineLoad {
  /** Host name and process id, shared by all pools of a process. */
  process: string;
  host: string;
  /** Busy and available processors, of the container where it has a limit. */
  busy_processors: number;
  processors: number;
  /** Processors kept busy by this process and its children. */
  own_processors: number;
  /** Bytes in use, and bytes in all, of the container where it has a limit. */
  memory_used: number;
  memory: number;
  /** True when processors and memory are the container's, so that another container adds capacity. */
  own_limits: boolean;
}

export const heartbeatEveryMs = 10_000;
/** A heartbeat older than this no longer counts. */
export const heartbeatFreshMs = 60_000;
