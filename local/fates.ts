import { runVitest } from "./vitest.ts";

/**
 * `npm run test:fates`: every round trip of each flow with every fate, in several gateways at once. An interrupted
 * run goes on where it ended; test/faults/fates/README.md has its variables.
 */

runVitest(["--project", "system", "test/faults/fates/fates.test.ts", ...process.argv.slice(2)], {
  FULL_FAULTS: "true",
  ...process.env,
});
