import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { busy, judgeByStatus } from "../../transport/verdicts.ts";

/**
 * MusicBrainz takes one request a second from an address, from an agent that names the application with a
 * contact, and answers 503 to more (https://musicbrainz.org/doc/MusicBrainz_API/Rate_Limiting).
 */
export const musicBrainz: Upstream = {
  name: "musicbrainz",
  silenceMs: 30_000,
  baseUrl: { env: "MUSICBRAINZ_BASE_URL", default: "https://musicbrainz.org" },
  credentials: [],
  limits: { perSecond: 1, burst: 1, simultaneous: 1 },
  contact: { required: true },
  judge: (reply: Reply): Verdict => (reply.status === 503 ? busy(undefined) : judgeByStatus(reply)),
};
