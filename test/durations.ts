import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { DefaultReporter, type TestCase, type TestModule, type Vitest } from "vitest/node";
import { cancelSignal } from "../local/vitest.ts";

/** Project -> test file -> seconds, longest first. */
export type Durations = Record<string, Record<string, number>>;

const root = join(import.meta.dirname, "..");
const table = join(import.meta.dirname, "durations.json");

export function readDurations(): Durations {
  return JSON.parse(readFileSync(table, "utf8")) as Durations;
}

/** The name of a test file in the table. */
export const fileOf = (moduleId: string) => relative(root, moduleId);

interface Row {
  project: string;
  file: string;
  seconds: number;
}

/** The table with these rows in place of their older ones; projects and files are sorted. */
export function renewed(before: Durations, rows: readonly Row[]): Durations {
  const files: Durations = {};
  for (const project of Object.keys(before)) files[project] = { ...before[project] };
  for (const { project, file, seconds } of rows) (files[project] ??= {})[file] = seconds;
  const longestFirst = (seconds: Record<string, number>) =>
    Object.fromEntries(Object.entries(seconds).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
  return Object.fromEntries(
    Object.entries(files)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([project, seconds]) => [project, longestFirst(seconds)]),
  );
}

function rowOf(module: TestModule): Row {
  const { collectDuration, duration } = module.diagnostic();
  const seconds = Math.round((collectDuration + duration) / 100) / 10;
  return { project: module.project.name, file: fileOf(module.moduleId), seconds };
}

/**
 * One line for each file, one for each failed test, and the ten slowest files at the end. With
 * `DURATIONS=true` the run's times go into `durations.json`.
 */
export class FileReporter extends DefaultReporter {
  override onInit(vitest: Vitest): void {
    super.onInit(vitest);
    process.once(cancelSignal, () => void vitest.cancelCurrentRun("keyboard-input"));
  }

  override printTestCase(...[state, test]: [ReturnType<TestModule["state"]>, TestCase]): void {
    if (test.result().state === "failed") super.printTestCase(state, test);
  }

  override onTestRunEnd(...results: Parameters<DefaultReporter["onTestRunEnd"]>): void {
    super.onTestRunEnd(...results);
    const rows = results[0].map(rowOf);
    if (process.env["DURATIONS"] === "true") {
      writeFileSync(table, `${JSON.stringify(renewed(readDurations(), rows), null, 2)}\n`);
    }
    if (rows.length < 10) return;
    const slowest = rows.sort((a, b) => b.seconds - a.seconds).slice(0, 10);
    const lines = slowest.map(
      ({ project, file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file} (${project})`,
    );
    this.log(["Slowest files:", ...lines, ""].join("\n"));
  }
}
