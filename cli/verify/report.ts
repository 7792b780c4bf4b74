import { operations } from "../../contract/index.ts";
import { type Output, fields, table } from "../output.ts";
import type { Result } from "./call.ts";
import type { Verdict } from "./judge.ts";
import type { Cost } from "./plan.ts";

/** The report of verify: operations, paths, figures and causes, but no values, secrets or personal data. */

const words: Readonly<Record<Verdict, string>> = {
  works: "works",
  works_but: "works, but",
  fails: "fails",
  unclear: "unclear",
  not_called: "not called",
};

/** Findings of one operation that the table shows; JSON has all of them, also those of operations that work. */
const shownFindings = 5;

export const money = (dollars: number | undefined): string =>
  dollars === 0
    ? "none"
    : dollars === undefined
      ? "unknown"
      : `$${dollars.toFixed(dollars < 0.01 ? 4 : 2)}`;

const rounded = (dollars: number): number => Number(dollars.toFixed(6));

export function costTable(costs: readonly Cost[]): string {
  const rows = costs.map(({ upstream, calls, dollars, from }) => [
    upstream,
    calls,
    money(dollars),
    from,
  ]);
  return table(["upstream", "calls", "expected cost", "price"], rows);
}

/** One line while verify runs. */
export function progressLine(result: Result, done: number, all: number): string {
  const why = result.cause ?? result.findings[0]?.text ?? "";
  const tail = why === "" ? "" : `: ${why}`;
  return `${done}/${all} ${nameOf(result)} ${wordOf(result)}${tail}`;
}

export function output(results: readonly Result[], costs: readonly Cost[]): Output {
  const count = (verdict: Verdict) => results.filter((one) => one.verdict === verdict).length;
  const counts = {
    works: count("works"),
    works_but: count("works_but"),
    fails: count("fails"),
    unclear: count("unclear"),
    not_called: count("not_called"),
  };
  const dollars = rounded(results.reduce((sum, one) => sum + one.dollars, 0));
  const failed = counts.fails + counts.unclear > 0;
  return {
    json: {
      ok: !failed,
      counts,
      dollars_reported: dollars,
      expected: costs.map((cost) => ({
        ...cost,
        dollars: cost.dollars === undefined ? null : rounded(cost.dollars),
      })),
      results,
    },
    text: [text(results), ...noWayOut(results), summary(counts, dollars)].join("\n\n"),
    failed,
  };
}

const nameOf = ({ operation, through }: Result): string =>
  through === undefined ? operation : `${operation} (through ${through})`;

const wordOf = ({ verdict, fault }: Result): string =>
  fault === "unreachable" ? "unreachable" : words[verdict];

/** Some operations compute their answer, without an upstream and without a page. */
const asksSomebody = ({ operation, upstreams }: Result): boolean =>
  upstreams.length > 0 || operations.get(operation)?.pool === "browser";

const neverSent = /^(contact|no_credential|no_input|no_worker|max_cost)$/;

/** One sentence where nothing at all could be reached. */
function noWayOut(results: readonly Result[]): string[] {
  const called = results.filter((one) => !neverSent.test(one.fault ?? "") && asksSomebody(one));
  const isClosed = called.length > 0 && called.every(({ fault }) => fault === "unreachable");
  return isClosed
    ? ["No upstream could be reached: the workers have no way out of their network."]
    : [];
}

function text(results: readonly Result[]): string {
  return results
    .flatMap((one) => {
      const isShown = one.verdict !== "works";
      const head = `${wordOf(one).padEnd(11)}  ${nameOf(one)}`;
      const cause = one.cause === undefined ? [] : [`             ${one.cause}`];
      const remedy = one.remedy === undefined ? [] : [`             ${one.remedy}`];
      const shown = one.findings
        .slice(0, shownFindings)
        .map((found) => `             ${found.text}`);
      const more = isShown ? one.findings.length - shown.length : 0;
      const rest = more > 0 ? [`             and ${more} more, with --json`] : [];
      return [head, ...cause, ...remedy, ...shown, ...rest];
    })
    .join("\n");
}

function summary(counts: Readonly<Record<Verdict, number>>, dollars: number): string {
  const lines = Object.entries(counts).map(([verdict, count]) => [
    words[verdict as Verdict],
    count,
  ]);
  return fields({ ...Object.fromEntries(lines), "reported cost": money(dollars) });
}
