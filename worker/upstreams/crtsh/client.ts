import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/** crt.sh, the certificate search of Sectigo (https://github.com/crtsh). It publishes no limit. */
export const crtSh: Upstream = {
  name: "crtsh",
  silenceMs: 50_000,
  baseUrl: { env: "CRTSH_BASE_URL", default: "https://crt.sh" },
  credentials: [],
  limits: { perSecond: 1, burst: 1, simultaneous: 1 },
  contact: {},
  judge: judgeByStatus,
};
