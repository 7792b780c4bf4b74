import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "../contract/operation.ts";
import type { CapacityAnswer } from "../dashboards/capacity/answer.ts";
import { type Play, Stage, type Waits } from "../test/dashboards/capacity/stage.ts";

/**
 * An hour of callers in ten minutes: a minute of it is 10 s. Three pools whose upstreams take log-normal
 * times are called at a rate that rises to five times itself; the autoscale of `npm start` follows.
 */

const plays: (Play & { base: number; targetSeconds: number })[] = [
  {
    pool: "social",
    operation: "shortclip.search",
    upstreamPath: "/api/v1/tiktok/",
    serviceSeconds: 0.5,
    scv: 1,
    slots: 1,
    base: 1.4,
    targetSeconds: 0.5,
  },
  {
    pool: "serp",
    operation: "geo.serp",
    upstreamPath: "/v3/serp/",
    serviceSeconds: 0.8,
    scv: 0.5,
    slots: 2,
    base: 2,
    targetSeconds: 0.5,
  },
  {
    pool: "seo-bulk",
    operation: "seo.backlinks.bulk_ranks",
    upstreamPath: "/v3/backlinks/",
    serviceSeconds: 1.5,
    scv: 2,
    slots: 2,
    base: 0.8,
    targetSeconds: 30,
  },
];

/** Seconds of the run, of 600: the base, a rise, the peak, a fall, the base again. */
const riseAt = 120;
const peakAt = 160;
const fallAt = 340;
const baseAt = 380;
const whole = 600;
const reactionSeconds = 60;
const minuteSeconds = 10;

/** From 1 to 5 and back. */
function height(at: number): number {
  if (at < riseAt || at >= baseAt) return 1;
  if (at < peakAt) return 1 + (4 * (at - riseAt)) / (peakAt - riseAt);
  if (at < fallAt) return 5;
  return 5 - (4 * (at - fallAt)) / (baseAt - fallAt);
}

/** Rates do not change and workers have followed. */
const steady: [name: string, from: number, to: number][] = [
  ["base", 40, 120],
  ["peak", 220, 340],
  ["base again", 460, 600],
];

interface Minute {
  at: number;
  waits: Waits;
  answer: CapacityAnswer;
}

const share = (minute: Minute, before: Minute, target: number): number => {
  const calls = minute.waits.calls - before.waits.calls;
  return calls === 0 ? 1 : (minute.waits.within(target) - before.waits.within(target)) / calls;
};

function minutesTable(pool: Pool, target: number, minutes: readonly Minute[]): string[] {
  return minutes.slice(1).map((minute, index) => {
    const before = minutes[index] as Minute;
    const one = minute.answer.pools[pool];
    const within = share(minute, before, target);
    return `| ${pool} | ${minute.at} | ${one.arrivals.per_second.toFixed(1)} | ${one.workers.desired} | ${one.workers.now} | ${(within * 100).toFixed(0)} % |`;
  });
}

/** Minutes that count: not those in which it still reacts, to the first calls or to the rise. */
const counts = (at: number) =>
  [0, riseAt].every((change) => at <= change || at > change + reactionSeconds);

function stretches(pool: Pool, minutes: readonly Minute[]): string[] {
  return steady.map(([name, from, to]) => {
    const inside = minutes.filter(({ at }) => at >= from && at <= to);
    const first = inside[0] as Minute;
    const last = inside.at(-1) as Minute;
    const calls = last.waits.calls - first.waits.calls;
    const measured = ((last.waits.seconds - first.waits.seconds) / calls) * 1000;
    const told = inside
      .slice(1)
      .map(({ answer }) => answer.pools[pool].wait.predicted_mean_ms)
      .filter((value) => value !== null);
    const predicted = told.reduce((sum, value) => sum + value, 0) / told.length;
    const slots = new Set(inside.map(({ answer }) => answer.pools[pool].slots.now));
    return `| ${pool} | ${name} | ${calls} | ${[...slots].join(", ")} | ${predicted.toFixed(0)} | ${measured.toFixed(0)} | ${(predicted / measured).toFixed(2)} |`;
  });
}

