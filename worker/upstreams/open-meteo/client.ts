import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * Open-Meteo. Its public servers are for non-commercial use, at most 600 calls a minute and 10,000 a day
 * (https://open-meteo.com/en/terms); who pays or runs a server of their own is free of that. So it is off until the
 * operator says by OPEN_METEO_TERMS, whose value does not matter, that their use is one of these. The day is not
 * counted here.
 */
const rules = {
  silenceMs: 20_000,
  credentials: ["OPEN_METEO_TERMS"],
  limits: { perSecond: 5, burst: 5 },
  contact: {},
  judge: judgeByStatus,
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
