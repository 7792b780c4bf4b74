import * as fs from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { findChromium } from "../local/chromium.ts";
import { debianPackages, installBrowser } from "../local/chromium-programs.ts";
import type { BrowserKind } from "../local/chromium-programs.ts";
import { dataDir } from "../local/data-folder.ts";

/**
 * Finds the browser of a project's kind, installs it where this user may, and exports it as
 * TEST_BROWSER_<kind> (JSON). Without one the tests are skipped with a message.
 */
export default async function setup(project: TestProject): Promise<void> {
  const kind = project.config.env["TEST_BROWSER_KIND"] as BrowserKind;
  const home = join(dataDir(), "chromium");
  fs.mkdirSync(home, { recursive: true });
  try {
    if (kind !== "npm") await installBrowser(kind);
    const { executablePath, launcher } = await findChromium(home, { allowNoSandbox: false, kind });
    process.env[`TEST_BROWSER_${kind}`] = JSON.stringify({ executablePath, launcher });
  } catch (error) {
    process.stderr.write(notTested(kind, (error as Error).message));
  }
}

export function notTested(kind: BrowserKind, why = "none was found"): string {
  const cure = kind === "npm" ? "" : ` (Debian: apt-get install ${debianPackages[kind]})`;
  return `\n!!! NOT TESTED on the browser "${kind}"${cure}: ${why}\n\n`;
}
