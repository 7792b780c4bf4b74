import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * The US National Weather Service. Its limit is not public; a refused request may be repeated after about five
 * seconds. An agent with a contact is asked for (https://www.weather.gov/documentation/services-web-api).
 */
export const nws: Upstream = {
  name: "nws",
  silenceMs: 20_000,
  baseUrl: { env: "NWS_BASE_URL", default: "https://api.weather.gov" },
  credentials: [],
  limits: { perSecond: 5, burst: 5 },
  contact: {},
  judge: judgeByStatus,
};
