import type { Pool } from "../../contract/operation.ts";
import { tokenUpstreamOf } from "../../runtime/controls.ts";
import { gaugesOf } from "../../runtime/processes.ts";
import { unreachable } from "../../runtime/upstreams.ts";
import type { Reading } from "../metrics.ts";
import type { StatusFacts } from "./facts.ts";
import { many, nearAt, type Trouble } from "./trouble.ts";

/** An alarm of a daily call is told until it should have come again twice. */
const alarmedMs = 2 * 24 * 3_600_000;

/** Reasons for which the workers cannot reach an upstream. */
export const outOfReach = "it has no address, or the SSRF filter refuses it";

const addressOfUpstream = (name: string): string =>
  `/upstreams/${encodeURIComponent(tokenUpstreamOf(name))}`;

/** Worker processes whose circuit breaker is open, by upstream. */
export const openBreakers = ({ published }: Reading): Map<string, number> =>
  new Map(
    gaugesOf(published.processes, "gateway_upstream_breaker_open").map(({ labels, value }) => [
      labels[0] ?? "",
      value,
    ]),
  );

/** Share of the quota that calls need, by upstream. */
export function quotaShares(capacity: StatusFacts["capacity"]): Map<string, number> {
  const shares = new Map<string, number>();
  for (const pool of Object.keys(capacity?.pools ?? {}) as Pool[]) {
    for (const { wall, of, share } of capacity?.pools[pool].walls ?? []) {
      if (wall !== "upstream_quota") continue;
      for (const name of of.split(" and ")) {
        shares.set(name, Math.max(shares.get(name) ?? 0, share));
      }
    }
  }
  return shares;
}

export function* ofUpstreams(facts: StatusFacts): Generator<Trouble> {
  const { reading, capacity, refusals, reportedLeft } = facts;
  if (reading) {
    for (const [upstream, workers] of openBreakers(reading)) {
      if (workers === 0) continue;
      const text = `the circuit breaker of ${upstream} is open in ${many(workers, "worker")}`;
      const href = addressOfUpstream(upstream);
      yield { key: `breaker ${upstream}`, level: "bad", text, href };
    }
  }
  for (const { upstream, reason, times, since } of refusals) {
    const missing = /missing|invalid/.test(reason);
    const text = missing
      ? `calls to ${upstream} fail because its settings are not complete (${reason}, ${many(times, "time")})`
      : reason === unreachable
        ? `the workers cannot reach ${upstream}: ${outOfReach} (${many(times, "time")} within the last hour)`
        : `${upstream} refuses our account (${reason}, ${many(times, "time")} within the last hour)`;
    yield {
      key: `refusal ${upstream} ${reason}`,
      level: missing ? "warn" : "bad",
      text,
      since,
      href: addressOfUpstream(upstream),
    };
  }
  for (const [upstream, share] of quotaShares(capacity)) {
    if (share < nearAt) continue;
    const text = `calls need ${Math.round(share * 100)} % of the quota of ${upstream}`;
    yield { key: `quota ${upstream}`, level: share > 1 ? "bad" : "warn", text, href: "/capacity" };
  }
  for (const [upstream, left] of Object.entries(reportedLeft)) {
    if (left > 0) continue;
    const text = `${upstream} reports no calls left`;
    yield { key: `left ${upstream}`, level: "bad", text, href: addressOfUpstream(upstream) };
  }
}

export function* ofAnswers({ changed, stored, now }: StatusFacts): Generator<Trouble> {
  for (const [upstream, { findings, operations, first }] of changed) {
    const text = `answers of ${upstream} have changed (${many(findings, "field")} of ${many(operations.length, "operation")})`;
    const href = addressOfUpstream(upstream);
    yield { key: `changed ${upstream}`, level: "warn", text, since: first, href };
  }
  if (typeof stored === "string") return;
  const failed = stored.canaries.filter(
    ({ verdict, at }) => verdict === "fails" && now - at < alarmedMs,
  );
  if (failed.length === 0) return;
  const names = [...new Set(failed.flatMap(({ upstreams }) => upstreams))];
  const where = names.length > 3 ? `${names.length} upstreams` : names.join(", ");
  yield {
    key: "canaries",
    level: "warn",
    text: `the daily ${failed.length === 1 ? "call" : "calls"} of ${many(failed.length, "operation")} failed (${where})`,
    since: Math.min(...failed.map(({ at }) => at)),
    href: "/canaries",
  };
}
