import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { busy, judgeByStatus, unavailable } from "../../transport/verdicts.ts";
import { at, number, text } from "#wire";

/**
 * Wikimedia asks for requests in series and for an agent with a contact
 * (https://www.mediawiki.org/wiki/API:Etiquette).
 */
const rules = {
  silenceMs: 20_000,
  credentials: [],
  limits: { perSecond: 10, burst: 1, simultaneous: 1 },
  contact: {},
  judge,
} satisfies Partial<Upstream>;

/** The Wikipedia of a language; all share their limits. */
export const wikipedia = (language: string): Upstream => ({
  name: "wikipedia",
  baseUrl: { env: "WIKIPEDIA_BASE_URL", default: `https://${language}.wikipedia.org` },
  ...rules,
});

export const wikidata: Upstream = {
  name: "wikidata",
  baseUrl: { env: "WIKIDATA_BASE_URL", default: "https://www.wikidata.org" },
  ...rules,
};

/** Counts of page views. */
export const wikimedia: Upstream = {
  name: "wikimedia",
  baseUrl: { env: "WIKIMEDIA_BASE_URL", default: "https://wikimedia.org" },
  ...rules,
};

/**
 * Wikidata's query service: five queries at a time and a minute of processor time a minute for each agent, and
 * no query of more than a minute (https://www.mediawiki.org/wiki/Wikidata_Query_Service/User_Manual). A query is
 * not repeated, because each costs that time again.
 */
export const wikidataQuery: Upstream = {
  name: "wikidata-query",
  baseUrl: { env: "WIKIDATA_QUERY_BASE_URL", default: "https://query.wikidata.org" },
  credentials: [],
  limits: { perSecond: 1, burst: 2, simultaneous: 2 },
  contact: {},
  judge: judgeQuery,
};

function judgeQuery(reply: Reply): Verdict {
  const { status, headers } = reply;
  if (status === 400) {
    return {
      ok: false,
      type: "validation_error",
      message: "The source cannot read this query",
      field: "query",
    };
  }
  if (status === 429) return busy(number(headers["retry-after"]));
  if (status >= 500) {
    const message = "The query took more than a minute, or the source is busy";
    return { ...unavailable, message, retry: false };
  }
  return judgeByStatus(reply);
}

/** The Action API reports its faults with status 200 and an `error`. */
function judge(reply: Reply): Verdict {
  // A policy of the site, which a contact in the agent answers.
  if (reply.status === 403) return { ...unavailable, operator: "access refused" };
  const verdict = judgeByStatus(reply);
  const code = verdict.ok ? text(at(reply.body, "error", "code")) : undefined;
  if (code === undefined) return verdict;
  if (code === "ratelimited" || code === "maxlag") return busy(undefined);
  if (code === "readonly" || code.startsWith("internal_api_error"))
    return { ...unavailable, retry: true };
  return { ok: false, type: "upstream_error", message: "The upstream reported a fault" };
}
