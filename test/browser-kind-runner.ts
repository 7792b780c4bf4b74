import { TestRunner } from "vitest";
import type { RunnerTestFile, VitestTestRunner } from "vitest";

/** Skips every file of a project whose browser the set-up could not find, and names the browser. */
export default class BrowserKindRunner extends TestRunner implements VitestTestRunner {
  onCollected(files: RunnerTestFile[]): void {
    if (process.env[`TEST_BROWSER_${process.env["TEST_BROWSER_KIND"]}`] !== undefined) return;
    for (const file of files) file.mode = "skip";
  }
}
