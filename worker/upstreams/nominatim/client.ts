import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus, missing } from "../../transport/verdicts.ts";
import { at } from "#wire";

/**
 * The public server of OpenStreetMap's foundation takes at most one request a second of all users of an
 * application, from an agent that names it, and none while a person types
 * (https://operations.osmfoundation.org/policies/nominatim/).
 */
export const nominatim: Upstream = {
  name: "nominatim",
  silenceMs: 30_000,
  baseUrl: { env: "NOMINATIM_BASE_URL", default: "https://nominatim.openstreetmap.org" },
  credentials: [],
  limits: { perSecond: 1, burst: 1, simultaneous: 1 },
  contact: {},
  judge,
};

/** A position without any address is an `error` with status 200. */
function judge(reply: Reply): Verdict {
  const verdict = judgeByStatus(reply);
  return verdict.ok && at(reply.body, "error") !== undefined ? missing : verdict;
}
