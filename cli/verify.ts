import { createInterface } from "node:readline/promises";
import { type Command, InvalidArgumentError } from "commander";
import type { Database } from "../db/client.ts";
import { keepVerification } from "../db/verifications.ts";
import type { Print } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { withDatabase } from "./system.ts";
import { Caller, type Result } from "./verify/call.ts";
import { daily } from "./verify/daily-run.ts";
import { Jobs } from "./verify/jobs.ts";
import { type Plan, knownCost, planOf } from "./verify/plan.ts";
import { recorderIn } from "./verify/record.ts";
import { costTable, money, output, progressLine } from "./verify/report.ts";

interface Options {
  free?: boolean;
  daily?: boolean;
  maxCost?: number;
  record?: string;
  yes?: boolean;
}

function dollars(text: string): number {
  if (!/^\d{1,4}(\.\d{1,4})?$/.test(text))
    throw new InvalidArgumentError("It must be dollars such as 0.50.");
  return Number(text);
}

/** `gateway verify` */
export function addVerify(program: Command, print: Print): void {
  program
    .command("verify [names...]")
    .description(
      "Calls areas or operations (all without names) once at their live upstreams, through the running workers, and tells which of them work. Callers' accounts pay nothing.",
    )
    .option("--free", "only operations whose upstreams need no account")
    .option("--max-cost <dollars>", "stop before the known costs exceed this", dollars)
    .option(
      "--record <folder>",
      "write the upstreams' answers there, with credentials and personal values replaced",
    )
    .option("--yes", "begin without a question")
    .option(
      "--daily",
      "call each upstream route once a day at most, within --max-cost (default 0.10) for the day; for a timer, asks nothing",
    )
    .option("--json", "print one JSON document instead of a table")
    .action(async (names: string[], options: Options) => {
      await withDatabase(async (db, { redisUrl }) => {
        if (redisUrl === undefined)
          throw new CliProblem("setup", "REDIS_URL is not set: name the Redis of the system.");
        const jobs = await Jobs.open(redisUrl, options.daily ? "canary" : "verify");
        try {
          const plan = await planOf(jobs, { names, free: options.free === true });
          if (options.daily) {
            const { maxCost: budget } = options;
            return print(await daily({ db, jobs, plan, budget, progress }));
          }
          await agreed(plan, options);
          print(output(await carriedOut(db, jobs, plan, options), plan.costs));
        } finally {
          await jobs.close();
        }
      });
    });
}

/** Shows calls and costs, and asks once where an account pays for them. */
async function agreed({ costs }: Plan, { yes, maxCost }: Options): Promise<void> {
  const paid = costs.filter((cost) => cost.dollars !== 0);
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
  if (costs.length > 0) process.stderr.write(isTerminal || !yes ? `${costTable(costs)}\n` : "");
  if (yes || paid.length === 0) return;
  if (!isTerminal)
    throw new CliProblem(
      "usage",
      "These calls may cost money: repeat the command with --yes, and with --max-cost if you like.",
    );
  const most = maxCost === undefined ? "" : ` (at most ${money(maxCost)} of known costs)`;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`Call them now${most}? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CliProblem("declined", "Nothing was called.");
  } finally {
    lines.close();
  }
}

async function carriedOut(
  db: Database,
  jobs: Jobs,
  { steps, play }: Plan,
  { maxCost, record }: Options,
): Promise<Result[]> {
  const keep = record === undefined ? undefined : recorderIn(record);
  const caller = new Caller(jobs, play, { record: keep });
  const results: Result[] = [];
  let spent = 0;
  for (const step of steps) {
    const expected = knownCost(step);
    if (maxCost !== undefined && !step.not && spent + expected > maxCost)
      step.not = {
        fault: "max_cost",
        cause: `its call would exceed --max-cost ${money(maxCost)}`,
        remedy: "Raise --max-cost, or name fewer operations.",
      };
    const result = await caller.result(step);
    if (result.verdict !== "not_called") {
      spent += Math.max(result.dollars, result.ms === undefined ? 0 : expected);
      // Without an answer of its own, or with one of its second upstream, the operation keeps the result that it had.
      if (result.ms !== undefined && result.through === undefined)
        await keepVerification(db, result);
    }
    if (step.chosen) results.push(result);
    progress(result, results.length, steps.length);
  }
  return results;
}

function progress(result: Result, done: number, all: number): void {
  if (process.stderr.isTTY) process.stderr.write(`${progressLine(result, done, all)}\n`);
}
