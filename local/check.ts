import { spawn } from "node:child_process";
import { join } from "node:path";
import { buildIfOld } from "../client/build.ts";
import { runVitest } from "./vitest.ts";

/**
 * `npm run check`: every check that needs no service, in parallel. With `--system` (`npm test`) the tests of
 * every mapping and the system tests follow when all checks pass; further arguments select test files.
 */

const root = join(import.meta.dirname, "..");
const bin = (name: string) => join(root, "node_modules", ".bin", name);

/**
 * The programs in Go (tsc, oxlint's type-aware rules) collect garbage less often when they may use more
 * memory: `oxlint` needs 12 s of processor time in place of 16.
 */
const fewCollections = { GOGC: "400" };

const checks: Record<string, [string, ...string[]]> = {
  format: [bin("oxfmt"), "--check"],
  lint: [bin("oxlint"), "--type-aware", "--deny-warnings"],
  // Each of several checkers repeats most of the work: one needs 9 s of processor time, four need 20.
  types: [bin("tsc"), "--checkers", "1"],
  unused: [bin("knip"), "--no-progress"],
  openapi: [process.execPath, join(root, "local", "lint-openapi.ts")],
  "unit tests": [bin("vitest"), "run", "--project", "unit"],
};

function runCheck([program, ...args]: [string, ...string[]]): Promise<[boolean, string]> {
  return new Promise((done) => {
    const env = {
      ...fewCollections,
      ...process.env,
      FORCE_COLOR: process.stdout.isTTY ? "1" : "0",
      REDOCLY_TELEMETRY: "off",
    };
    const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (text: Buffer) => (output += text.toString()));
    child.stderr.on("data", (text: Buffer) => (output += text.toString()));
    child.once("error", (error) => done([false, error.message]));
    child.once("close", (code) => done([code === 0, output.trim()]));
  });
}

const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

async function check(): Promise<boolean> {
  const startedAt = Date.now();
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, command]) => {
      const [ok, output] = await runCheck(command);
      const summary = /^\s*Tests\s+(.*)$/m.exec(output)?.[1];
      const line = [ok ? "ok    " : "FAILED", name, summary, seconds(startedAt)];
      process.stdout.write(`${line.filter(Boolean).join("  ")}\n${ok ? "" : `${output}\n\n`}`);
      return ok;
    }),
  );
  return results.every(Boolean);
}

// A closed pipe (`npm run check | head`) must not print a stack trace.
process.stdout.on("error", () => process.exit(1));

const [mode, ...files] = process.argv.slice(2);
// The type check includes the built client.
await buildIfOld();
const isGood = await check();
if (isGood && mode === "--system") {
  runVitest(["--project", "!unit", ...files], process.env);
} else process.exitCode = isGood ? 0 : 1;
