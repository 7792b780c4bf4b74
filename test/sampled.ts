import { readDurations } from "./durations.ts";
import { choices, own } from "./random.ts";

/**
 * Test files of which `npm test` runs one in sixteen, by a seed. `npm run test:faults` runs all of them, and so does
 * each run of chosen files. No promise about money, the SSRF filter or replays rests on them alone.
 */

/** Reason -> the files that have it. */
export const sampled: Readonly<Record<string, readonly string[]>> = {
  "how the machine behaves under load, measured for long": [
    "test/api/jobs/estimate.test.ts",
    "test/faults/fair-shares.test.ts",
    "test/faults/memory.test.ts",
    "test/faults/slow-readers.test.ts",
    "test/worker/browser/follow-machine.test.ts",
    "test/worker/follow-machine.test.ts",
    "test/worker/heartbeat.test.ts",
  ],
  "two releases, databases or upstreams beside each other, which few changes touch": [
    "test/api/version.test.ts",
    "test/faults/second-upstream.test.ts",
    "test/faults/upgrade.test.ts",
    "test/faults/upgrade-database.test.ts",
  ],
  "rare faults of a store or a clock, whose usual ones always run": [
    "test/faults/clock-steps.test.ts",
    "test/faults/clocks.test.ts",
    "test/faults/failover.test.ts",
    "test/faults/wrong-stores.test.ts",
  ],
  "what operators read and start; unit tests of its parts always run": [
    "test/cli/call.test.ts",
    "test/cli/doctor.test.ts",
    "test/cli/verify.test.ts",
    "test/dashboards/capacity/capacity.test.ts",
    "test/dashboards/main.test.ts",
    "test/dashboards/pages/pages.test.ts",
    "test/dashboards/timeline/timeline.test.ts",
    "test/deploy/healthcheck.test.ts",
    "test/local/chromium.test.ts",
    "test/local/postgres.test.ts",
    "test/local/start.test.ts",
    "test/runtime/tracing/traces.test.ts",
  ],
  "each part has a unit test or a shorter file that always runs": [
    "test/api/webhooks/deliveries.test.ts",
    "test/api/webhook-jobs.test.ts",
    "test/worker/transport/faults.test.ts",
    "test/worker/transport/limits.test.ts",
  ],
  "a search of all that is written, after hundreds of calls; whose credential a call uses is always tested":
    ["test/faults/secrets.test.ts"],
  "pages, examples and mapped answers, each of which unit tests or the mapped answers hold as well":
    [
      "test/api/examples.test.ts",
      "test/api/keyless.test.ts",
      "test/api/mcp/mcp.test.ts",
      "test/api/pages.test.ts",
      "test/areas/web/sites.test.ts",
      "test/worker/browser/stated.test.ts",
    ],
};

export const sampledFiles: readonly string[] = Object.values(sampled).flat().sort();

const of = 16;

/** The sampled files that a run with this seed leaves out: all but one of sixteen parts that take about as long. */
export function leftOut(seed: string): string[] {
  const seconds = readDurations()["system"] ?? {};
  const slowestFirst = [...sampledFiles].sort((a, b) => (seconds[b] ?? 0) - (seconds[a] ?? 0));
  const parts = Array.from({ length: of }, () => ({ files: [] as string[], seconds: 0 }));
  for (const file of slowestFirst) {
    const shortest = parts.reduce((least, part) => (part.seconds < least.seconds ? part : least));
    shortest.files.push(file);
    shortest.seconds += seconds[file] ?? 0;
  }
  const chosen = parts[choices("sampled files", seed)(of)];
  return slowestFirst.filter((file) => !chosen?.files.includes(file));
}

/** `npm test` without chosen files says so in this variable. */
export const wholeRun = "WHOLE_TEST_RUN";

/** The files that this run leaves out. */
export const notThisTime: readonly string[] = process.env[wholeRun] === "true" ? leftOut(own) : [];

/** Global set-up: one line about these files. */
export default function setup(): void {
  if (notThisTime.length === 0) return;
  const names = notThisTime.map((file) => file.replace(/^test\/|\.test\.ts$/g, ""));
  process.stderr.write(
    `Left out this time (TEST_SEED=${own}), as one in sixteen of these files runs: ${names.join(", ")}. Run them by npm run test:faults.\n`,
  );
}
