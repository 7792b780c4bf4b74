import { runVitest } from "./vitest.ts";

/**
 * `npm run test:faults`: every fault test at full length. `npm test` runs the same files, some in a shorter
 * form. Arguments select files; variables that are set already take precedence.
 */

const files = [
  "test/faults",
  "test/db/bank.test.ts",
  "test/db/patch-driver.test.ts",
  "test/worker/transport/transport.test.ts",
  "test/worker/transport/requests.test.ts",
  "test/worker/transport/faults.test.ts",
  "test/worker/transport/limits.test.ts",
  "test/worker/browser",
  "test/worker/egress",
  "test/worker/config.unit.test.ts",
  "test/local/chromium.test.ts",
  "test/operations",
  "test/worker/drift/upstreams.test.ts",
  "test/soak",
  "test/api",
  "test/client/package.test.ts",
  "test/client/runtimes.test.ts",
  "test/dashboards/capacity/autoscale.test.ts",
  "test/dashboards/capacity/hour.test.ts",
  "test/dashboards/capacity/simulated.test.ts",
  "test/runtime/tracing",
  "test/deploy/prometheus.test.ts",
];

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
const args = ["--no-file-parallelism", ...(chosen.length > 0 ? chosen : files)];
runVitest(args, { ...fullLength, ...process.env });
