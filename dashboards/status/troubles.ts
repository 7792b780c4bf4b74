import { fleetOf } from "../../runtime/build.ts";
import { redisFullAt } from "../../runtime/redis/requirements.ts";
import { gaugesOf } from "../../runtime/processes.ts";
import { farMs } from "../../runtime/store-clock.ts";
import { pools } from "../../contract/operation.ts";
import type { ControlRow } from "../../db/controls.ts";
import { addressOf } from "../calls/filter.ts";
import type { PoolAnswer } from "../capacity/answer.ts";
import { effectText } from "../controls/page.ts";
import { type Reading, fleet } from "../metrics.ts";
import { ms } from "../timeline/timeline.ts";
import { type CallMode, isOwn } from "./calls.ts";
import type { StatusFacts } from "./facts.ts";
import { type Level, many, nearAt, type Trouble } from "./trouble.ts";
import { ofAnswers, ofUpstreams } from "./upstream-troubles.ts";

/** The oldest job of a pool may wait this long, or twice the target where that is longer. */
const mostWaitMs = 30_000;
/** A quantile of fewer calls says little. */
const leastCalls = 20;
/** Failed calls are a trouble from this number and share of an hour's calls on. */
const mostFailed = { count: 5, share: 0.01 };
/** The same for faults of callers: many at once are one caller's bug, or a wrong change of ours. */
const mostRefused = { count: 20, share: 0.2 };
/** A due webhook may wait this long. */
const mostWebhookSeconds = 60;

const megabytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MB`;

/** A time in the largest unit that still shows two digits. */
export function span(value: number): string {
  if (value < 120_000) return ms(value);
  const minutes = value / 60_000;
  return minutes < 120 ? `${Math.round(minutes)} min` : `${Math.round(minutes / 60)} h`;
}

const redisShare = ({ redis }: Reading) =>
  redis.limitBytes > 0 ? redis.usedBytes / redis.limitBytes : 0;

function* ofRedis({ reading }: StatusFacts): Generator<Trouble> {
  if (!reading) {
    yield { key: "redis away", level: "bad", text: "Redis does not answer, so no call is taken" };
    return;
  }
  const { redis } = reading;
  const share = redisShare(reading);
  const used = `${megabytes(redis.usedBytes)} of ${megabytes(redis.limitBytes)}`;
  const percent = `${Math.round(redisFullAt * 100)} %`;
  if (share > redisFullAt) {
    const text = `Redis is full (${used}), so new calls are refused`;
    yield { key: "redis full", level: "bad", text };
  } else if (share > nearAt) {
    const text = `Redis is nearly full (${used}): new calls are refused from ${percent} on`;
    yield { key: "redis nearly full", level: "warn", text };
  }
  for (const text of redis.warnings) {
    yield { key: text, level: "warn", text: text.replace(/\.$/, "") };
  }
}

function* ofProcesses({ reading, settings }: StatusFacts): Generator<Trouble> {
  // Processes cannot report to a full Redis.
  if (!reading || redisShare(reading) >= 1) return;
  const { processes } = reading.published;
  if (!processes.some(({ role }) => role === "api")) {
    yield { key: "no api", level: "bad", text: "no API process reports" };
  }
  for (const { pool, workers, beats } of reading.pools) {
    if (workers > 0 || settings[pool]?.floor === 0) continue;
    const text =
      beats.length > 0
        ? `every worker of the pool ${pool} is quiet, so it takes no call`
        : `no worker of the pool ${pool} reports`;
    yield { key: `no workers ${pool}`, level: "bad", text, href: `/pools/${pool}` };
  }
  const builds = fleetOf(fleet(reading.published));
  if (builds.length > 1) {
    const list = builds.map(({ build, roles }) => `${build}: ${roles}`).join("; ");
    const text = `processes run ${builds.length} different versions (${list})`;
    yield { key: "mixed fleet", level: "warn", text, href: "/workers" };
  }
  const skews = gaugesOf(processes, "gateway_clock_skew_seconds");
  for (const { labels, value: seconds } of skews) {
    const [process = "", store = ""] = labels;
    if (Math.abs(seconds) * 1000 <= farMs) continue;
    const text = `the clock of ${process} is ${Math.round(seconds)} s ahead of ${store}`;
    yield { key: `clock ${process} ${store}`, level: "warn", text };
  }
}

/** Enough calls of the last minutes have waited, and too long. */
export function isLate(measured: PoolAnswer | undefined): boolean {
  if (!measured) return false;
  const { measured_p95_ms: p95, measured_calls: calls } = measured.wait;
  return calls >= leastCalls && (p95 ?? 0) > measured.target_p95_wait_ms;
}

function* ofWaits({ reading, capacity, settings, now }: StatusFacts): Generator<Trouble> {
  if (!reading) return;
  for (const pool of pools) {
    const state = reading.pools.find((one) => one.pool === pool);
    const measured = capacity?.pools[pool];
    const target = measured?.target_p95_wait_ms ?? settings[pool]?.targetMs ?? mostWaitMs;
    const oldest = (state?.oldestWaitingSeconds ?? 0) * 1000;
    const href = `/pools/${pool}`;
    if (oldest > Math.max(mostWaitMs, 2 * target)) {
      const text = `the oldest call of the pool ${pool} waits for ${span(oldest)}`;
      yield { key: `oldest ${pool}`, level: "bad", text, since: now - oldest, href };
    }
    if (isLate(measured)) {
      const p95 = measured?.wait.measured_p95_ms ?? 0;
      const text = `calls of the pool ${pool} wait ${ms(p95)} at p95, above the target of ${ms(target)}`;
      yield { key: `p95 ${pool}`, level: "warn", text, href };
    }
  }
}

const stops = ["pause", "drain", "off"];

/** "the pool serp is drained". */
function controlText(row: ControlRow): string {
  const limited = row.effect === "cap" ? `capped: ${effectText(row)}` : effectText(row);
  return `the ${row.kind} ${row.target} is ${limited}`;
}

function* ofControls({ stored }: StatusFacts): Generator<Trouble> {
  if (stored === "absent") return;
  if (stored === "away") {
    yield { key: "postgres away", level: "bad", text: "Postgres does not answer" };
    return;
  }
  for (const row of stored.controls) {
    yield {
      key: `control ${row.kind} ${row.target}`,
      level: stops.includes(row.effect) ? "bad" : "warn",
      text: controlText(row),
      since: row.at.getTime(),
      href: "/controls",
    };
  }
}

function failedText(
  facts: NonNullable<StatusFacts["hour"]>,
  mode: CallMode,
  own: boolean,
):
  | (Omit<Trouble, "key" | "level"> & { count: number; share: number; crashed: boolean })
  | undefined {
  const found = facts.errors.filter((one) => one.mode === mode && isOwn(one.type) === own);
  if (found.length === 0) return undefined;
  const count = found.reduce((sum, one) => sum + one.count, 0);
  const types = found.map((one) => `${one.type} ${one.count}`).join(", ");
  const involved = [...new Set(found.flatMap((one) => one.pools))].filter(
    (pool) => pool !== "none",
  );
  const where = involved.length > 0 && involved.length < 3 ? ` in ${involved.join(" and ")}` : "";
  const verb = own ? "failed" : "were refused";
  return {
    text: `${count} of ${many(facts.ended[mode], `${mode} call`)} of the last hour ${verb}${where} (${types})`,
    since: Math.min(...found.map(({ since }) => since)),
    href: addressOf({ mode, status: own ? "5xx" : "4xx", hours: "1" }),
    count,
    share: count / facts.ended[mode],
    crashed: found.some(({ type }) => type === "internal_error"),
  };
}

function* ofCalls({ hour }: StatusFacts): Generator<Trouble> {
  if (!hour) return;
  const live = failedText(hour, "live", true);
  if (live) {
    const { count, share, crashed, ...rest } = live;
    const many = count >= mostFailed.count && share >= mostFailed.share;
    yield { key: "failed live", level: many || crashed ? "bad" : "info", ...rest };
  }
  const refused = failedText(hour, "live", false);
  if (refused && refused.count >= mostRefused.count && refused.share >= mostRefused.share) {
    const { text, since, href } = refused;
    yield { key: "refused live", level: "warn", text, since, href };
  }
  // Test calls wake nobody.
  const test = failedText(hour, "test", true);
  if (test && test.count >= mostFailed.count) {
    const { text, since, href } = test;
    yield { key: "failed test", level: "info", text, since, href };
  }
}

function* ofWebhooks({ stored, reading }: StatusFacts): Generator<Trouble> {
  if (typeof stored === "string") return;
  const { due, oldestSeconds, failingEndpoints, failingSince } = stored.webhooks;
  if (due > 0 && reading?.webhooks.workers === 0 && redisShare(reading) < 1) {
    const text = `${many(due, "webhook")} cannot be sent, because no worker of webhooks reports`;
    yield { key: "no workers webhooks", level: "bad", text };
  } else if (oldestSeconds > mostWebhookSeconds) {
    const text = `the oldest due webhook waits for ${span(oldestSeconds * 1000)}`;
    yield { key: "oldest webhooks", level: "bad", text };
  }
  if (failingEndpoints > 0) {
    const text = `webhooks fail at ${many(failingEndpoints, "endpoint")} of callers`;
    yield { key: "failing webhooks", level: "info", text, since: failingSince ?? undefined };
  }
}

const order: readonly Level[] = ["bad", "warn", "info"];

/** Everything that is wrong, stopped or limited: the worst first, and stores before what depends on them. */
export function troublesOf(facts: StatusFacts): Trouble[] {
  const found = [
    ...ofRedis(facts),
    ...ofControls(facts),
    ...ofCalls(facts),
    ...ofProcesses(facts),
    ...ofWaits(facts),
    ...ofUpstreams(facts),
    ...ofAnswers(facts),
    ...ofWebhooks(facts),
  ];
  return order.flatMap((level) => found.filter((one) => one.level === level));
}