/** One run; says what it saw as Markdown. */
async function run(options: {
  scale: number;
  seconds: number;
  env?: Record<string, string>;
  only?: Pool;
}): Promise<string> {
  const chosen = plays.filter(({ pool }) => !options.only || pool === options.only);
  const stage = await Stage.start({
    plays: chosen,
    capacity: { CAPACITY_CEILINGS: "all=16" },
    ...(options.env ? { env: options.env } : {}),
  });
  try {
    const { key } = await stage.gateway.key({
      credits: 100_000_000,
      rate: 10_000,
      inFlight: 10_000,
    });
    const load = chosen.map((play) =>
      stage.call(play, key, options.seconds, (at) => play.base * options.scale * height(at)),
    );
    const seen = new Map<Pool, Minute[]>(chosen.map(({ pool }) => [pool, []]));
    const startedAt = performance.now();
    for (let at = 0; at <= options.seconds; at += minuteSeconds) {
      await sleep(Math.max(0, at * 1000 - (performance.now() - startedAt)));
      const answer = await stage.answer();
      for (const { pool } of chosen) {
        seen.get(pool)?.push({ at, waits: await stage.waits(pool), answer });
      }
      const last = chosen.map(({ pool }) => {
        const one = answer.pools[pool];
        return `${pool} ${one.arrivals.per_second.toFixed(1)}/s ${one.workers.now}→${one.workers.desired}`;
      });
      process.stderr.write(`${at} s: ${last.join(", ")}\n`);
    }
    await Promise.all(load);
    await stage.answered();
    const violations = await stage.gateway.violations();
    const statuses = [...stage.statuses].map(([status, count]) => `${status}: ${count}`).join(", ");
    const lines: string[] = [];
    lines.push(
      "| pool | at s | calls/s | wanted | there | within target |",
      "|---|---|---|---|---|---|",
    );
    for (const { pool, targetSeconds } of chosen) {
      lines.push(...minutesTable(pool, targetSeconds, seen.get(pool) as Minute[]));
    }
    lines.push("", "| pool | minutes whose p95 wait is within its target |", "|---|---|");
    for (const { pool, targetSeconds } of chosen) {
      const minutes = seen.get(pool) as Minute[];
      const judged = minutes.slice(1).filter(({ at }) => counts(at));
      const good = judged.filter(
        (minute) =>
          share(minute, minutes[minutes.indexOf(minute) - 1] as Minute, targetSeconds) >= 0.95,
      );
      lines.push(`| ${pool} | ${good.length} of ${judged.length} |`);
    }
    if (options.seconds >= whole) {
      lines.push(
        "",
        "| pool | stretch | calls | slots | mean wait predicted, ms | measured | ratio |",
        "|---|---|---|---|---|---|---|",
      );
      for (const { pool } of chosen) lines.push(...stretches(pool, seen.get(pool) as Minute[]));
    }
    lines.push(
      "",
      `Answers: ${statuses}. Broken promises: ${violations.join("; ") || "none"}.`,
      "",
    );
    for (const { pool } of chosen) {
      const reasons = (seen.get(pool) as Minute[]).map(({ answer }) => answer.pools[pool].reason);
      lines.push(`${pool}, last: ${reasons.at(-1)}`);
      lines.push(
        `${pool}, at the peak: ${reasons[Math.floor(300 / minuteSeconds)] ?? reasons.at(-1)}`,
      );
    }
    lines.push("", ...stage.lines);
    return lines.join("\n");
  } finally {
    await stage.stop();
  }
}

/** Prints the hour, and a second run in which the quota of an upstream binds. */
export async function capacity(print: (text: string) => void): Promise<void> {
  print(`## The hour\n\n${await run({ scale: 1, seconds: whole })}\n\n`);
  print(`## The quota binds\n\n${await run({ scale: 2, seconds: 340, only: "social" })}\n\n`);
}
