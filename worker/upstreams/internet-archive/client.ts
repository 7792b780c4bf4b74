import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { busy, judgeByStatus } from "../../transport/verdicts.ts";
import { at, text } from "#wire";

/**
 * The index of the Wayback Machine takes 30 searches a minute of an address and asks clients to keep to 80 % of
 * that (https://github.com/edgi-govdata-archiving/wayback, agreed with the archive).
 */
export const wayback: Upstream = {
  name: "wayback",
  silenceMs: 30_000,
  baseUrl: { env: "WAYBACK_BASE_URL", default: "https://web.archive.org" },
  credentials: [],
  limits: { perSecond: 0.4, burst: 4, simultaneous: 2 },
  contact: {},
  judge: judgeIndex,
};

/** The archive's other interfaces publish no figure, so the gateway keeps to one request a second. */
export const internetArchive: Upstream = {
  name: "internet-archive",
  silenceMs: 20_000,
  baseUrl: { env: "INTERNET_ARCHIVE_BASE_URL", default: "https://archive.org" },
  credentials: [],
  limits: { perSecond: 1, burst: 5, simultaneous: 3 },
  contact: {},
  judge: judgeItems,
};

/** Sites that asked the archive to leave them out are refused with 403, which no operator can change. */
function judgeIndex(reply: Reply): Verdict {
  if (reply.status === 403) {
    return { ok: false, type: "not_found", message: "The archive does not show this site" };
  }
  if (reply.status === 400) {
    return {
      ok: false,
      type: "validation_error",
      message: "The archive does not accept this query",
    };
  }
  // The index is a text.
  if (reply.status === 200 && typeof reply.body === "string") return { ok: true };
  return judgeByStatus(reply);
}

/** A fault of a search is an `error` with status 200. */
function judgeItems(reply: Reply): Verdict {
  const verdict = judgeByStatus(reply);
  const error = verdict.ok ? text(at(reply.body, "error")) : undefined;
  if (error === undefined) return verdict;
  if (/overload|try again|timed? ?out/i.test(error)) return busy(undefined);
  return { ok: false, type: "validation_error", message: "The archive does not accept this query" };
}
