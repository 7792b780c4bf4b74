import { faultFiles } from "./faults-files.ts";
import { runVitest } from "./vitest.ts";

/**
 * `npm run test:faults`: every fault test at full length. `npm test` runs the same files, some in a shorter
 * form. Arguments select files; variables that are set already take precedence.
 */

const fullLength = {
  FULL_FAULTS: "true",
  BANK_SECONDS: "60",
  MONEY_SECONDS: "90",
  OUTAGE_SECONDS: "600",
  MEMORY_CALLS: "10000",
  MEMORY_SCREENSHOTS: "500",
  MEMORY_WAITS: "true",
};

const chosen = process.argv.slice(2);
// One file at a time: the time limits assume an otherwise idle machine.
const args = ["--no-file-parallelism", ...(chosen.length > 0 ? chosen : faultFiles)];
runVitest(args, { ...fullLength, ...process.env });
