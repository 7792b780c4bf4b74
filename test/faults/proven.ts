import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import type { Reporter, TestModule, TestSuite, Vitest } from "vitest/node";
import { browserKinds } from "../../local/chromium-programs.ts";
import { full } from "./full.ts";
import { type Guard, type GuardName, guards } from "./guards.ts";

/**
 * Groups of tests that `npm test` skips as long as the sources they depend on are those of their last recorded
 * pass: the cases without each guard, the browser's isolation on each other kind of browser, and test files whose
 * promises few sources can break. None of the last guards money, replays or the SSRF filter.
 */

/** Passes of these groups are recorded, and none of them is skipped. */
const isRecording = process.env["RECORD_PROVEN"] === "true";
const root = join(import.meta.dirname, "..", "..");
const file = join(import.meta.dirname, "proven.json");

/** Tests of the browser's isolation and SSRF filter. */
export const browserCases = [
  "test/worker/browser/{egress,inside-addresses,inside-vectors,via,hostile,storage,one-browser,isolation*,confinement,sockets,network-changes}.test.ts",
];
/** The part of these tests that `npm test` runs on the other browser kinds; `npm run test:faults` runs all. */
export const shortBrowserCases = [
  "test/worker/browser/{egress,inside-addresses,inside-vectors,confinement,sockets,storage}.test.ts",
];
const unguarded = "test/faults/unguarded.test.ts";

/** Guards that have a group of cases in unguarded.test.ts, and the sources of these groups beside the edited files. */
const unguardedNames = Object.keys(guards).filter(
  (name) => name !== "only speed" && name !== "most of a page's processor time",
) as GuardName[];
const unguardedSources = ["db/functions/*.sql", "test/faults/cases.ts", unguarded];

/** A kind's own program is found by local/, its pages are read by the rest. */
const browserSources = [
  "worker/browser/**/*.ts",
  "worker/areas/browser/**/*.ts",
  "worker/egress/**/*.ts",
  "runtime/egress/**/*.ts",
  "local/chromium*.ts",
  "test/worker/browser/!(*.test).ts",
  ...browserCases,
];
interface FileGroup {
  files: readonly string[];
  /** Patterns, beside the files. */
  sources: readonly string[];
}

const pageFiles =
  "{fields,large-pages,late,main-content,page-options,pages,refresh,render,text-only}";
const mappingFiles =
  "{answers,coverage,dependencies,derivations,ends,examples,faults,paging,scenarios,verified}";
const besideFiles =
  "{isolation-traces,isolation-after,isolation-leftovers,hostile,hostile-content,limits,liveness,neighbours,renewal,two-browsers,withheld}";
const fileGroups: Record<string, FileGroup> = {
  /** Each operation is played again and again, and every value of its answer changed in turn: minutes of processor time. */
  "mapped answers": {
    files: [`test/operations/${mappingFiles}.test.ts`],
    sources: [
      "{contract,runtime,worker}/**/*.{ts,json}",
      "api/{*input*,scenario}.ts",
      "cli/verify/*.ts",
      "test/operations/!(*.test).ts",
      "test/areas/*/derivations.json",
    ],
  },
  /** Documents, sites' files and the contract of every operation: a third of the unit tests' processor time. */
  "documents and the contract": {
    files: [
      "test/worker/documents/documents.unit.test.ts",
      "test/areas/web/{crawl-documents,site-files}.unit.test.ts",
      "test/api/openapi/lint.unit.test.ts",
      "test/areas/accepted.unit.test.ts",
      "test/contract/operations.unit.test.ts",
      "test/operations/{days,identifiers,newest,odd-text}.unit.test.ts",
      "test/worker/browser/markdown/markdown-threads.unit.test.ts",
    ],
    sources: [
      "{api,contract,runtime,worker}/**/*.{ts,json}",
      "test/{areas/web,contract,operations,worker/documents}/!(*.test).{ts,json}",
    ],
  },
  /** Thousands of made-up bodies of every operation. */
  "made-up bodies": {
    files: ["test/api/edge/{generated,hostile}-bodies.test.ts"],
    sources: [
      "{api,contract,runtime}/**/*.{ts,json}",
      "dashboards/form-body.ts",
      "test/api/edge/!(*.test).ts",
      "test/faults/full.ts",
    ],
  },
  "what pages give": {
    files: [`test/worker/browser/${pageFiles}.test.ts`],
    sources: [
      ...browserSources,
      "worker/*.ts",
      "{contract,runtime}/**/*.ts",
      "test/pages/**/*.{html,md}",
    ],
  },
  /** Isolation that ends at a browser's own pages; the SSRF filter and each account's own context stay out. */
  "pages beside others": {
    files: [`test/worker/browser/${besideFiles}.test.ts`],
    sources: [...browserSources, "contract/{,areas/browser/}*.ts", "runtime/*.ts"],
  },
  /** Simulations with fixed seeds, so each run of the same sources gives the same figures. */
  "predicted waits": {
    files: ["test/dashboards/capacity/{hour,simulated}.test.ts"],
    sources: [
      "dashboards/capacity/*.ts",
      "{contract,runtime}/*.ts",
      "test/dashboards/capacity/!(*.test).ts",
    ],
  },
  "the client's package": {
    files: ["test/client/{package,runtimes}.test.ts"],
    sources: [
      "client/{*.json,*.ts,*.md,src/*.ts}",
      "contract/**/*.ts",
      "api/openapi/*.ts",
      "test/client/!(*.test).ts",
    ],
  },
};

