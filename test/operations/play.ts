import { operations } from "../../contract/index.ts";
import { type JobData, decodeOutcome } from "../../runtime/queue.ts";
import { type CursorPayload } from "../../contract/cursor.ts";
import { mostRecords, type Operation, pools } from "../../contract/operation.ts";
import type { ErrorType } from "../../contract/errors.ts";
import type { Scenario } from "../../contract/scenario.ts";
import { handlersOf } from "../../worker/handlers.ts";
import { type Outbound, run } from "../../worker/run.ts";
import { createSandbox } from "../../worker/sandbox/sandbox.ts";
import { samples } from "../../worker/sandbox/samples.ts";

/** Every operation that maps an upstream's answer: all but those that read pages and sites. */
export const mapped: readonly Operation[] = [...operations.values()].filter(
  (op) => op.pool !== "browser" && op.area !== "web",
);

export const handlers = await handlersOf(pools);
export const sandbox = createSandbox(samples);

export type Input = Readonly<Record<string, unknown>>;

export interface Answered {
  ok: true;
  /** `data` as the worker stores it. */
  bytes: Buffer;
  data: unknown;
  records: number;
  truncated: boolean;
  pagination?: { has_more: boolean; next?: CursorPayload | undefined };
}

export type Played = (Answered | { ok: false; type: ErrorType; message: string }) & {
  /** The worker's own logged faults: bugs and answers that break their own schema. */
  faults: string[];
};

interface Options {
  scenario?: Scenario;
  cursor?: CursorPayload | undefined;
  maxRecords?: number;
  /** Unix time at which the call seems to begin, for answers that depend on the time. */
  startedAt?: number;
  /** Destination of upstream requests; the samples of the test mode when absent. */
  outbound?: Outbound;
}

/** Runs an operation like a worker in test mode. `input` is decoded. */
export async function play(op: Operation, input: Input, options: Options = {}): Promise<Played> {
  const faults: string[] = [];
  const { startedAt } = options;
  const job: JobData = {
    operation: op.id,
    input,
    mode: "test",
    ...(options.scenario ? { scenario: options.scenario } : {}),
    ...(options.cursor ? { cursor: options.cursor } : {}),
    tenant: "test",
    max_records: options.maxRecords ?? mostRecords(op, input as never),
    // A call that seems to have begun long ago still gets its full time.
    deadline: startedAt === undefined ? Date.now() + 60_000 : startedAt + 3_600_000,
    reply: "",
  };
  const outbound = options.outbound ?? sandbox;
  const { stored } = await run("svc_test", job, new AbortController().signal, {
    operations,
    handlers,
    live: outbound,
    test: outbound,
    log(level, message, fields) {
      if (level === "error") faults.push(`${message}: ${described(fields)}`);
    },
    shapeFault: () => undefined,
    rowsDropped: () => undefined,
    now: startedAt === undefined ? Date.now : () => startedAt,
  });
  const { outcome, data: bytes } = decodeOutcome(stored);
  if (!outcome.ok) return { ok: false, type: outcome.type, message: outcome.message, faults };
  let data: unknown;
  return {
    ok: true,
    bytes,
    // Parsed when read: most repeats of a call return the bytes of the first answer, and nobody reads them.
    get data() {
      return (data ??= JSON.parse(bytes.toString()) as unknown);
    },
    records: outcome.records,
    truncated: outcome.truncated,
    ...(outcome.pagination ? { pagination: outcome.pagination } : {}),
    faults,
  };
}

/** Like `play` for a call that must succeed. */
export async function answer(op: Operation, input: Input, options?: Options): Promise<Answered> {
  const played = await play(op, input, options);
  if (played.ok && played.faults.length === 0) return played;
  const text = played.ok ? "" : `${played.type}: ${played.message}`;
  throw new Error(`${op.id} ${JSON.stringify(input)} -> ${text} ${played.faults.join("; ")}`);
}

function described(fields: Record<string, unknown> | undefined): string {
  const error = fields?.error;
  if (error instanceof Error) return error.stack ?? error.message;
  return JSON.stringify(fields?.issues ?? fields);
}

/** The delivered rows of a list operation. */
export function rowsOf(op: Operation, data: unknown): readonly unknown[] {
  return op.records.kind === "list" ? op.records.rows(data) : [];
}

/** The identity of a record across pages: its `id` if present, else the whole record. */
export function identityOf(row: unknown): string {
  const id = (row as { id?: unknown } | null)?.id;
  return typeof id === "string" || typeof id === "number" ? String(id) : JSON.stringify(row);
}
