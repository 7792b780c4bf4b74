import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus, missing } from "../../transport/verdicts.ts";
import { at, each, text } from "#wire";

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
  judge,
};

/**
 * 400 names the refused parameter, in its text or in a list: a position outside of the United States, which other
 * paths answer with 404, or an area that is neither a state nor a part of the sea.
 */
function judge(reply: Reply): Verdict {
  if (reply.status !== 400) return judgeByStatus(reply);
  const named = each(at(reply.body, "parameterErrors"), (one) => text(at(one, "parameter")));
  const words = [text(at(reply.body, "detail")), ...named].join(" ");
  if (/\bpoint\b/.test(words)) return missing;
  if (!/\barea\b/.test(words)) return judgeByStatus(reply);
  const message = "state: the data source does not accept this value";
  return { ok: false, type: "validation_error", field: "state", message };
}
