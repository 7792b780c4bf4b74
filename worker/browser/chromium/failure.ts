import { GatewayError, invalid } from "../../../contract/errors.ts";
import type { ProxyFault } from "../../egress/browser-proxy.ts";

/** The same answer for every destination that is not allowed, whether or not anything is there. */
export function blockedDestination(): GatewayError {
  return invalid("body", "url", "destination_not_allowed", "The URL's destination is not allowed");
}

const overLimit = new WeakSet<object>();

function takingTooMuch(message: string): GatewayError {
  const error = new GatewayError("upstream_error", message);
  overLimit.add(error);
  return error;
}

/** Whether the page took more than it may. */
export function isOverLimit(error: unknown): boolean {
  return error instanceof GatewayError && overLimit.has(error);
}

export function pageTooLarge(what: string): GatewayError {
  return takingTooMuch(`The page is over its limit: ${what}`);
}

export function pageCrashed(): GatewayError {
  return takingTooMuch("The page crashed, or used too much memory, processor time or workers");
}

/** Another page, or this machine, may have ended the browser, so the same call may succeed later. */
export function browserLost(): GatewayError {
  return new GatewayError("upstream_unavailable", "The browser ended while it had the page", {
    retryAfter: 1,
  });
}

export function tooManyRedirects(): GatewayError {
  return new GatewayError("upstream_error", "The page redirected too many times");
}

const files = new WeakMap<object, string>();

export function notAPage(what: string, url: string): GatewayError {
  const error = new GatewayError(
    "upstream_error",
    `The URL answered with ${what} instead of a page`,
  );
  files.set(error, url);
  return error;
}

/** The address that answered with a file instead of a page, after redirects. */
export function fileInsteadOfPage(error: unknown): string | undefined {
  return error instanceof GatewayError ? files.get(error) : undefined;
}

export interface Refusal {
  status: number;
  headers: { "retry-after"?: string | undefined };
}
const refusals = new WeakMap<object, Refusal>();

export function statusInsteadOfPage(status: number, retryAfter: string | undefined): GatewayError {
  const error = new GatewayError("upstream_error", `The site answered with status ${status}`);
  refusals.set(error, { status, headers: { "retry-after": retryAfter } });
  return error;
}

/** The site's answer where its status refused the page. */
export function refusalInsteadOfPage(error: unknown): Refusal | undefined {
  return error instanceof GatewayError ? refusals.get(error) : undefined;
}

export function networkChanged(): GatewayError {
  return new GatewayError(
    "upstream_unavailable",
    "The gateway's network changed while the page was loaded",
    { retryAfter: 1 },
  );
}

export function stageNotReached(stage: string, timeoutMs: number, reached: string): GatewayError {
  return new GatewayError(
    "upstream_unavailable",
    `The page did not reach "${stage}" within ${timeoutMs} ms; stage reached: ${reached}`,
    { status: 504, retryAfter: 5 },
  );
}

export function isOutOfTime(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.status === 504;
}

export function outOfTime(message: string): GatewayError {
  return new GatewayError("upstream_unavailable", message, { status: 504, retryAfter: 5 });
}

export function brokenOff(): GatewayError {
  return new GatewayError("upstream_unavailable", "The site's answer broke off", { retryAfter: 5 });
}

const blockedErrors = new Set([
  "ERR_UNSAFE_REDIRECT",
  "ERR_UNKNOWN_URL_SCHEME",
  "ERR_DISALLOWED_URL_SCHEME",
  "ERR_UNSAFE_PORT",
  "ERR_BLOCKED_BY_ADMINISTRATOR",
  "ERR_BLOCKED_BY_CLIENT",
  "ERR_INVALID_REDIRECT",
]);

/** The error of a failed navigation, by what the proxy knows first and by Chromium's error name second. */
export function failedNavigation(
  error: string,
  url: string,
  faultOf: (authority: string) => ProxyFault | undefined,
): GatewayError {
  const target = URL.parse(url);
  if (target?.protocol !== "http:" && target?.protocol !== "https:") return blockedDestination();
  if (blockedErrors.has(error)) return blockedDestination();
  const port = target.port || (target.protocol === "http:" ? "80" : "443");
  const fault = faultOf(`${target.hostname}:${port}`);
  if (fault === "blocked") return blockedDestination();
  if (fault === "no_such_host") {
    return new GatewayError("upstream_error", "The URL's host name does not exist");
  }
  if (fault === undefined) {
    if (error === "ERR_NETWORK_CHANGED") return networkChanged();
    if (error === "ERR_TOO_MANY_REDIRECTS") return tooManyRedirects();
    if (/^ERR_(CERT|SSL|BAD_SSL)_/.test(error)) {
      return new GatewayError(
        "upstream_error",
        "The site's TLS certificate or handshake is invalid",
      );
    }
    if (/_AUTH_/.test(error)) {
      return new GatewayError("upstream_error", "The site asks for credentials");
    }
    if (error === "ERR_ABORTED") return notAPage("no content or a download", url);
    if (/^ERR_(INVALID|BLOCKED_BY|RESPONSE|CONTENT|HTTP2|HTTP_)/.test(error)) {
      return new GatewayError("upstream_error", "The site's answer is not valid");
    }
  }
  return new GatewayError("upstream_unavailable", "The site could not be reached", {
    retryAfter: 5,
  });
}
