import type { Reply, Upstream, UpstreamRequest, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";
import { at, text } from "#wire";

/**
 * Open-Meteo. Its public servers are for non-commercial use, at most 600 calls a minute, 5,000 an hour and 10,000 a
 * day (https://open-meteo.com/en/terms); who pays or runs a server of their own is free of that. So it is off until
 * the operator says by OPEN_METEO_TERMS, whose value does not matter, that their use is one of these. The three
 * upstreams share the limits.
 */
const rules = {
  silenceMs: 20_000,
  credentials: ["OPEN_METEO_TERMS"],
  limits: { perSecond: 1.3, burst: 300, perDay: 10_000 },
  units: unitsOf,
  contact: {},
  judge,
} satisfies Partial<Upstream>;

export const openMeteo: Upstream = {
  name: "open-meteo",
  baseUrl: { env: "OPEN_METEO_BASE_URL", default: "https://api.open-meteo.com" },
  ...rules,
};

export const openMeteoArchive: Upstream = {
  name: "open-meteo-archive",
  baseUrl: { env: "OPEN_METEO_ARCHIVE_BASE_URL", default: "https://archive-api.open-meteo.com" },
  ...rules,
};

export const openMeteoAirQuality: Upstream = {
  name: "open-meteo-air-quality",
  baseUrl: {
    env: "OPEN_METEO_AIR_QUALITY_BASE_URL",
    default: "https://air-quality-api.open-meteo.com",
  },
  ...rules,
};

/** Days outside of what the archive has, such as coming ones, are a 400 that names their parameter. */
function judge(reply: Reply): Verdict {
  const reason = reply.status === 400 ? text(at(reply.body, "reason")) : undefined;
  const name = /'(start|end)_date' is out of allowed range/.exec(reason ?? "")?.[1];
  if (name === undefined) return judgeByStatus(reply);
  const field = name === "start" ? "from_date" : "to_date";
  const message = `${field}: the data source has no weather of this day`;
  return { ok: false, type: "validation_error", field, message };
}

const dayMs = 86_400_000;

/** More than ten values, and more than two weeks, count as several calls (https://open-meteo.com/en/pricing). */
function unitsOf({ query = {} }: Pick<UpstreamRequest, "query">): number {
  const values = String(query.hourly ?? query.daily ?? "").split(",").length;
  const span = Date.parse(String(query.end_date)) - Date.parse(String(query.start_date));
  const days = Number.isNaN(span) ? Number(query.forecast_days ?? 7) : span / dayMs + 1;
  return Math.max(1, values / 10) * Math.max(1, days / 14);
}
