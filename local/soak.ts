import { resolve } from "node:path";
import { runVitest } from "./vitest.ts";

/**
 * `npm run soak [-- <seconds>] [--json <file>]`: mixed traffic with a fault every 30 s, for 20 minutes by
 * default (SOAK_SECONDS is the same as the argument). `npm run test:faults` runs a short form.
 */

const defaultSeconds = 1200;

const words = process.argv.slice(2);
const flag = words.indexOf("--json");
const file = flag >= 0 ? words.splice(flag, 2)[1] : process.env["SOAK_JSON"];
const seconds = Number(words[0] ?? process.env["SOAK_SECONDS"] ?? defaultSeconds);

if (
  words.length > 1 ||
  (flag >= 0 && file === undefined) ||
  !(seconds >= 20 && seconds <= 86_400)
) {
  process.stderr.write("usage: npm run soak [-- <seconds, 20 to 86400>] [--json <file>]\n");
  process.exit(2);
}

runVitest(["--project", "system", "test/soak/soak.test.ts"], {
  ...process.env,
  SOAK_SECONDS: String(seconds),
  ...(file === undefined ? {} : { SOAK_JSON: resolve(file) }),
});
