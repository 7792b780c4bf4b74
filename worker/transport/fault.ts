import { errors } from "undici";
import { GatewayError, invalid, type Issue } from "../../contract/errors.ts";
import { BodyTooLarge, UnknownEncoding } from "./body.ts";
import { EgressError } from "../../runtime/egress/rules.ts";
import { unreachable } from "../../runtime/upstreams.ts";
import type { Incoming } from "./exchange.ts";
import {
  type Failed,
  isPassingStatus,
  retryAfterMs,
  retryAfterOf,
  defaultRetries,
  defaultRetryAfter,
} from "./retry.ts";
import type { Verdict } from "./upstream.ts";

/** A failed attempt: the caller's error when no retry follows, and whether one may follow. */
export interface Fault extends Failed {
  error: GatewayError;
  /** Counts as a failure in the circuit breaker. */
  unavailable: boolean;
  /** Cause in a word, for logs and metrics. */
  cause: string;
  /** Fault that only the operator can fix. */
  operator?: string | undefined;
  reauthorize?: boolean;
}

const deadlineRetryAfter = 5;
/** `Retry-After` in seconds when the operator must act first. */
export const operatorRetryAfter = 30;

export const unavailableText = "The data source is not available at the moment";
const faultyText = "The data source answered with an error";
const shapeText = "The data source answered in an unexpected shape";

export function unavailable(retryAfter = defaultRetryAfter, cause?: unknown): GatewayError {
  return new GatewayError("upstream_unavailable", unavailableText, { retryAfter, cause });
}

/** Without the operator's credential a retry never succeeds, so there is no Retry-After. */
export const noAccess = (): GatewayError =>
  new GatewayError("upstream_unavailable", "This gateway has no access to the data source");

/** The upstream refused the own credential of the caller's account, which the operator cannot change. */
export const ownCredentialRefused = (): GatewayError =>
  new GatewayError(
    "upstream_unavailable",
    "The data source refused your account's own credential for it",
  );

/** The call's deadline passed while it waited for the upstream or for its limits. */
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

/** A good answer whose body ended too early: fetched once more. */
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

/** The fault of an attempt's exception, by its code; an unknown exception is a bug and is rethrown. */
export function faultOf(error: unknown): Fault {
  const code = codeOf(error);
  if (error instanceof BodyTooLarge) return refused("too_large", error);
  if (error instanceof UnknownEncoding) return refused("encoding", error);
  if (passingCodes.test(code)) {
    return {
      error: unavailable(defaultRetryAfter, error),
      retryable: true,
      retries: defaultRetries,
      throttled: false,
      unavailable: true,
      cause: code.toLowerCase(),
    };
  }
  if (absentCodes.test(code)) {
    const forCaller = unavailable(operatorRetryAfter, error);
    const cause = code.toLowerCase();
    return { ...final, error: forCaller, unavailable: false, cause, operator: unreachable };
  }
  if (definiteCodes.test(code)) return refused(code.toLowerCase(), error);
  throw error;
}

/** The fault of a server that the caller chose and that may or can not be called; undefined for other faults. */
export function serverFault(
  error: unknown,
  field: string,
  locationOf: (field: string) => Issue["in"],
): Fault | undefined {
  const code = codeOf(error);
  if (!absentCodes.test(code)) return undefined;
  const own = { ...final, unavailable: false, cause: code.toLowerCase() };
  if (code !== "EBLOCKED") {
    return {
      ...own,
      error: new GatewayError("upstream_error", "The server's name does not exist"),
    };
  }
  const message = "The server's address is not allowed";
  return { ...own, error: invalid(locationOf(field), field, "destination_not_allowed", message) };
}

function refused(cause: string, error: unknown): Fault {
  return {
    ...final,
    error: new GatewayError("upstream_error", faultyText, { cause: error }),
    unavailable: false,
    cause,
  };
}

/** Connection faults, temporary DNS failures, and errors of undici that say nothing about the answer. */
const passingCodes =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(NET|HOST)(UNREACH|DOWN)|EADDRNOTAVAIL|EAI_AGAIN|EAI_FAIL|ETIMEOUT|ESERVFAIL|ECANCELLED|UND_ERR_(SOCKET|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|DESTROYED|CLOSED|INFO|ABORT|ABORTED|REQ_RETRY|PRX_CONN))$/;

/** No such name, or an address refused by the SSRF filter: the operator must act. */
const absentCodes = /^(ENOTFOUND|ENODATA|EAI_NODATA|EAI_NONAME|EBADNAME|EBLOCKED)$/;

/** An invalid certificate, or an answer that is not HTTP. */
const definiteCodes =
  /^(EPROTO|CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_|RESPONSE$|PRX_TLS|REDIRECT_MAX|WS_))/;

const egressCodes = { blocked: "EBLOCKED", no_such_host: "ENOTFOUND", lookup_failed: "EAI_AGAIN" };

/** Socket errors of undici that are faults of the answer: an unrequested 101 or 100. */
const badAnswers = new Set(["bad response", "bad upgrade"]);

function codeOf(error: unknown): string {
  if (error instanceof EgressError) return egressCodes[error.fault];
  // An answer that is not HTTP; this class has no code.
  if (error instanceof errors.HTTPParserError) return "HPE_INVALID";
  if (error instanceof errors.SocketError && badAnswers.has(error.message)) return "HPE_UPGRADE";
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string") return code;
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return "";
}

type Refusal = Extract<Verdict, { ok: false }>;

/** The fault of an upstream's own refusal: error for the caller, and whether to retry. */
export function refusalFault(
  verdict: Refusal,
  incoming: Incoming,
  now: number,
  locationOf: (field: string) => Issue["in"],
): Fault {
  const { status } = incoming;
  const passing = isPassingStatus(status);
  const header = passing ? retryAfterMs(incoming.headers["retry-after"], now) : undefined;
  const verdictMs = verdict.retryAfter === undefined ? undefined : verdict.retryAfter * 1000;
  const own = verdict.pauseMs ?? verdictMs;
  const hintMs =
    own === undefined && header === undefined ? undefined : Math.max(own ?? 0, header ?? 0);
  const operator = verdict.operator;
  return {
    error: refusalError(verdict, Math.max(verdictMs ?? 0, header ?? 0), locationOf),
    retryable: operator === undefined && (verdict.retry ?? passing),
    retries: verdict.retries ?? defaultRetries,
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
  locationOf: (field: string) => Issue["in"],
): GatewayError {
  const { type, message, field = "" } = verdict;
  if (verdict.operator !== undefined) return unavailable(operatorRetryAfter);
  // Every validation_error has an issue; that of a refusal without a field is about the whole request.
  if (type === "validation_error") return invalid(locationOf(field), field, "refused", message);
  if (type !== "upstream_unavailable") return new GatewayError(type, message);
  const retryAfter = retryAfterOf(retryMs);
  return new GatewayError(type, message, { retryAfter });
}

/** A temporary failure status, where no upstream client judges the answer. */
export function passingFault(incoming: Incoming, now: number): Fault {
  const hintMs = retryAfterMs(incoming.headers["retry-after"], now);
  return {
    error: unavailable(retryAfterOf(hintMs)),
    retryable: true,
    retries: defaultRetries,
    hintMs,
    throttled: incoming.status === 429,
    unavailable: true,
    cause: `http_${incoming.status}`,
  };
}
