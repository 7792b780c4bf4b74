import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { busy, judgeByStatus, missing, unavailable } from "../../transport/verdicts.ts";
import { at, integer, text } from "#wire";

/**
 * 300 requests a day of an address without a key, and 10,000 with one (https://api.stackexchange.com/docs/throttle).
 */
export const stackExchange: Upstream = {
  name: "stack-exchange",
  silenceMs: 15_000,
  baseUrl: { env: "STACK_EXCHANGE_BASE_URL", default: "https://api.stackexchange.com/2.3" },
  credentials: [],
  credentialQuery: { key: "STACK_EXCHANGE_KEY" },
  limits: { perSecond: 300 / 86_400, burst: 300, simultaneous: 5 },
  optional: {
    credential: "STACK_EXCHANGE_KEY",
    limits: { perSecond: 10_000 / 86_400, burst: 1000, simultaneous: 10 },
  },
  judge,
};

/** Faults are numbered (https://api.stackexchange.com/docs/error-handling); most have status 400. */
function judge(reply: Reply): Verdict {
  const { body } = reply;
  const fault = integer(at(body, "error_id"));
  const message = text(at(body, "error_message")) ?? "";
  switch (fault) {
    case undefined:
      return judgeByStatus(reply);
    case 400:
      return /site/i.test(message)
        ? { ok: false, type: "validation_error", message: "There is no such site", field: "site" }
        : { ok: false, type: "validation_error", message: "The source does not accept this query" };
    case 404:
      return missing;
    case 401:
    case 402:
    case 403:
    case 405:
    case 406:
      return { ...unavailable, operator: "credential refused" };
    case 502: {
      const seconds = integer(/(\d+) seconds/.exec(message)?.[1]);
      // A ban lasts for hours; a retry would make it longer.
      return { ...busy(seconds), retry: false } as Verdict;
    }
    default:
      return { ...unavailable, retry: fault === 500 || fault === 503 };
  }
}
