import type { Call } from "../../connector.ts";
import type { Reply, Upstream, UpstreamRequest, Verdict } from "../../transport/upstream.ts";
import { busy, missing, refused, unavailable } from "../../transport/verdicts.ts";
import { at, number } from "#wire";

const host = "fresh-linkedin-scraper-api.p.rapidapi.com";

/** The product "Fresh LinkedIn Scraper" of RapidAPI, by plan; answers `{success, message, cost, data}`. */
export const freshLinkedin: Upstream = {
  name: "fresh-linkedin",
  baseUrl: { env: "FRESH_LINKEDIN_BASE_URL", default: `https://${host}` },
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
  const reported = at(body, "message");
  const message = typeof reported === "string" ? reported.slice(0, 1000) : "";
  if (status === 401 || status === 403) return { ...unavailable, operator: "credential refused" };
  if (status === 402) return { ...unavailable, operator: "out of funds" };
  if (status === 404) return missing;
  if (status === 429) {
    if (/quota/i.test(message)) return { ...unavailable, operator: "out of quota" };
    return busy(number(headers["x-ratelimit-requests-reset"]));
  }
  if (status === 408 || status === 425 || status >= 500) return { ...unavailable, retry: true };
  // The message tells what is missing; the status beside it may be any.
  if (at(body, "success") === false && /not (?:found|exist)/i.test(message)) return missing;
  return status === 200 && at(body, "success") !== false ? { ok: true } : refused;
}
