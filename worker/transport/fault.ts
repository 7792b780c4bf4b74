import { errors } from "undici";
import { GatewayError, invalid, type Issue } from "../../contract/errors.ts";
import { BodyTooLarge, UnknownEncoding } from "./body.ts";
import { EgressError } from "../egress/rules.ts";
import type { Incoming } from "./exchange.ts";
import { type Failed, isPassingStatus, retryAfterMs, toRetryAfter, usualRetries } from "./retry.ts";
import type { Verdict } from "./upstream.ts";

/** A failed try: what the caller is told when no other follows, and what may follow. */
export interface Fault extends Failed {
  error: GatewayError;
  /** Counts against the breaker. */
  unavailable: boolean;
  /** Why, in a word, for logs and metrics. */
  cause: string;
  /** What only the operator can cure. */
  operator?: string | undefined;
  reauthorize?: boolean;
}

/** Seconds told to a caller when nothing better is known. */
const usualRetryAfter = 5;
const deadlineRetryAfter = 5;
/** Seconds told to a caller when the operator must act first. */
export const operatorRetryAfter = 30;

export const unavailableText = "The data source is not available at the moment";
const faultyText = "The data source answered with an error";
const shapeText = "The data source answered in an unexpected shape";

export function unavailable(retryAfter = usualRetryAfter, cause?: unknown): GatewayError {
  return new GatewayError("upstream_unavailable", unavailableText, { retryAfter, cause });
}

/** Our own deadline passed while the upstream, or room at it, was waited for. */
export function tooLate(): GatewayError {
  return new GatewayError("upstream_unavailable", "The data source did not answer in time", {
    status: 504,
    retryAfter: deadlineRetryAfter,
  });
}

const final = { retryable: false, retries: 0, throttled: false } as const;

export function timeoutFault(): Fault {
  return { ...final, error: tooLate(), unavailable: true, cause: "timeout" };
}

/** A body that ended too early in an answer that was otherwise good: fetched once more. */
export function truncatedFault(retryable: boolean): Fault {
  return {
    error: new GatewayError("response_shape_error", shapeText),
    retryable,
    retries: 1,
    throttled: false,
    unavailable: false,
    cause: "truncated",
  };
}

/** Sorts what a try threw by its cause; rethrows what is a bug of ours. */
export function faultOf(error: unknown): Fault {
  const code = codeOf(error);
  if (error instanceof BodyTooLarge) return refused("too_large", error);
  if (error instanceof UnknownEncoding) return refused("encoding", error);
  if (passingCodes.test(code)) {
    return {
      error: unavailable(usualRetryAfter, error),
      retryable: true,
      retries: usualRetries,
      throttled: false,
      unavailable: true,
      cause: code.toLowerCase(),
    };
  }
  if (absentCodes.test(code)) {
    const told = unavailable(operatorRetryAfter, error);
    const cause = code.toLowerCase();
    return { ...final, error: told, unavailable: false, cause, operator: "address" };
  }
  if (definiteCodes.test(code)) return refused(code.toLowerCase(), error);
  throw error;
}

function refused(cause: string, error: unknown): Fault {
  return {
    ...final,
    error: new GatewayError("upstream_error", faultyText, { cause: error }),
    unavailable: false,
    cause,
  };
}

/** Connection faults and temporary DNS failure. Of undici's errors those that say nothing about the answer. */
const passingCodes =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(NET|HOST)(UNREACH|DOWN)|EADDRNOTAVAIL|EAI_AGAIN|EAI_FAIL|ETIMEOUT|ESERVFAIL|ECANCELLED|UND_ERR_(SOCKET|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|DESTROYED|CLOSED|INFO|ABORT|ABORTED|REQ_RETRY|PRX_CONN))$/;

/** No such name, or an address that may not be dialled: nobody has answered, and the operator must act. */
const absentCodes = /^(ENOTFOUND|ENODATA|EAI_NODATA|EAI_NONAME|EBADNAME|EBLOCKED)$/;

/** A certificate that does not hold, an answer that is not HTTP. */
const definiteCodes =
  /^(EPROTO|CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_|RESPONSE$|PRX_TLS|REDIRECT_MAX|WS_))/;

const egressCodes = { blocked: "EBLOCKED", no_such_host: "ENOTFOUND", lookup_failed: "EAI_AGAIN" };

/** What undici calls a socket error although the answer itself was at fault: 101 or 100 unasked. */
const badAnswers = new Set(["bad response", "bad upgrade"]);

function codeOf(error: unknown): string {
  if (error instanceof EgressError) return egressCodes[error.fault];
  // Whatever is not HTTP: its class comes without a code.
  if (error instanceof errors.HTTPParserError) return "HPE_INVALID";
  if (error instanceof errors.SocketError && badAnswers.has(error.message)) return "HPE_UPGRADE";
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string") return code;
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return "";
}

type Refusal = Extract<Verdict, { ok: false }>;

/** What an upstream's own refusal means for the caller and for the next try. */
export function refusalFault(
  verdict: Refusal,
  incoming: Incoming,
  now: number,
  placeOf: (field: string) => Issue["in"],
): Fault {
  const { status } = incoming;
  const passing = isPassingStatus(status);
  const header = passing ? retryAfterMs(incoming.headers["retry-after"], now) : undefined;
  const told = verdict.retryAfter === undefined ? undefined : verdict.retryAfter * 1000;
  const own = verdict.pauseMs ?? told;
  const hintMs =
    own === undefined && header === undefined ? undefined : Math.max(own ?? 0, header ?? 0);
  const operator = verdict.operator;
  return {
    error: refusalError(verdict, Math.max(told ?? 0, header ?? 0), placeOf),
    retryable: operator === undefined && (verdict.retry ?? passing),
    retries: verdict.retries ?? usualRetries,
    hintMs,
    throttled: status === 429 || verdict.pauseMs !== undefined,
    unavailable: verdict.unavailable ?? passing,
    cause: operator === undefined ? `http_${status}` : "operator",
    operator,
    reauthorize: verdict.reauthorize ?? false,
  };
}

function refusalError(
  verdict: Refusal,
  retryMs: number,
  placeOf: (field: string) => Issue["in"],
): GatewayError {
  const { type, message, field } = verdict;
  if (verdict.operator !== undefined) return unavailable(operatorRetryAfter);
  if (type === "validation_error" && field !== undefined) {
    return invalid(placeOf(field), field, "refused", message);
  }
  if (type !== "upstream_unavailable") return new GatewayError(type, message);
  const retryAfter = retryMs > 0 ? toRetryAfter(retryMs) : usualRetryAfter;
  return new GatewayError(type, message, { retryAfter });
}

/** A status that says "not now", where no upstream client judges it. */
export function passingFault(incoming: Incoming, now: number): Fault {
  const hintMs = retryAfterMs(incoming.headers["retry-after"], now);
  return {
    error: unavailable(hintMs ? toRetryAfter(hintMs) : usualRetryAfter),
    retryable: true,
    retries: usualRetries,
    hintMs,
    throttled: incoming.status === 429,
    unavailable: true,
    cause: `http_${incoming.status}`,
  };
}
