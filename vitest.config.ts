import { defineConfig } from "vitest/config";

const unit = "test/**/*.unit.test.ts";
/** Every operation's mapping, value by value: no services, but half a minute of work. */
const mappings = "test/operations/*.test.ts";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: [unit], testTimeout: 10_000 } },
      {
        test: { name: "mappings", include: [mappings], exclude: [unit], testTimeout: 30_000 },
      },
      {
        test: {
          name: "system",
          include: ["test/**/*.test.ts"],
          exclude: [unit, mappings],
          globalSetup: ["test/services.ts"],
          // Each file keeps several processes busy: a browser, servers, workers.
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          teardownTimeout: 30_000,
        },
      },
    ],
  },
});
