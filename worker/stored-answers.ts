import { randomUUID } from "node:crypto";
import { openCursor, paginationOf } from "../contract/cursor.ts";
import type { Pagination } from "../contract/envelope.ts";
import { GatewayError, invalid } from "../contract/errors.ts";
import { operations } from "../contract/index.ts";
import { type Failure, type JobOutcome, decodeOutcome } from "../runtime/queue.ts";
import { type CursorPayload } from "../contract/cursor.ts";
import { mostRecords, type Operation } from "../contract/operation.ts";
import { monotonicNow } from "../runtime/monotonic.ts";
import { currentVersion } from "../contract/version.ts";
import type { Call } from "./connector.ts";
import type { Incoming } from "./transport/exchange.ts";
import type { Upstream } from "./transport/upstream.ts";
import { handlersOf } from "./handlers.ts";
import { readFetched, readJudged, toResponse } from "./transport/reading.ts";
import { type Outbound, run } from "./run.ts";

/** Result of a mapping: the parts of an envelope that come from the upstream. */
export type Mapped =
  | {
      data: unknown;
      pagination?: Pagination | undefined;
      /** Rows that were left out, by the field that the mapping did not find. */
      dropped?: { field: string; count: number }[] | undefined;
    }
  | {
      error: Pick<Failure, "type" | "message" | "issues"> & {
        /** The place in the upstream's answer that did not fit. */
        field?: string | undefined;
      };
    };

/** Signs cursors that are valid for stored answers only. */
const cursorSecret = "stored answers";
const deadlineMs = 120_000;

interface Options {
  /** Name of the upstream that answers, where the operation has more than one. */
  upstream?: string | undefined;
  log: Call["log"];
}

/**
 * Runs an operation with stored answers instead of the network: the n-th request gets the n-th text,
 * judged and read as in the transport. `input` is decoded.
 */
export async function mapStored(
  op: Operation,
  input: Readonly<Record<string, unknown>>,
  texts: readonly string[],
  options: Options,
): Promise<Mapped> {
  const outbound = storedAnswers(texts, options.upstream);
  let cursor: CursorPayload | undefined;
  if (op.paginated && typeof input.cursor === "string") {
    cursor = openCursor(cursorSecret, bindingOf(op, input), input.cursor, Date.now());
    if (!cursor) {
      throw invalid("query", "cursor", "invalid_cursor", "is not a cursor of this call");
    }
  }
  const maxRecords = mostRecords(op, input as never);
  return mapWith(op, { input, cursor, maxRecords }, outbound, options.log);
}

const bindingOf = (op: Operation, input: Readonly<Record<string, unknown>>) => ({
  operation: op.id,
  version: currentVersion,
  accountId: 0,
  mode: "live" as const,
  input,
});

export interface Asked {
  /** Decoded. */
  input: Readonly<Record<string, unknown>>;
  cursor: CursorPayload | undefined;
  maxRecords: number;
  /** Unix time in milliseconds at which the call seems to run; now when absent. */
  at?: number | undefined;
}

/** The outcome of a mapping before cursors are signed. */
export interface RawMapped {
  outcome: JobOutcome;
  /** Undefined where it failed. */
  data: unknown;
  dropped: { field: string; count: number }[];
  /** The place in the upstream's answer that did not fit. */
  misfit: string | undefined;
}

/** Runs an operation with `outbound` in place of the network. */
export async function runWith(
  op: Operation,
  { input, cursor, maxRecords, at }: Asked,
  outbound: Outbound,
  log: Call["log"],
): Promise<RawMapped> {
  const dropped: { field: string; count: number }[] = [];
  let misfit: string | undefined;
  const now = at === undefined ? monotonicNow : () => at;
  const { stored } = await run(
    randomUUID(),
    {
      operation: op.id,
      input,
      mode: "live",
      tenant: "stored",
      account: "stored",
      max_records: maxRecords,
      cursor,
      deadline: now() + deadlineMs,
      reply: "",
    },
    new AbortController().signal,
    {
      operations,
      handlers: await handlersOf([op.pool]),
      live: outbound,
      test: outbound,
      log,
      shapeFault: ({ path }) => (misfit = path),
      rowsDropped: ({ field, count }) => dropped.push({ field, count }),
      now,
    },
  );
  const { outcome, data } = decodeOutcome(stored);
  return {
    outcome,
    data: outcome.ok ? (JSON.parse(data.toString()) as unknown) : undefined,
    dropped,
    misfit,
  };
}

/** Likewise, as the parts of an envelope. */
export async function mapWith(
  op: Operation,
  asked: Asked,
  outbound: Outbound,
  log: Call["log"],
): Promise<Mapped> {
  const { outcome, data, dropped, misfit } = await runWith(op, asked, outbound, log);
  if (!outcome.ok) {
    const { type, message, issues } = outcome;
    return { error: { type, message, issues, field: misfit } };
  }
  const { pagination } = outcome;
  return {
    data,
    pagination:
      pagination && paginationOf(cursorSecret, bindingOf(op, asked.input), pagination, Date.now()),
    dropped: dropped.length > 0 ? dropped : undefined,
  };
}

/** Answers the n-th request with the n-th text. `chosen`: only this upstream may be asked. */
export function storedAnswers(texts: readonly string[], chosen: string | undefined): Outbound {
  let requests = 0;
  const next = (): Incoming => {
    const text = texts[requests];
    requests += 1;
    if (text === undefined) {
      const given = texts.length === 1 ? "1 is given" : `${texts.length} are given`;
      throw new GatewayError(
        "upstream_unavailable",
        `The operation needs answer ${requests}, but ${given}`,
      );
    }
    const headers = { "content-type": "application/json" };
    return { status: 200, headers, bytes: Buffer.from(text), cut: false };
  };
  return {
    hasCredentials: async ({ name }) => chosen === undefined || name === chosen,
    async send(upstream, request, call) {
      checkUpstream(upstream, chosen);
      const none = () => {};
      const read = readJudged(upstream, call.operation, next(), Date.now(), none, none, request);
      if (!read.ok) throw read.fault.error;
      return read.value;
    },
    fetchFor: (upstream) => async (input) => {
      checkUpstream(upstream, chosen);
      const read = readFetched(next(), Date.now());
      if (!read.ok) throw read.fault.error;
      return toResponse(read.value, input instanceof Request ? input.url : String(input));
    },
  };
}

/** Refuses a request to another upstream than the one the operator named. */
function checkUpstream({ name }: Upstream, chosen: string | undefined): void {
  if (chosen === undefined || name === chosen) return;
  throw new GatewayError("validation_error", `The operation calls ${name}, not ${chosen}`);
}
