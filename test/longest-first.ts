import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The slowest files of all projects, longest first. A checkout that has run them uses its own
 * times; a fresh one needs this list so that no slow file starts last.
 */
const longest = [
  "test/faults/unguarded.test.ts",
  "test/faults/outages.test.ts",
  "test/worker/browser/isolation-traces.test.ts",
  "test/soak/soak.test.ts",
  "test/operations/derivations.test.ts",
  "test/worker/transport/faults.test.ts",
  "test/worker/browser/hostile.test.ts",
  "test/cli/doctor.test.ts",
  "test/faults/crashes.test.ts",
  "test/faults/postgres-refuses.test.ts",
  "test/faults/failover.test.ts",
  "test/faults/bad-days.test.ts",
  "test/api/jobs/crashes.test.ts",
];

const rank = ({ moduleId }: TestSpecification) => {
  const found = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
  return found < 0 ? longest.length : found;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
