import type { Call } from "../../connector.ts";
import {
  unavailable,
  type Reply,
  type Upstream,
  type UpstreamRequest,
  type Verdict,
} from "../../transport/upstream.ts";
import { at, number } from "../../mapping/wire.ts";

const host = "fresh-linkedin-scraper-api.p.rapidapi.com";
const unknown = {
  ok: false,
  type: "not_found",
  message: "The upstream knows no such thing",
} as const;

/** The product "Fresh LinkedIn Scraper" of RapidAPI, by plan; answers `{success, message, cost, data}`. */
export const freshLinkedin: Upstream = {
  name: "fresh-linkedin",
  baseUrl: { env: "FRESH_LINKEDIN_BASE_URL", usual: `https://${host}` },
  credentials: ["RAPIDAPI_KEY"],
  authorize: ({ RAPIDAPI_KEY: key = "" }) => ({ "x-rapidapi-key": key, "x-rapidapi-host": host }),
  judge,
};

export async function getFresh(
  call: Pick<Call, "send">,
  path: string,
  query: NonNullable<UpstreamRequest["query"]>,
): Promise<unknown> {
  return (await call.send(freshLinkedin, { method: "GET", path, query })).body;
}

function judge({ status, headers, body }: Reply): Verdict {
  const told = at(body, "message");
  const message = typeof told === "string" ? told.slice(0, 1000) : "";
  if (status === 401 || status === 403) return { ...unavailable, operator: "credential refused" };
  if (status === 402) return { ...unavailable, operator: "out of funds" };
  if (status === 404) return unknown;
  if (status === 429) {
    if (/quota/i.test(message)) return { ...unavailable, operator: "out of quota" };
    const after = number(headers["x-ratelimit-requests-reset"]);
    const wait = after === undefined || after < 0 ? undefined : Math.ceil(after);
    return {
      ...unavailable,
      message: "The upstream is busy",
      retry: true,
      ...(wait === undefined ? {} : { retryAfter: wait, pauseMs: wait * 1000 }),
    };
  }
  if (status === 408 || status === 425 || status >= 500) return { ...unavailable, retry: true };
  if (status === 200 && at(body, "success") !== false) return { ok: true };
  if (status === 200 && /not (?:found|exist)/i.test(message)) return unknown;
  return { ok: false, type: "upstream_error", message: "The upstream refused the call" };
}
