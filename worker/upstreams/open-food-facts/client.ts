import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { busy, judgeByStatus, missing } from "../../transport/verdicts.ts";
import { at, integer } from "#wire";

/**
 * Open Food Facts, version 2. It allows 15 products and 10 searches a minute, answers 503 to more, and asks for an
 * agent with a contact (https://openfoodfacts.github.io/openfoodfacts-server/api/).
 */
const rules = {
  silenceMs: 30_000,
  baseUrl: { env: "OPEN_FOOD_FACTS_BASE_URL", default: "https://world.openfoodfacts.org" },
  credentials: [],
  contact: {},
  judge,
} satisfies Partial<Upstream>;

// 3 at once and one each five seconds are 15 in a minute.
export const openFoodFacts: Upstream = {
  name: "open-food-facts",
  limits: { perSecond: 0.2, burst: 3 },
  ...rules,
};

export const openFoodFactsSearch: Upstream = {
  name: "open-food-facts-search",
  limits: { perSecond: 0.15, burst: 1 },
  ...rules,
};

/** A product that does not exist is `status` 0, with HTTP status 200 or 404. */
function judge(reply: Reply): Verdict {
  if (reply.status === 503) return busy(undefined);
  const verdict = judgeByStatus(reply);
  return verdict.ok && integer(at(reply.body, "status")) === 0 ? missing : verdict;
}
