import { defineConfig } from "vitest/config";
import { browserKinds } from "./local/chromium-programs.ts";
import { FileReporter } from "./test/durations.ts";
import { full } from "./test/faults/full.ts";
import {
  browserCases,
  isProven,
  projectOf,
  provenFiles,
  recorders,
  shortBrowserCases,
} from "./test/faults/proven.ts";
import { filesAtOnce } from "./test/files-at-once.ts";
import { LongestFirst } from "./test/longest-first.ts";
import { notThisTime } from "./test/sampled.ts";

const unit = "test/**/*.unit.test.ts";
/** Mass tests without services: every operation's mapping and largest bodies, millions of simulated calls. */
const mappings = [
  "test/operations/*.test.ts",
  "test/api/edge/*-bodies.test.ts",
  "test/dashboards/capacity/{hour,simulated}.test.ts",
];

/** Tests of `npm run test:image` and `npm run test:generators`, which fetch much and take minutes. */
const onRequest = "test/on-request/*.test.ts";

const maxWorkers = filesAtOnce();

/** The settings of all tests that need services. */
const system = {
  // The files of a process share its modules: two seconds of processor time less for each file.
  isolate: false,
  setupFiles: ["test/own-environment.ts"],
  // Tests of fail-overs of replicated stores take minutes.
  exclude: [
    unit,
    ...mappings,
    ...provenFiles,
    ...notThisTime,
    onRequest,
    ...(full ? [] : ["test/faults/*-elsewhere.test.ts"]),
    // `npm run soak` and `npm run test:faults` run the soak: faults under traffic need the machine to themselves.
    ...(full || process.env["SOAK_SECONDS"] ? [] : ["test/soak/*.test.ts"]),
  ],
  maxWorkers,
  // Only a hanging test reaches these limits: a gateway starts in seconds, and in two minutes on a machine with
  // twenty times the load. No test sets a shorter limit.
  testTimeout: 480_000,
  hookTimeout: 480_000,
  teardownTimeout: 60_000,
};

/** Browser kinds that the project "system" does not cover: it uses a headless shell unless one of these variables is set. */
const browserVariables = ["TEST_CHROMIUM", "PUPPETEER_EXECUTABLE_PATH", "BROWSER_KIND"];
const hasOwnBrowser = browserVariables.some((name) => process.env[name]);
const otherKinds = browserKinds.filter(
  (kind) => (hasOwnBrowser || kind !== "shell") && !isProven(projectOf(kind)),
);

/** Tests that run on a Redis Cluster of three nodes, under `npm run test:faults` only. */
const onCluster = ["test/api/**/*.test.ts", "test/faults/idempotency.test.ts"];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: [new FileReporter(), ...recorders],
    // Tests provoke thousands of log lines; only those of a failed test help, and at full length the
    // figures that docs/evidence holds.
    silent: full ? false : "passed-only",
    projects: [
      // Without isolation all files of a process share one load of the contract and handlers: half the time.
      {
        test: {
          name: "unit",
          include: [unit],
          exclude: provenFiles,
          // `npm test` runs these at a low priority beside the tests of services.
          testTimeout: 480_000,
          isolate: false,
          maxWorkers: 2,
          // Node loads the modules itself: 37 s of processor time in place of 43.
          experimental: { viteModuleRunner: false },
        },
      },
      {
        test: {
          name: "mappings",
          include: mappings,
          isolate: false,
          setupFiles: ["test/own-environment.ts"],
          exclude: [unit, ...provenFiles],
          testTimeout: 240_000,
          // As many workers as "system", so that these busy tests run beside waiting ones, not after them.
          maxWorkers,
        },
      },
      {
        test: {
          name: "system",
          include: ["test/**/*.test.ts"],
          globalSetup: [
            "test/services.ts",
            "test/client/built.ts",
            "test/faults/proven.ts",
            "test/sampled.ts",
          ],
          ...system,
          // Under `npm run test:faults` these files run on the cluster.
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
                exclude: [unit, ...mappings],
              },
            },
          ]
        : []),
      ...(process.env["ON_REQUEST"]
        ? [
            {
              test: {
                name: "on request",
                include: [onRequest],
                globalSetup: ["test/services.ts"],
                ...system,
                exclude: [],
              },
            },
          ]
        : []),
      ...otherKinds.map((kind) => ({
        test: {
          name: projectOf(kind),
          include: full ? browserCases : shortBrowserCases,
          globalSetup: ["test/browser-kinds.ts"],
          runner: "test/browser-kind-runner.ts",
          env: { TEST_BROWSER_KIND: kind },
          ...system,
        },
      })),
    ],
  },
});
