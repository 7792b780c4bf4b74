import type { Call } from "../../connector.ts";
import type { Reply, Upstream, UpstreamRequest, Verdict } from "../../transport/upstream.ts";
import { at, object, text } from "#wire";

const unavailable = {
  ok: false,
  type: "upstream_unavailable",
  message: "The data source is not available at the moment",
  unavailable: true,
} as const;
const faulty = {
  ok: false,
  type: "upstream_error",
  message: "The data source answered with an error",
} as const;
/** `Retry-After` in seconds when the rate limit is reached. */
const retryAfter = 2;

/** Ticketmaster Discovery v2: a key in the query, five calls a second and 5,000 a day. */
export const ticketmaster: Upstream = {
  name: "ticketmaster",
  silenceMs: 10_000,
  baseUrl: { env: "TICKETMASTER_BASE_URL", default: "https://app.ticketmaster.com" },
  credentials: ["TICKETMASTER_API_KEY"],
  credentialQuery: { apikey: "TICKETMASTER_API_KEY" },
  limits: { perSecond: 4, burst: 4 },
  judge,
};

/** The caller's fields behind the upstream's parameters. */
const callerFields: readonly (readonly [RegExp, string])[] = [
  [/\b(keyword)\b/i, "query"],
  [/\b(city|stateCode|countryCode|latlong|geoPoint|radius)\b/i, "location"],
  [/\b(locale)\b/i, "language"],
  [/\b(startDateTime|endDateTime)\b/i, "date_range"],
];

function judge({ status, body }: Reply): Verdict {
  if (status === 200)
    return object(body) ? { ok: true } : { ...faulty, type: "response_shape_error" };
  if (status === 401 || status === 403) return { ...unavailable, operator: "credential refused" };
  if (status === 429) {
    // The daily quota renews only tomorrow.
    return /quota/i.test(text(at(body, "fault", "faultstring")) ?? "") &&
      !/SpikeArrest/i.test(text(at(body, "fault", "detail", "errorcode")) ?? "")
      ? { ...unavailable, operator: "quota used up" }
      : { ...unavailable, retry: true, pauseMs: 1000, retryAfter };
  }
  if (status === 408 || status === 425 || status >= 500) return { ...unavailable, retry: true };
  if (status === 400) return refusedParameter(body);
  return faulty;
}

function refusedParameter(body: unknown): Verdict {
  const detail = text(at(body, "errors", 0, "detail")) ?? "";
  const field = callerFields.find(([rule]) => rule.test(detail))?.[1];
  if (field === undefined) return { ok: false, type: "internal_error", message: "Internal error" };
  const message = `${field}: the data source does not accept this value`;
  return { ok: false, type: "validation_error", field, message };
}

/** One page of events; undefined parameters are left out. */
export async function findEvents(
  call: Pick<Call, "send">,
  query: NonNullable<UpstreamRequest["query"]>,
): Promise<unknown> {
  const request = { method: "GET", path: "/discovery/v2/events.json", query } as const;
  return (await call.send(ticketmaster, request)).body;
}
