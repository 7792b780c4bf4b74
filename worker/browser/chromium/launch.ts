import { access, constants, mkdir, stat, writeFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer";
import type { Browser } from "puppeteer";
import { SettingsError } from "../../../runtime/settings.ts";
import { lowerPriority } from "../../niceness.ts";
import { processTree } from "./process-tree.ts";
import { flags } from "./flags.ts";
import { makeProfileFolder } from "./profile-folder.ts";
import { pacing, withholding } from "./withheld.ts";

export interface LaunchConfig {
  executablePath: string;
  /** Further flags for Chromium. */
  args?: readonly string[];
  /** False only where the system allows no sandbox; production refuses to start then. */
  sandbox: boolean;
  /** Command put before Chromium's own, e.g. `unshare --user ...` when running as root. */
  launcher?: readonly string[];
  /** Pages keep what `withheld.ts` takes away: only to show that the egress filter and contexts hold without it. */
  withholdNothing?: boolean;
  /** Parent of the profile folder; the system's temporary folder when absent. */
  userDataDir?: string;
}

export interface LaunchedBrowser {
  browser: Browser;
  /** The main process. */
  pid: number | undefined;
  /** Script that runs in every document before the page's own scripts. */
  documentScript: string;
  /** Runs in every worker of a page before the worker's own script; "" for none. */
  workerScript: string;
  /** Kills Chromium; `disconnected` follows. */
  kill(): void;
  /** Kills Chromium if it still runs and removes its profile. */
  dispose(): Promise<void>;
}

const launchMs = 30_000;
const closeMs = 5000;

/**
 * Settings of the whole browser. Without a scheme of HTTP authentication a 401 is an answer like others: no
 * page waits for a person to log in, and the browser remembers no login.
 */
const localState = { auth: { schemes: "none" } };

/** Starts one Chromium over a pipe, with a fresh profile. */
export async function launch(config: LaunchConfig): Promise<LaunchedBrowser> {
  await requireProgram(config);
  const { path: home, remove } = await makeProfileFolder(config.userDataDir);
  try {
    const profile = join(home, "profile");
    await mkdir(profile);
    await writeFile(join(profile, "Local State"), JSON.stringify(localState));
    const launching = puppeteer.launch({
      executablePath: await command(config, home),
      pipe: true,
      headless: true,
      userDataDir: profile,
      env: environment(home),
      args: [...flags(config), ...(config.args ?? [])],
      // Popups stay blocked, and history and message floods stay throttled.
      ignoreDefaultArgs: ["--disable-popup-blocking", "--disable-ipc-flooding-protection"],
      defaultViewport: null,
      acceptInsecureCerts: false,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: launchMs,
      protocolTimeout: 30_000,
    });
    const browser = await launching.catch((error: unknown) => {
      throw notStarted(config.executablePath, error);
    });
    const started = browser.process()?.pid;
    // The browser's processes inherit the worker's niceness, but its session has none yet.
    if (started !== undefined) void lowerPriority(Math.max(0, getPriority()), started);
    const pid = started === undefined ? undefined : await mainProcess(browser, started);
    const killAll = () => {
      for (const main of new Set([pid, started])) if (main !== undefined) kill(main);
    };
    return {
      browser,
      pid,
      documentScript: config.withholdNothing ? "" : withholding + pacing,
      workerScript: config.withholdNothing ? "" : pacing,
      kill: killAll,
      async dispose() {
        const chromium = browser.process();
        const closed = browser.close().catch(() => undefined);
        await Promise.race([closed, new Promise((done) => setTimeout(done, closeMs).unref())]);
        if (chromium && chromium.exitCode === null && chromium.signalCode === null) killAll();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Node ends the process where a file cannot be executed, past every catch. A launcher may see other files. */
async function requireProgram({ executablePath, launcher }: LaunchConfig): Promise<void> {
  if (launcher?.length) return;
  try {
    await access(executablePath, constants.X_OK);
    if (!(await stat(executablePath)).isFile()) throw new Error("not a file");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new SettingsError(
      `PUPPETEER_EXECUTABLE_PATH: ${executablePath} is no program that this user may run (${code ?? message})`,
      { cause: error },
    );
  }
}

/** Puppeteer says no more than "Target closed" where Chromium ends at once, as it does without its sandbox. */
function notStarted(executablePath: string, cause: unknown): SettingsError {
  return new SettingsError(
    `PUPPETEER_EXECUTABLE_PATH: Chromium did not start (${executablePath}: ${firstLine(cause)}). Run that program by hand to see why; deploy/README.md#chromiums-sandbox tells what its sandbox needs.`,
    { cause },
  );
}

const firstLine = (error: unknown): string => (error as Error).message.split("\n", 1).join("");

/** The main process. The started process may be a script that stays; pids of another namespace mean nothing here. */
async function mainProcess(browser: Browser, started: number): Promise<number | undefined> {
  const cdp = await browser.target().createCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  await cdp.detach();
  const main = processInfo.find(({ type }) => type === "browser")?.id;
  const tree = await processTree(started);
  return tree.some(({ pid }) => pid === main) ? main : started;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended.
  }
}

/**
 * The environment of Chromium: only what a program needs to run, because the worker's own holds credentials. The
 * temporary folder lies in the profile folder and goes with it, also when Chromium is killed.
 */
function environment(home: string): Record<string, string> {
  const needed = /^(PATH|HOME|USER|LANG|LC_\w+|TZ|LD_LIBRARY_PATH|FONTCONFIG_\w+|XDG_\w+)$/;
  const kept = Object.entries(process.env).filter(([name]) => needed.test(name));
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    TMPDIR: home,
    // Memory dumps hold what callers asked for; without this they lie in the home directory.
    BREAKPAD_DUMP_LOCATION: join(home, "crashes"),
  };
}

/** Puppeteer starts one executable, so a launcher prefix becomes a script of its own. */
async function command(config: LaunchConfig, home: string): Promise<string> {
  if (!config.launcher?.length) return config.executablePath;
  const words = [...config.launcher, config.executablePath].map(
    (word) => `'${word.replaceAll("'", `'\\''`)}'`,
  );
  const script = join(home, "chromium.sh");
  await writeFile(script, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, { mode: 0o700 });
  return script;
}