const browserPackages = ["puppeteer", "@sparticuz/chromium"];

export const withoutTitle = (guard: GuardName): string => `without "${guard}"`;
export const projectOf = (kind: string): string => `browser ${kind}`;

/** The source hash of each group. */
function currentHashes(): Record<string, string> {
  const { dependencies } = JSON.parse(fs.readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const versions = browserPackages.map((name) => dependencies[name]);
  const { "only speed": slow } = guards;
  return Object.fromEntries([
    ...unguardedNames.map((name) => {
      const guard: Guard = guards[name];
      const edited = (guard.edits ?? []).map((edit) => edit.file);
      return [withoutTitle(name), hashOf([...edited, ...unguardedSources], [guard, slow])];
    }),
    ...browserKinds
      .filter((kind) => kind !== "shell")
      .map((kind) => [projectOf(kind), hashOf(browserSources, versions)]),
    ...Object.entries(fileGroups).map(([name, { files, sources }]) => [
      name,
      hashOf([...files, ...sources], [dependencies]),
    ]),
  ]);
}

/** Notes about recorded answers, which only documents show. */
const isNote = (path: string) => /^contract\/recordings[\w-]*\.ts$/.test(path);

function hashOf(patterns: readonly string[], values: readonly unknown[]): string {
  const hash = createHash("sha256").update(JSON.stringify(values));
  const found = patterns.flatMap((pattern) => fs.globSync(pattern, { cwd: root }));
  const paths = new Set(found.filter((path) => !isNote(path)));
  for (const path of [...paths].sort()) {
    hash.update(`\n${path}\n`).update(fs.readFileSync(join(root, path)));
  }
  return hash.digest("hex").slice(0, 16);
}

const hashes = currentHashes();
export const groups: readonly string[] = Object.keys(hashes);
export const recorded = JSON.parse(fs.readFileSync(file, "utf8")) as Record<string, string>;

/** Whether this run may skip a group. */
export const isProven = (group: string): boolean =>
  !full && !isRecording && recorded[group] === hashes[group];

/** No process starts for a test file whose every group is proven. */
export const provenFiles = [
  ...(unguardedNames.every((name) => isProven(withoutTitle(name))) ? [unguarded] : []),
  ...Object.entries(fileGroups).flatMap(([name, { files }]) => (isProven(name) ? files : [])),
];

/** Global set-up: one line about the skipped groups. */
export default function setup(): void {
  const skipped = groups.filter(isProven);
  if (skipped.length === 0) return;
  process.stderr.write(
    `Skipped, because nothing they depend on has changed since they passed: ${skipped.join(", ")}. Run them by npm run test:faults.\n`,
  );
}

/** Records the groups that passed in this run, each as a whole. */
class ProvenRecorder implements Reporter {
  #isSelection = false;

  /** A selection of a group's tests is not a pass. */
  onInit({ config }: Vitest): void {
    this.#isSelection = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#isSelection) return;
    const suites = modules
      .filter(({ relativeModuleId }) => relativeModuleId === unguarded)
      .flatMap((module) => [...module.children.suites()]);
    const passed = groups.filter(
      (group) =>
        suites.some((suite) => suite.name === group && hasPassed(suite)) ||
        havePassed(
          modules.filter(({ project }) => project.name === group),
          shortBrowserCases,
        ) ||
        havePassed(modules, fileGroups[group]?.files ?? []),
    );
    if (passed.length === 0) return;
    for (const group of passed) recorded[group] = hashes[group] as string;
    const text = JSON.stringify(
      Object.fromEntries(groups.map((group) => [group, recorded[group]])),
      null,
      2,
    );
    fs.writeFileSync(file, `${text}\n`);
    process.stderr.write(`Recorded in proven.json: ${passed.join(", ")}\n`);
  }
}

export const recorders: Reporter[] = isRecording ? [new ProvenRecorder()] : [];

function hasPassed({ children }: TestSuite): boolean {
  const tests = [...children.allTests()];
  return tests.length > 0 && tests.every((test) => test.result().state === "passed");
}

/** Whether every test of the files has passed, apart from those that this machine skips. */
function havePassed(modules: readonly TestModule[], files: readonly string[]): boolean {
  const paths = fs.globSync([...files], { cwd: root });
  const isGood = (path: string) =>
    modules.some(
      (module) =>
        module.relativeModuleId === path &&
        module.ok() &&
        [...module.children.allTests()].some((test) => test.result().state === "passed"),
    );
  return paths.length > 0 && paths.every(isGood);
}
