import { BaseSequencer, type TestSpecification } from "vitest/node";
import { fileOf, readDurations } from "./durations.ts";

/** A file without a row may be slow: it starts first. */
const unknown = 3600;

/** The slowest files of all projects first, by `durations.json`, so that no slow file starts last. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations();
    const seconds = ({ project, moduleId }: TestSpecification) =>
      durations[project.name]?.[fileOf(moduleId)] ?? unknown;
    // Files without a row keep the order of their last run in this checkout.
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => seconds(b) - seconds(a));
  }
}
