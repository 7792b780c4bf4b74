import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/** deps.dev v3: versions, licences and requirements of seven registries; no stated limit. */
export const depsDev: Upstream = {
  name: "deps-dev",
  silenceMs: 10_000,
  baseUrl: { env: "DEPS_DEV_BASE_URL", default: "https://api.deps.dev" },
  credentials: [],
  judge: judgeByStatus,
};
