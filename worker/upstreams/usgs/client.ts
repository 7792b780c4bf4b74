import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus, missing } from "../../transport/verdicts.ts";

/** Earthquakes of the US Geological Survey (https://earthquake.usgs.gov/fdsnws/event/1/). It publishes no limit. */
export const usgs: Upstream = {
  name: "usgs",
  silenceMs: 30_000,
  baseUrl: { env: "USGS_BASE_URL", default: "https://earthquake.usgs.gov" },
  credentials: [],
  limits: { perSecond: 2, burst: 4, simultaneous: 2 },
  contact: {},
  judge,
};

/** 409 is an earthquake that was withdrawn. */
function judge(reply: Reply): Verdict {
  return reply.status === 409 ? missing : judgeByStatus(reply);
}
