import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer";
import type { Browser } from "puppeteer";
import { processTree } from "./memory.ts";

export interface LaunchConfig {
  executablePath: string;
  /** Further Chromium flags. */
  args?: readonly string[];
  /** False only where no sandbox can be had; production refuses. */
  sandbox: boolean;
  /** Command put before Chromium's own, e.g. `unshare --user ...` when running as root. */
  launcher?: readonly string[];
  /** Parent of the profile folder; the system's temporary folder when absent. */
  userDataDir?: string;
}

export interface LaunchedBrowser {
  browser: Browser;
  /** Its main process. */
  pid: number | undefined;
  /** Kills Chromium if it still runs and removes its profile. */
  dispose(): Promise<void>;
}

/** Followed by the id of the process that owns the profile. */
const profilePrefix = "gateway-chromium-";
const launchMs = 30_000;
const closeMs = 5000;

/** Chromium's memory limit for one JavaScript heap; typed arrays are watched from outside. */
const heapMb = 512;

/** Requests of Chromium's own; an https attempt of its own would also change which URL is rendered. */
const ownDialling = [
  "NavigationPredictor",
  "HttpsUpgrades",
  "HttpsFirstBalancedMode",
  "MediaRouter",
  "OptimizationHints",
  "AutofillServerCommunication",
  "DialMediaRouteProvider",
];

/** What would act, wait or be remembered beyond the page that asked for it. */
const outlivesPages = [
  "Reporting",
  "DocumentReporting",
  "NetworkErrorLogging",
  "CompressionDictionaryTransport",
  "CompressionDictionaryTransportBackend",
  "BackForwardCache",
  "DeviceBoundSessions",
  // A renderer started ahead in every context that will never be used costs a third of the throughput.
  "SpareRendererForSitePerProcess",
];

/** Stores of the advertising and login interfaces: nothing shows whether they are empty. */
const storesOfAdvertising = [
  "FetchLaterAPI",
  "FedCm",
  "PrivateStateTokens",
  "StorageBuckets",
  "TopicsAPI",
  "AttributionReporting",
  "AdInterestGroupAPI",
  "Fledge",
  "FencedFrames",
  "BackgroundFetch",
];

/**
 * Settings of the whole browser. Without a scheme of HTTP authentication a 401 is an answer like others: no
 * page waits for a person to log in, and no login is remembered.
 */
const localState = { auth: { schemes: "none" } };

/**
 * Chromium with nothing but loopback to go to. The browser's own traffic gets a port on which nothing
 * listens; every context names its own proxy.
 */
function flags(config: LaunchConfig): string[] {
  return [
    "--proxy-server=http://127.0.0.1:9",
    // Without it loopback and link-local destinations go direct.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    // Full Chromium obeys the first name, headless-shell builds only the second; neither knows the other's.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    `--js-flags=--max-old-space-size=${heapMb}`,
    `--disable-features=${[...ownDialling, ...outlivesPages].join()}`,
    `--disable-blink-features=${storesOfAdvertising.join()}`,
    "--disable-component-update",
    "--disable-domain-reliability",
    // Already judged (1 is an error): else a language model's service starts after three minutes and stays.
    "--optimization-guide-performance-class=1",
    "--no-pings",
    // Shells alone know it and need it: full Chromium has a blocker of popups.
    "--block-new-web-contents",
    "--no-default-browser-check",
    ...(config.sandbox ? [] : ["--no-sandbox"]),
    ...(config.args ?? []),
  ];
}

/** Starts one Chromium over a pipe, with a fresh profile. */
export async function launch(config: LaunchConfig): Promise<LaunchedBrowser> {
  const parent = config.userDataDir ?? tmpdir();
  await removeLeftovers(parent);
  const home = await mkdtemp(join(parent, `${profilePrefix}${process.pid}-`));
  const remove = () => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  try {
    const profile = join(home, "profile");
    await mkdir(profile);
    await writeFile(join(profile, "Local State"), JSON.stringify(localState));
    const browser = await puppeteer.launch({
      executablePath: await command(config, home),
      pipe: true,
      headless: true,
      userDataDir: profile,
      env: environment(home),
      args: flags(config),
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
    const pid = await mainProcess(browser);
    return {
      browser,
      pid,
      async dispose() {
        const chromium = browser.process();
        const closed = browser.close().catch(() => undefined);
        await Promise.race([closed, new Promise((done) => setTimeout(done, closeMs).unref())]);
        if (chromium && chromium.exitCode === null && chromium.signalCode === null) {
          for (const main of new Set([pid, chromium.pid])) if (main !== undefined) kill(main);
        }
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** What was started may be a script that stays; ids of a namespace that is not ours mean nothing here. */
async function mainProcess(browser: Browser): Promise<number | undefined> {
  const started = browser.process()?.pid;
  if (started === undefined) return undefined;
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
    // It ended by itself.
  }
}

/**
 * Nothing of the worker's own environment but what a program needs to run: it holds credentials. What
 * Chromium puts into its temporary folder goes with the profile, also when Chromium is killed.
 */
function environment(home: string): Record<string, string> {
  const needed = /^(PATH|HOME|USER|LANG|LC_\w+|TZ|LD_LIBRARY_PATH|FONTCONFIG_\w+|XDG_\w+)$/;
  const kept = Object.entries(process.env).filter(([name]) => needed.test(name));
  return { ...(Object.fromEntries(kept) as Record<string, string>), TMPDIR: home };
}

/** Profiles of processes that ended without a chance to clean up. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = new RegExp(`^${profilePrefix}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
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
