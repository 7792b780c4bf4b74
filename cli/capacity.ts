import { type Command, InvalidArgumentError, Option } from "commander";
import type { CapacityAnswer, PoolAnswer } from "../dashboards/capacity/answer.ts";
import { worthOf } from "../dashboards/capacity/reason.ts";
import { type WhatIf, question } from "../dashboards/capacity/what-if.ts";
import { pools } from "../contract/operation.ts";
import { addCommand, wholeNumber } from "./arguments.ts";
import { type PlanOptions, noSuchPool, plan } from "./capacity-plan.ts";
import { askDashboards } from "./dashboards.ts";
import { CliProblem } from "./problem.ts";
import { table } from "./output.ts";
import type { Output, Print } from "./output.ts";

const round = (value: number): number => Number(value.toPrecision(3));
const ms = (value: number | null): string => (value === null ? "-" : `${round(value)} ms`);

function shown(answer: CapacityAnswer): Output {
  const all = Object.entries(answer.pools);
  const rows = all.map(([pool, one]) => [
    pool,
    one.workers.now,
    one.workers.desired,
    one.slots.now,
    one.slots.desired,
    one.slots.running,
    one.slots.waiting,
    round(one.arrivals.per_second),
    ms(one.wait.measured_p95_ms),
    ms(one.target_p95_wait_ms),
    one.wall,
  ]);
  const headings = [
    "pool",
    "workers",
    "desired",
    "slots",
    "desired",
    "busy",
    "waiting",
    "calls/s",
    "p95 wait",
    "target",
    "bottleneck",
  ];
  const reasons = all.map(([pool, one]: [string, PoolAnswer]) =>
    `${pool}: ${one.reason} ${worthOf(one)}`.trimEnd(),
  );
  const state = {
    measured: "",
    warming: "There are too few samples yet.\n\n",
    held: `Last answer, from ${answer.at}: ${answer.why ?? ""}.\n\n`,
  }[answer.state];
  return { json: answer, text: `${state}${table(headings, rows)}\n\n${reasons.join("\n")}` };
}

function shownWhatIf(answer: WhatIf): Output {
  const rows = answer.by_workers.map((one) => [
    one.workers,
    one.slots,
    `${round(one.utilisation * 100)} %`,
    one.p95_wait_ms === null ? "grows" : ms(one.p95_wait_ms),
  ]);
  const { pool, target_ms: target } = answer.question;
  return {
    json: answer,
    text: `${pool}: ${answer.workers} workers with ${answer.slots} slots in all keep the p95 wait within ${target} ms.\n\n${table(["workers", "slots", "busy", "p95 wait"], rows)}`,
  };
}

/** The measured figures, for options that are not given. */
function measured(pool: string, answer: CapacityAnswer): Record<string, number | undefined> {
  const all: Record<string, PoolAnswer> = answer.pools;
  const one = Object.hasOwn(all, pool) ? all[pool] : undefined;
  if (!one) throw new CliProblem("usage", noSuchPool(pool));
  return {
    per_second: one.arrivals.peak_per_second,
    service_ms: one.service?.mean_ms,
    service_scv: one.service?.scv,
    arrival_scv: one.arrivals.scv,
    target_ms: one.target_p95_wait_ms,
    slots_per_worker: one.slots.per_worker,
  };
}

interface WhatIfOptions {
  perSecond?: string;
  serviceMs?: string;
  serviceScv?: string;
  arrivalScv?: string;
  targetMs?: string;
  slotsPerWorker?: string;
}

async function askWhatIf(pool: string, options: WhatIfOptions): Promise<Output> {
  const known = measured(pool, (await askDashboards("/capacity")) as CapacityAnswer);
  const changed = Object.entries(options).map(([name, value]: [string, string]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  const values = { ...known, ...(Object.fromEntries(changed) as Record<string, string>), pool };
  const query = new URLSearchParams();
  for (const name of Object.keys(question.shape)) {
    const value = values[name as keyof typeof values];
    if (value !== undefined) query.set(name, String(value));
  }
  return shownWhatIf((await askDashboards(`/capacity/what-if?${query.toString()}`)) as WhatIf);
}

/** `gateway capacity …` */
export function addCapacity(program: Command, print: Print): void {
  const capacity = addCommand(
    program,
    "capacity",
    "show how many workers each pool should have, and why",
  ).action(async () => print(shown((await askDashboards("/capacity")) as CapacityAnswer)));

  addCommand(capacity, "what-if <pool>", `compute it with other numbers (${pools.join(", ")})`)
    .option("--per-second <calls>", "calls a second (measured peak)")
    .option("--service-ms <ms>", "time a call holds its slot (measured)")
    .option("--service-scv <number>", "squared coefficient of variation of that time (measured)")
    .option("--arrival-scv <number>", "the same for the time between calls (measured)")
    .option("--target-ms <ms>", "target for the 95th percentile of the wait (configured)")
    .option("--slots-per-worker <slots>", "jobs a worker runs at once (measured)")
    .action(async (pool: string, options: WhatIfOptions & { json?: boolean }) => {
      const { json: _, ...changes } = options;
      print(await askWhatIf(pool, changes));
    });

  const source = new Option("--from <source>", "data behind the plan");
  addCommand(capacity, "plan", "plan next month's workers from the usage of the last days")
    .addOption(source.choices(["usage"]).default("usage"))
    .option("--days <days>", "days of usage to read", wholeNumber(1, 366), 30)
    .option("--growth <factor>", "expected growth", factor, 1)
    .action(async (options: PlanOptions) => print(await plan(options)));
}

function factor(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1000))
    throw new InvalidArgumentError("It must be a number above 0, such as 1.3.");
  return value;
}
