import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "../contract/operation.ts";
import type { CapacityAnswer } from "../dashboards/capacity/answer.ts";
import {
  type Script,
  type ScriptedPlay,
  height,
  hourScript,
  isJudged,
  plays,
  quotaOfPlays,
  steadyTimes,
} from "../test/dashboards/capacity/script.ts";
import { Stage, type Waits } from "../test/dashboards/capacity/stage.ts";
import { steadyStretch } from "../test/dashboards/capacity/stretch.ts";

/**
 * An hour of callers compressed to ten minutes: one minute is 10 s. Three pools with log-normal
 * upstream times see a rate that rises fivefold; the autoscaler of `npm start` follows.
 */

const minuteSeconds = 10;

/** The upstream of this pool allows 600 requests a minute, and the peak is 840. */
const behindQuota: ScriptedPlay = {
  pool: "social",
  operation: "shortclip.search",
  upstreamPath: "/api/v1/tiktok/",
  serviceSeconds: 0.5,
  scv: 1,
  slots: 1,
  base: 2.8,
  targetSeconds: 0.5,
};
const quotaScript: Script = { riseAt: 80, peakAt: 120, fallAt: 300, baseAt: 340, seconds: 300 };

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

function stretches(pool: Pool, minutes: readonly Minute[], script: Script): string[] {
  const parts = minutes.map(({ at, waits, answer }, index) => {
    const before = minutes[index - 1]?.waits ?? waits;
    const { slots, wait } = answer.pools[pool];
    return {
      at,
      slots: slots.now,
      calls: waits.calls - before.calls,
      seconds: waits.seconds - before.seconds,
      predictedMs: wait.predicted_mean_ms,
    };
  });
  return steadyTimes(script).map(([name, from, to]) => {
    const one = steadyStretch(parts.filter(({ at }) => at >= from && at <= to));
    if (!one) return `| ${pool} | ${name} | – | – | – | – | – | – | – |`;
    const { predictedMs, measuredMs, eitherWayMs } = one;
    const taking = minutes.find(({ at }) => at === one.to)?.answer.pools[pool].wait.taking_ms ?? 0;
    return `| ${pool} | ${name} | ${one.from} to ${one.to} | ${one.slots} | ${one.calls} | ${predictedMs.toFixed(1)} | ${taking.toFixed(1)} | ${measuredMs.toFixed(1)} ± ${eitherWayMs.toFixed(1)} | ${(predictedMs / measuredMs).toFixed(2)} | ${one.isWithin ? "yes" : "no"} |`;
  });
}

/** Runs the script once and returns the results as Markdown. */
async function run(
  chosen: readonly ScriptedPlay[],
  script: Script,
  env: Record<string, string> = {},
): Promise<string> {
  const stage = await Stage.start({
    plays: chosen,
    capacity: { CAPACITY_CEILINGS: "all=16" },
    env,
  });
  try {
    const { key } = await stage.gateway.key({
      credits: 100_000_000,
      rate: 10_000,
      inFlight: 10_000,
    });
    const load = chosen.map((play) =>
      stage.call(play, key, script.seconds, (at) => play.base * height(script, at)),
    );
    const seen = new Map<Pool, Minute[]>(chosen.map(({ pool }) => [pool, []]));
    const startedAt = performance.now();
    for (let at = 0; at <= script.seconds; at += minuteSeconds) {
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
      "| pool | at s | calls/s | desired | running | within target |",
      "|---|---|---|---|---|---|",
    );
    for (const { pool, targetSeconds } of chosen) {
      lines.push(...minutesTable(pool, targetSeconds, seen.get(pool) as Minute[]));
    }
    lines.push("", "| pool | minutes whose p95 wait is within its target |", "|---|---|");
    for (const { pool, targetSeconds } of chosen) {
      const minutes = seen.get(pool) as Minute[];
      const judged = minutes.slice(1).filter(({ at }) => isJudged(script, at));
      const good = judged.filter(
        (minute) =>
          share(minute, minutes[minutes.indexOf(minute) - 1] as Minute, targetSeconds) >= 0.95,
      );
      lines.push(`| ${pool} | ${good.length} of ${judged.length} |`);
    }
    // The run behind a quota ends at its peak: its queue is full, and the formula says so.
    if (script.seconds > script.baseAt) {
      lines.push(
        "",
        "| pool | stretch | s | slots | calls | mean wait predicted, ms | of that to take a job | measured, 95 % | ratio | within 25 % |",
        "|---|---|---|---|---|---|---|---|---|---|",
      );
      for (const { pool } of chosen) {
        lines.push(...stretches(pool, seen.get(pool) as Minute[], script));
      }
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
        `${pool}, at the peak: ${reasons[Math.floor((script.fallAt - 20) / minuteSeconds)] ?? reasons.at(-1)}`,
      );
    }
    lines.push("", ...stage.lines);
    return lines.join("\n");
  } finally {
    await stage.stop();
  }
}

/** Prints the hour, and a second run in which an upstream's quota binds. */
export async function capacity(print: (text: string) => void): Promise<void> {
  print(`## The hour\n\n${await run(plays, hourScript, quotaOfPlays)}\n\n`);
  print(`## The quota binds\n\n${await run([behindQuota], quotaScript)}\n\n`);
}
