import { type ChildProcess, spawn } from "node:child_process";
import { getPriority, setPriority } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { buildIfOld } from "../client/build.ts";
import { runVitest } from "./vitest.ts";

/**
 * `npm run check`: every check that needs no service, in parallel. With `--system` (`npm test`) they run at a
 * low priority beside the tests of every mapping and the system tests, which wait a fifth of their time for
 * something other than a processor; the first check that fails ends the run. Further arguments select test
 * files.
 */

const root = join(import.meta.dirname, "..");
const bin = (name: string) => join(root, "node_modules", ".bin", name);

/** The programs in Go (tsc, oxlint's type-aware rules) need a quarter less processor time when they may use more memory. */
const fewCollections = { GOGC: "400" };

const unitTests = "unit tests";

const typesSoFar = join(root, "node_modules", ".cache", "tsc.json");

/** `isBeside` tells that the tests of services run at the same time. */
const checksOf = (isBeside: boolean): Record<string, [string, ...string[]]> => ({
  format: [bin("oxfmt"), "--check"],
  // One thread needs 18 s of processor time, two need 28, because each has a checker of types of its own.
  lint: ["env", "GOMAXPROCS=1", bin("oxlint"), "--type-aware", "--deny-warnings"],
  // One checker needs 9 s of processor time, four need 20, because each repeats most of the work. A check of what has
  // changed since the last one in this checkout needs 2 s in place of 14.
  types: [bin("tsc"), "--checkers", "1", "--incremental", "--tsBuildInfoFile", typesSoFar],
  unused: [bin("knip"), "--no-progress"],
  // A second process loads most modules again: 42 s of processor time in place of 35.
  [unitTests]: [
    bin("vitest"),
    "run",
    "--project",
    "unit",
    ...(isBeside ? ["--maxWorkers", "1"] : []),
  ],
});

const running = new Set<ChildProcess>();

/** `nice` is the priority by which the check gives way to others, as of nice(1). */
function runCheck(
  [program, ...args]: [string, ...string[]],
  nice: number,
): Promise<[boolean, string]> {
  return new Promise((done) => {
    const env = {
      ...fewCollections,
      ...process.env,
      FORCE_COLOR: process.stdout.isTTY ? "1" : "0",
    };
    const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    // Only root may give a process a higher priority than it has, as under `nice -n 19 npm test`.
    if (child.pid !== undefined && getPriority(child.pid) < nice) setPriority(child.pid, nice);
    let output = "";
    child.stdout.on("data", (text: Buffer) => (output += text.toString()));
    child.stderr.on("data", (text: Buffer) => (output += text.toString()));
    child.once("error", (error) => done([false, error.message]));
    child.once("close", (code) => {
      running.delete(child);
      done([code === 0, output.trim()]);
    });
  });
}

/** Without vitest's lines of files that passed: what failed fits in one screen. */
const withoutPassed = (output: string) =>
  output
    .split("\n")
    .filter((line) => !stripVTControlCharacters(line).trimStart().startsWith("✓"))
    .join("\n");

/**
 * How far a check beside tests gives way to them, as of nice(1). A test that gets no processor for a second sees idle
 * times pass that have not passed for others; the other checks only take longer.
 */
const niceBeside = (name: string) => (name === unitTests ? 5 : 19);

const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** Tells each check's end as one line, with its output when it failed. Beside tests they give way to all else. */
async function check(
  isBeside: boolean,
  tell: (text: string, ok: boolean) => void,
): Promise<boolean> {
  const startedAt = Date.now();
  const results = await Promise.all(
    Object.entries(checksOf(isBeside)).map(async ([name, command]) => {
      const [ok, output] = await runCheck(command, isBeside ? niceBeside(name) : 0);
      const summary = /^\s*Tests\s+(.*)$/m.exec(output)?.[1];
      const line = [ok ? "ok    " : "FAILED", name, summary, seconds(startedAt)];
      tell(`${line.filter(Boolean).join("  ")}\n${ok ? "" : `${withoutPassed(output)}\n\n`}`, ok);
      return ok;
    }),
  );
  return results.every(Boolean);
}

function endChecks(): void {
  for (const child of running) child.kill("SIGTERM");
}

/** The checks beside the tests. On a terminal their lines follow the tests, whose progress is drawn over and over. */
async function checkBeside(files: readonly string[]): Promise<boolean> {
  // Of some files a whole run takes one in sixteen (test/sampled.ts).
  const env = files.length === 0 ? { WHOLE_TEST_RUN: "true", ...process.env } : process.env;
  const endTests = runVitest(["--project", "!unit", ...files], env);
  process.once("SIGTERM", endChecks);
  const lines: string[] = [];
  let isEnding = false;
  process.once("exit", () => process.stdout.write(lines.join("")));
  return check(true, (text, ok) => {
    if (isEnding) return;
    if (process.stdout.isTTY) lines.push(text);
    else process.stdout.write(text);
    if (ok) return;
    isEnding = true;
    endTests();
    endChecks();
  });
}

// A closed pipe (`npm run check | head`) must not print a stack trace.
process.stdout.on("error", () => process.exit(1));

const [mode, ...files] = process.argv.slice(2);
// The type check includes the built client.
await buildIfOld();
const isGood =
  mode === "--system"
    ? await checkBeside(files)
    : await check(false, (text) => void process.stdout.write(text));
// The tests have their own exit code.
if (!isGood) process.exitCode = 1;
