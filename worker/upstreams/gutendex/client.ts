import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * Gutendex, a catalogue of Project Gutenberg. Its author asks for servers of one's own beyond tests of the public
 * one (https://github.com/garethbjohnson/gutendex), which publishes no limit.
 */
export const gutendex: Upstream = {
  name: "gutendex",
  silenceMs: 30_000,
  baseUrl: { env: "GUTENDEX_BASE_URL", default: "https://gutendex.com" },
  credentials: [],
  limits: { perSecond: 1, burst: 2, simultaneous: 2 },
  contact: {},
  judge: judgeByStatus,
};
