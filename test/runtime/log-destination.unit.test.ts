import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const source = join(import.meta.dirname, "../../runtime/log-destination.ts");

/** Runs a script with a log whose standard output is this file. */
function run(file: string, script: string) {
  const fd = fs.openSync(file, "a");
  const text = `
    import { pino } from "pino";
    import { logDestination } from ${JSON.stringify(source)};
    const log = pino({}, logDestination());
    ${script}`;
  const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", text], {
    cwd: join(import.meta.dirname, "../.."),
    stdio: ["ignore", fd, "ignore"],
    timeout: 20_000,
  });
  fs.closeSync(fd);
  return status;
}

test("lines are written, also those just before the end", () => {
  const folder = fs.mkdtempSync(join(tmpdir(), "log-"));
  const file = join(folder, "log");
  expect(
    run(file, 'log.info("first"); setTimeout(() => { log.info("last"); process.exit(3); }, 50);'),
  ).toBe(3);
  expect(fs.readFileSync(file, "utf8")).toMatch(/"first".*\n.*"last".*\n$/);
  fs.rmSync(folder, { recursive: true });
});

test.skipIf(!fs.existsSync("/dev/full"))(
  "a full disk neither ends the process nor keeps it from its end",
  () => {
    const script = `
      for (let at = 0; at < 40; at += 10) setTimeout(() => log.info("x".repeat(500_000)), at);
      setTimeout(() => process.exit(3), 200);`;
    expect(run("/dev/full", script)).toBe(3);
  },
);
