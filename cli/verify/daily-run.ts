import { randomUUID } from "node:crypto";
import {
  beginCanary,
  canariesKeptDays,
  type Canary,
  endCanary,
  interrupted,
  readCanaries,
} from "../../db/canaries.ts";
import type { Database } from "../../db/client.ts";
import { createMetrics } from "../../runtime/metrics.ts";
import type { Output } from "../output.ts";
import { fields } from "../output.ts";
import { Caller, type Result } from "./call.ts";
import { dailyCost, dailySteps, defaultBudget } from "./daily.ts";
import type { Jobs } from "./jobs.ts";
import { type Plan, type Step, costsOf } from "./plan.ts";
import { money, output } from "./report.ts";

/** `gateway verify --daily`: calls each route that was not called today, within the day's budget. */

interface Daily {
  db: Database;
  jobs: Jobs;
  plan: Plan;
  /** Dollars of known and assumed costs for the whole day. */
  budget: number | undefined;
  /** Called after each result. */
  progress: (result: Result, done: number, all: number) => void;
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

export async function daily(parts: Daily, now = new Date()): Promise<Output> {
  const { db, jobs, plan, budget = defaultBudget, progress } = parts;
  const today = dayOf(now);
  const kept = await readCanaries(db, canariesKeptDays);
  const before = kept.filter(({ day }) => day === today);
  const spentBefore = before.reduce((sum, one) => sum + one.dollars, 0);
  const preferred = plan.steps.filter(({ without }) => !without);
  const ended = kept.filter(({ fault }) => fault !== interrupted);
  const steps = dailySteps(preferred, ended, today);
  let callId = "";
  const caller = new Caller(jobs, plan.play, {
    pages: 1,
    async before(step) {
      callId = randomUUID();
      const { op, asked, sample } = step;
      await beginCanary(db, {
        callId,
        operation: op.id,
        upstreams: asked.map(({ upstream }) => upstream),
        routes: [...(sample?.routes ?? [])],
        dollars: dailyCost(step),
      });
    },
  });
  const metrics = createMetrics();
  const results: Result[] = [];
  const left: Step[] = [];
  let spent = spentBefore;
  for (const [index, step] of steps.entries()) {
    const expected = dailyCost(step);
    if (spent + expected > budget && expected > 0) {
      left.push(step);
      continue;
    }
    const result = await caller.result(step);
    // A refusal that another call has shown is reported without a row of its own.
    if (result.ms !== undefined && result.verdict !== "not_called") {
      const dollars = Math.max(result.dollars, expected) + expected * (result.lostRuns ?? 0);
      spent += dollars;
      await endCanary(db, { callId, dollars: expected }, rowOf(result, dollars));
      if (result.verdict === "fails")
        for (const upstream of result.upstreams)
          metrics.count("gateway_canary_alarms_total", { upstream });
    }
    results.push(result);
    progress(result, index + 1, steps.length);
  }
  await jobs.publish(metrics);
  return report({ today, before, results, left, spentBefore, spent, budget, steps });
}

function rowOf(result: Result, dollars: number): Omit<Canary, "day" | "at" | "routes"> {
  const { operation, upstreams, verdict, fault, cause, findings, ms } = result;
  // Members that are merely new or lacking in the upstream's answer are no findings.
  const told = findings.filter(({ kind }) => kind !== "upstream_new" && kind !== "upstream_lacks");
  return {
    operation,
    upstreams,
    verdict,
    fault: fault ?? null,
    cause: cause ?? null,
    paths: [...new Set(told.flatMap(({ path }) => path ?? []))],
    ms: ms ?? null,
    dollars,
  };
}

function report(run: {
  today: string;
  before: readonly Canary[];
  results: readonly Result[];
  left: readonly Step[];
  steps: readonly Step[];
  spentBefore: number;
  spent: number;
  budget: number;
}): Output {
  const { today, before, results, left, steps, spentBefore, spent, budget } = run;
  const told = output(results, costsOf(steps, 1));
  const earlier = before.filter(({ verdict }) => verdict === "fails").map((one) => one.operation);
  const alarms = [
    ...earlier,
    ...results.filter(({ verdict }) => verdict === "fails").map(({ operation }) => operation),
  ];
  const facts = {
    day: today,
    "called today": before.length + results.filter(({ ms }) => ms !== undefined).length,
    alarms: alarms.length,
    "left for tomorrow": left.length,
    budget: `${money(spent)} of ${money(budget)}`,
  };
  const alarm = earlier.length > 0 ? [`Earlier today failed: ${earlier.join(", ")}`] : [];
  const none = steps.length === 0 ? ["Every route was called today."] : [];
  return {
    json: {
      ...(told.json as object),
      ok: alarms.length === 0,
      daily: {
        day: today,
        alarms,
        left: left.map(({ op }) => op.id),
        budget,
        spent_before: spentBefore,
        spent,
      },
    },
    text: [...none, ...(results.length > 0 ? [told.text] : []), ...alarm, fields(facts)].join(
      "\n\n",
    ),
    failed: alarms.length > 0,
  };
}
