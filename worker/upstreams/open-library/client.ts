import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * Open Library. Callers whose agent names them with a contact may send three requests a second, others one
 * (https://openlibrary.org/developers/api).
 */
export const openLibrary: Upstream = {
  name: "open-library",
  silenceMs: 30_000,
  baseUrl: { env: "OPEN_LIBRARY_BASE_URL", default: "https://openlibrary.org" },
  credentials: [],
  limits: { perSecond: 3, burst: 1 },
  contact: { without: { perSecond: 1, burst: 1 } },
  judge: judgeByStatus,
};
