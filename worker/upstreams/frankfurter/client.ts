import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";
import { at, text } from "#wire";

/** Frankfurter, version 2 (https://api.frankfurter.dev/v2/openapi.json). It publishes no limit. */
export const frankfurter: Upstream = {
  name: "frankfurter",
  silenceMs: 20_000,
  baseUrl: { env: "FRANKFURTER_BASE_URL", default: "https://api.frankfurter.dev" },
  credentials: [],
  limits: { perSecond: 5, burst: 5 },
  contact: {},
  judge,
};

/** 422 names a currency or a day that the source cannot read. */
function judge(reply: Reply): Verdict {
  if (reply.status !== 422) return judgeByStatus(reply);
  return {
    ok: false,
    type: "validation_error",
    message: "The source does not accept these currencies or days",
  };
}

/** The upstream for a call with these currencies, by the caller's field: a refused currency names its field. */
export const frankfurterFor = (
  currencies: Readonly<Record<string, readonly string[]>>,
): Upstream => ({
  ...frankfurter,
  judge(reply) {
    const verdict = judge(reply);
    const message = reply.status === 422 ? text(at(reply.body, "message")) : undefined;
    const refused = /^invalid currency: ([A-Z,]+)$/.exec(message ?? "")?.[1]?.split(",") ?? [];
    const [field] =
      Object.entries(currencies).find(([, codes]) =>
        codes.some((code) => refused.includes(code)),
      ) ?? [];
    if (field === undefined) return verdict;
    const rule = "the data source has no such currency";
    return { ok: false, type: "validation_error", field, message: `${field}: ${rule}` };
  },
});
