import { InvalidArgumentError } from "commander";
import type { Command } from "commander";
import { instanceOf } from "../runtime/build.ts";
import { type ControlKind, controlKinds, mostMinutes, mostPerMinute } from "../runtime/controls.ts";
import { readPublished } from "../dashboards/metrics.ts";
import { effectText } from "../dashboards/controls/page.ts";
import { take } from "../dashboards/controls/form.ts";
import { type ControlRow, controlLog, standingControls } from "../db/controls.ts";
import type { Database } from "../db/client.ts";
import { addCommand, wholeNumber } from "./arguments.ts";
import { type Output, type Print, moment, table } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { withRedis } from "./redis.ts";
import { actor, withDatabase } from "./system.ts";

interface Options {
  why: string;
  for?: number;
  perMinute?: number;
}

/** "30m", "2h" or "7d" in minutes; seconds are not supported. */
function duration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const minutes = Number(count) * ({ m: 1, h: 60, d: 1440 }[unit ?? ""] ?? Number.NaN);
  if (!(minutes >= 1 && minutes <= mostMinutes))
    throw new InvalidArgumentError("It must be like 30m, 2h or 7d, and at most 90d.");
  return minutes;
}

function kind(text: string): ControlKind {
  const found = controlKinds.find((one) => one === text && one !== "pool" && one !== "worker");
  if (found) return found;
  throw new InvalidArgumentError("It must be upstream, operation, account or key.");
}

/** The name in decisions of a worker process that reports. */
async function runningWorker(name: string): Promise<string> {
  const { processes } = await withRedis(readPublished);
  const workers = processes.flatMap(({ role, about }) =>
    role === "worker" && about ? [about] : [],
  );
  const found = workers.find((about) => about.name === name);
  if (found) return instanceOf(found);
  const names = workers.map((about) => about.name).join(", ") || "none";
  throw new CliProblem("usage", `No worker process ${name} reports. Those that do: ${names}.`);
}

const toJson = ({ perMinute, at, until, ...row }: ControlRow) => ({
  ...row,
  at: at.toISOString(),
  per_minute: perMinute,
  until: until?.toISOString() ?? null,
});

const lines = (rows: readonly ControlRow[]) =>
  table(
    ["when", "who", "what", "became", "until", "why"],
    rows.map((row) => [
      moment(row.at),
      row.who,
      `${row.kind} ${row.target}`,
      effectText(row),
      moment(row.until),
      row.why,
    ]),
  );

async function shown(db: Database): Promise<Output> {
  const rows = await standingControls(db);
  return {
    json: { in_force: rows.map(toJson) },
    text: rows.length === 0 ? "Nothing is stopped or limited." : lines(rows),
  };
}

/** `gateway control …` */
export function addControl(program: Command, print: Print): void {
  const control = program
    .command("control")
    .description("stop and limit pools, upstreams, operations, accounts and keys");
  const decide = (of: ControlKind, target: string, effect: string, options: Options) =>
    withDatabase(async (db) => {
      const taken = await take(db, actor(), {
        kind: of,
        target,
        effect,
        why: options.why,
        minutes: options.for,
        per_minute: options.perMinute,
      });
      if ("objection" in taken) throw new CliProblem("usage", `Not done: ${taken.objection}.`);
      print(await shown(db));
    });
  const withReason = (command: Command) =>
    command.requiredOption("--why <text>", "the reason, for the audit log");
  const withEnd = (command: Command) =>
    withReason(command).option("--for <time>", "ends by itself after 30m, 2h, 7d", duration);

  for (const [effect, summary] of [
    ["pause", "start no more jobs of a pool and refuse new calls"],
    ["drain", "refuse new calls to a pool and finish the waiting ones"],
  ] as const) {
    withEnd(addCommand(control, effect, summary))
      .argument("<pool>")
      .action((pool: string, options: Options) => decide("pool", pool, effect, options));
  }
  withReason(addCommand(control, "resume", "end a pause or a drain"))
    .argument("<pool>")
    .action((pool: string, options: Options) => decide("pool", pool, "none", options));
  withEnd(addCommand(control, "off", "switch off an upstream, operation, account or key"))
    .argument("<kind>", "upstream, operation, account or key", kind)
    .argument("<name>")
    .action((of: ControlKind, name: string, options: Options) => decide(of, name, "off", options));
  withEnd(addCommand(control, "cap", "set a rate limit for an upstream, operation, account or key"))
    .argument("<kind>", "upstream, operation, account or key", kind)
    .argument("<name>")
    .requiredOption("--per-minute <n>", "calls a minute", wholeNumber(1, mostPerMinute))
    .action((of: ControlKind, name: string, options: Options) => decide(of, name, "cap", options));
  withReason(addCommand(control, "on", "revert off or cap"))
    .argument("<kind>", "upstream, operation, account or key", kind)
    .argument("<name>")
    .action((of: ControlKind, name: string, options: Options) => decide(of, name, "none", options));
  withEnd(addCommand(control, "quiet", "let one worker process take no more jobs"))
    .argument("<process>", "its name on the page Workers, host-pid")
    .action(async (process: string, options: Options) =>
      decide("worker", await runningWorker(process), "pause", options),
    );
  withReason(addCommand(control, "wake", "let a quiet worker process take jobs again"))
    .argument("<process>", "its name on the page Workers, host-pid")
    .action(async (process: string, options: Options) =>
      decide("worker", await runningWorker(process), "none", options),
    );
  addCommand(control, "list", "list the decisions in force").action(async () =>
    print(await withDatabase(shown)),
  );
  addCommand(control, "log", "show the audit log of decisions and actions").action(async () => {
    const rows = await withDatabase((db) => controlLog(db));
    print({
      json: { log: rows.map(toJson) },
      text: rows.length === 0 ? "There are no decisions yet." : lines(rows),
    });
  });
}
