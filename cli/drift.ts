import type { Command } from "commander";
import { operations } from "../contract/index.ts";
import {
  decodeProfile,
  type DriftFinding,
  type DriftProfile,
  driftKey,
  driftOpenKey,
} from "../runtime/drift.ts";
import { linesThatRead } from "../runtime/mapping-lines.ts";
import { addCommand } from "./arguments.ts";
import { moment, type Output, type Print, table } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { withRedis } from "./redis.ts";

interface Shown extends DriftFinding {
  operation: string;
  upstream: string;
  route: string;
  /** Lines of mappings that name the field. */
  read_by: string[];
}

/** `gateway drift` */
export function addDrift(program: Command, print: Print): void {
  const drift = addCommand(
    program,
    "drift",
    "show what has changed in the shape of upstreams' answers",
  )
    .option("--operation <id>", "only this operation")
    .option("--profiles", "show what is known of each operation instead")
    .action(async (options: { operation?: string; profiles?: boolean }) => {
      const { operation } = options;
      checkOperation(operation);
      const profiles = (await withRedis((redis) => redis.hvals(driftKey)))
        .map((text) => decodeProfile(text)?.profile)
        .filter((profile) => profile !== undefined)
        .filter((profile) => operation === undefined || profile.operation === operation);
      print(options.profiles ? shownProfiles(profiles) : shownFindings(profiles));
    });

  addCommand(drift, "forget <operation>", "learn the shape of an operation's answers anew").action(
    async (operation: string) => {
      checkOperation(operation);
      const count = await withRedis(async (redis) => {
        const ids = (await redis.hkeys(driftKey)).filter((id) => id.startsWith(`${operation} `));
        if (ids.length === 0) return 0;
        await redis.hdel(driftOpenKey, ...ids);
        return redis.hdel(driftKey, ...ids);
      });
      print({ json: { operation, forgotten: count }, text: `${count} profiles are forgotten.` });
    },
  );
}

function checkOperation(id: string | undefined): void {
  if (id !== undefined && !operations.has(id))
    throw new CliProblem("usage", `There is no operation ${id}`);
}

function shownFindings(profiles: readonly DriftProfile[]): Output {
  const all = profiles.flatMap(({ operation, upstream, route, findings }) =>
    findings.map((finding): Shown => ({
      operation,
      upstream,
      route,
      ...finding,
      read_by: linesThatRead(operation, upstream, finding.path),
    })),
  );
  const isOver = ({ ended }: Shown): number => Number(ended !== undefined);
  all.sort((a, b) => isOver(a) - isOver(b) || b.first - a.first);
  const answers = profiles.reduce((sum, profile) => sum + profile.answers, 0);
  const json = { answers, findings: all.map(withTimes) };
  if (answers === 0)
    return {
      json,
      text: "No live answer has been seen, so nothing is known of changes.",
    };
  if (all.length === 0) {
    const known = `The shape of ${answers} answers of ${profiles.length} routes is known`;
    return { json, text: `${known}; nothing has changed.` };
  }
  const rows = all.map((one) => [
    one.operation,
    one.upstream,
    one.path,
    one.change,
    one.was,
    one.now,
    moment(new Date(one.first)),
    one.ended === undefined ? moment(new Date(one.last)) : `over ${moment(new Date(one.ended))}`,
    one.read_by.join(" ") || "-",
  ]);
  const headings = ["operation", "upstream", "field", "change", "was", "now", "first", "last"];
  return { json, text: table([...headings, "mapping"], rows) };
}

const withTimes = ({ first, last, ended, ...rest }: Shown) => ({
  ...rest,
  first: new Date(first).toISOString(),
  last: new Date(last).toISOString(),
  ended: ended === undefined ? null : new Date(ended).toISOString(),
});

function shownProfiles(profiles: readonly DriftProfile[]): Output {
  const json = profiles.map(({ operation, upstream, route, answers, since, last }) => ({
    operation,
    upstream,
    route,
    answers,
    since: new Date(since).toISOString(),
    last: new Date(last).toISOString(),
  }));
  json.sort((a, b) => a.operation.localeCompare(b.operation));
  const rows = json.map(Object.values<string | number>);
  const headings = ["operation", "upstream", "route", "answers", "since", "last"];
  return { json, text: table(headings, rows) };
}
