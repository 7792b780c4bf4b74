import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aboutChromium, findChromium } from "../../local/chromium.ts";
import type { ChromiumPart } from "../../local/chromium.ts";
import { dataDir } from "../../local/data-folder.ts";
import { confinementOf } from "../../worker/browser/chromium/confinement.ts";
import type { Confinement } from "../../worker/browser/chromium/confinement.ts";
import { launch } from "../../worker/browser/chromium/launch.ts";
import { describe } from "../problem.ts";
import { examined, fail, ok, warn } from "./check.ts";
import type { Check } from "./check.ts";
import { browserFilter, checkBrowserSsrfFilter } from "./browser-ssrf-filter.ts";
import { aboutFonts, drawnAsBoxes } from "./fonts.ts";

/** Uses the folder in which npm's Chromium is unpacked already, or else a temporary one. */
async function withHome<T>(env: NodeJS.ProcessEnv, use: (home: string) => Promise<T>): Promise<T> {
  const kept = join(dataDir(env), "chromium");
  try {
    fs.accessSync(kept, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    return await use(kept);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== "access") throw error;
  }
  const home = fs.mkdtempSync(join(tmpdir(), "gateway-doctor-"));
  try {
    return await use(home);
  } finally {
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

const noSandbox =
  "Chromium runs only without its sandbox here. Only the local start allows that; production refuses it.";

const sandboxName = "chromium sandbox";

function judge(confinement: Confinement): Check {
  if (confinement === "unknown") return ok(sandboxName, "Chromium starts without --no-sandbox.");
  const { unconfined, confined } = confinement;
  if (unconfined.length === 0)
    return ok(sandboxName, `Confined by the kernel: ${confined.join(", ")}.`);
  return fail(
    sandboxName,
    `Not confined: ${unconfined.join(", ")}. Look for a wrapper that adds --no-sandbox, or install another Chromium.`,
  );
}

/** Starts Chromium like a worker, and checks the confinement of each of its processes. */
async function checkLaunch(found: ChromiumPart, env: NodeJS.ProcessEnv): Promise<Check[]> {
  const { executablePath, launcher, sandbox } = found;
  const launched = await launch({ executablePath, launcher, sandbox });
  try {
    const page = await launched.browser.newPage();
    await page.setContent(
      "<p></p><script>document.querySelector('p').append('ren'+'dered')</script>",
    );
    const text = await page.evaluate("document.body.innerText");
    if (text !== "rendered")
      return [fail("chromium", "Chromium starts but renders nothing: reinstall it.")];
    const checks = [ok("chromium", `Chromium starts and renders: ${aboutChromium(found, env)}`)];
    if (found.unconfined) return [...checks, judge({ unconfined: found.unconfined, confined: [] })];
    const fonts = aboutFonts(await drawnAsBoxes(page));
    if (!sandbox) return [...checks, warn(sandboxName, noSandbox), fonts];
    const pid = launched.browser.process()?.pid;
    const confinement = pid === undefined ? "unknown" : await confinementOf(pid);
    return [...checks, judge(confinement), fonts];
  } finally {
    await launched.dispose();
  }
}

/** Checks the start and the sandbox of Chromium, then whatever `further` checks in the one that was found. */
export async function checkStart(
  env: NodeJS.ProcessEnv,
  further: (found: ChromiumPart) => Promise<Check[]>,
  confinedWithinMs?: number,
): Promise<Check[]> {
  return withHome(env, async (home) => {
    let found: ChromiumPart;
    try {
      found = await findChromium(home, { allowNoSandbox: true, env, confinedWithinMs });
    } catch (error) {
      return [fail("chromium", describe(error).message)];
    }
    return [...(await checkLaunch(found, env)), ...(await further(found))];
  });
}

export const checkChromium = (env: NodeJS.ProcessEnv): Promise<Check[]> =>
  checkStart(env, (found) => examined(browserFilter, () => checkBrowserSsrfFilter(found)));
