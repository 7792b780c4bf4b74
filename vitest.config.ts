import { defineConfig } from "vitest/config";
import { browserKinds } from "./local/chromium-programs.ts";
import { full } from "./test/faults/full.ts";
import { LongestFirst } from "./test/longest-first.ts";

const unit = "test/**/*.unit.test.ts";
/** Every operation's mapping, value by value: no services, but half a minute of work. */
const mappings = "test/operations/*.test.ts";

/** Each file keeps several processes busy, a browser, servers, workers, and waits half of its time. */
const maxWorkers = 3;

/** Everything else needs its services. */
const system = {
  // Fail-overs of stores that are not one process take minutes.
  exclude: [unit, mappings, ...(full ? [] : ["test/faults/*-elsewhere.test.ts"])],
  maxWorkers,
  // Only what hangs meets these: starting a gateway takes seconds, on a machine with twenty times its load
  // two minutes. No test has a shorter one of its own.
  testTimeout: 480_000,
  hookTimeout: 480_000,
  teardownTimeout: 60_000,
};

/** Of which "system" has all: a headless shell, unless it is told another. */
const told = ["TEST_CHROMIUM", "PUPPETEER_EXECUTABLE_PATH", "BROWSER_KIND"];
const isTold = told.some((name) => process.env[name]);
const otherKinds = browserKinds.filter((kind) => isTold || kind !== "shell");

/** What runs on a Redis Cluster of three nodes, under `npm run test:faults` only. */
const onCluster = ["test/api/**/*.test.ts", "test/faults/idempotency.test.ts"];

/** Cases 26 to 33. */
const browserCases = [
  "test/worker/browser/{egress,inside-addresses,inside-vectors,via,hostile,storage,one-browser,isolation*,confinement,sockets,network-changes}.test.ts",
];
/** What `npm test` runs of them on the other kinds of browser; `npm run test:faults` runs all. */
const wall = [
  "test/worker/browser/{egress,inside-addresses,inside-vectors,confinement,sockets,storage}.test.ts",
];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      // One load of the contract and the handlers for all files of a process: half the time.
      { test: { name: "unit", include: [unit], testTimeout: 120_000, isolate: false } },
      {
        test: {
          name: "mappings",
          include: [mappings],
          exclude: [unit],
          testTimeout: 240_000,
          // As many as of "system": what takes processor time runs beside what waits, not after it.
          maxWorkers,
        },
      },
      {
        test: {
          name: "system",
          include: ["test/**/*.test.ts"],
          globalSetup: ["test/services.ts", "test/client/built.ts"],
          ...system,
          // There they run on the cluster.
          exclude: [...system.exclude, ...(full ? ["test/api/**"] : [])],
        },
      },
      ...(full
        ? [
            {
              test: {
                name: "redis cluster",
                include: onCluster,
                globalSetup: ["test/services.ts"],
                env: { TEST_REDIS_KIND: "cluster", REDIS_PREFIX: "{gateway}" },
                ...system,
                exclude: [unit],
              },
            },
          ]
        : []),
      ...otherKinds.map((kind) => ({
        test: {
          name: `browser ${kind}`,
          include: full ? browserCases : wall,
          globalSetup: ["test/browser-kinds.ts"],
          runner: "test/browser-kind-runner.ts",
          env: { TEST_BROWSER_KIND: kind },
          ...system,
        },
      })),
    ],
  },
});
