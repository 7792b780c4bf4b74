import type { CDPSession } from "puppeteer";
import { GatewayError } from "../../contract/errors.ts";
import { createResolver, parseEgressAllow } from "../egress.ts";
import type { EgressPolicy } from "../egress.ts";
import { KeptTabs, isQuiet } from "./kept.ts";
import { launch } from "./launch.ts";
import type { LaunchConfig, LaunchedBrowser } from "./launch.ts";
import { startMarkdownThreads } from "./markdown.ts";
import type { MarkdownThreads } from "./markdown.ts";
import { overMemory, processTree } from "./memory.ts";
import { resetTab } from "./reset.ts";
import { openTab } from "./tab.ts";
import type { Tab } from "./tab.ts";

export interface BrowserConfig extends LaunchConfig {
  /** Addresses that may be reached although they are not public (see `parseEgressAllow`). */
  egressAllow: readonly string[];
  /** Ports that may be reached on public addresses; 80 and 443 when absent, every port when empty. */
  egressPorts?: readonly number[];
  /** "host:port" of the egress service where this machine has no way out of its own. */
  egressVia?: string;
  /** Name server ("ip:port") asked instead of the machine's own. */
  resolver?: string;
  /** Jobs that run at once. */
  slots: number;
  /** How long a tab waits for its tenant's next job, in milliseconds. */
  keptIdleMs?: number;
  /** From which job on, of a tenant at an origin, a tab is kept; the second when absent, as a reset may not pay. */
  keptFromJob?: number;
  log?: (
    level: "info" | "warn" | "error",
    message: string,
    fields?: Record<string, unknown>,
  ) => void;
}

export interface BrowserCounts {
  /** Contexts that exist, in use or held ready. */
  contexts: number;
  /** Contexts held ready; nobody has used them yet. */
  spare: number;
  /** Contexts proven empty after a job, held ready for the same tenant. */
  kept: number;
  /** Jobs that ran in a kept context. */
  reused: number;
  jobs: number;
  /** Browsers started beyond the first. */
  restarts: number;
  /** Of the whole process tree when last looked at. */
  residentBytes: number;
}

/** Who wants a tab, and for what. */
export interface Visit {
  /** Opaque id of account and mode; a context never serves two of them. */
  tenant: string;
  url: string;
  signal: AbortSignal;
}

export interface BrowserPool {
  /**
   * Runs a job in a tab that is new, or was proven empty after an earlier job of the same tenant at the same
   * origin. A job that throws ends its tab.
   */
  use<T>(visit: Visit, job: (tab: Tab) => Promise<T>): Promise<T>;
  markdown: MarkdownThreads;
  counts(): BrowserCounts;
  close(): Promise<void>;
}

interface Generation {
  launched: LaunchedBrowser;
  cdp: CDPSession;
  startedAt: number;
  jobs: number;
  open: number;
  /** Takes no new job and is closed when its last job ends. */
  retired: boolean;
  spares: Promise<Tab>[];
}

const renewAfterJobs = 200;
const renewAfterMs = 15 * 60_000;
const watchEveryMs = 1000;
const keptIdleMs = 60_000;
/** After so many jobs a tab's renderer makes room for a new one. */
const maxJobsOfTab = 50;

/** Starts Chromium; throws when it cannot be started at all. */
export async function startBrowser(config: BrowserConfig): Promise<BrowserPool> {
  const policy: EgressPolicy = {
    allow: parseEgressAllow(config.egressAllow),
    resolve: createResolver(config.resolver),
    ...(config.egressPorts ? { ports: config.egressPorts } : {}),
    ...(config.egressVia === undefined ? {} : { via: config.egressVia }),
  };
  const generations = new Set<Generation>();
  const waiting: (() => void)[] = [];
  const markdown = startMarkdownThreads();
  let current: Promise<Generation> | undefined;
  let closing = false;
  let busy = 0;
  let jobs = 0;
  let starts = 0;
  let reused = 0;
  let residentBytes = 0;
  /** Jobs each tab has served. */
  const served = new WeakMap<Tab, number>();
  const kept = new KeptTabs<Generation>(
    {
      ready: config.slots,
      idleMs: config.keptIdleMs ?? keptIdleMs,
      fromJob: config.keptFromJob ?? 2,
    },
    ({ owner, tab }) => void discard(owner, Promise.resolve(tab)),
  );

  async function start(): Promise<Generation> {
    const launched = await launch(config);
    starts += 1;
    const cdp = await launched.browser.target().createCDPSession();
    await cdp.send("Target.setDiscoverTargets", { discover: true });
    const generation: Generation = {
      launched,
      cdp,
      startedAt: Date.now(),
      jobs: 0,
      open: 0,
      retired: false,
      spares: [],
    };
    generations.add(generation);
    launched.browser.on("disconnected", () => retire(generation));
    refill(generation);
    return generation;
  }

  /** A browser that takes jobs; started when there is none, renewed when it has served long enough. */
  async function generation(): Promise<Generation> {
    const asked = current;
    const known = await asked?.catch(() => undefined);
    if (known && !known.retired) {
      const worn = known.jobs >= renewAfterJobs || Date.now() - known.startedAt >= renewAfterMs;
      if (!worn) return known;
      retire(known);
    }
    // Several jobs may have waited for the same answer; only the first starts a browser.
    if (current === asked) current = start();
    return current as Promise<Generation>;
  }

  function retire(old: Generation): void {
    if (!old.retired) {
      old.retired = true;
      kept.dropAll(old);
      for (const spare of old.spares.splice(0)) void discard(old, spare);
    }
    if (old.open === 0) void dispose(old);
  }

  async function dispose(old: Generation): Promise<void> {
    if (!generations.delete(old)) return;
    await old.launched.dispose().catch((error: unknown) => {
      config.log?.("warn", "browser profile not removed", { error: String(error) });
    });
  }

  function open(owner: Generation): Promise<Tab> {
    owner.open += 1;
    const tab = openTab(owner.launched.browser, owner.cdp, policy);
    tab.catch(() => {
      owner.open -= 1;
      if (owner.retired) retire(owner);
    });
    return tab;
  }

  /** Tabs nobody has used are made ready while there is room: a renderer's start is most of a render. */
  function refill(owner: Generation): void {
    if (owner.retired || closing) return;
    const wanted = Math.min(config.slots, 2);
    while (owner.spares.length < wanted && owner.open - kept.ready < config.slots + 1) {
      owner.spares.push(open(owner));
    }
  }

  async function discard(owner: Generation, tab: Promise<Tab>): Promise<void> {
    const opened = await tab.catch(() => undefined);
    if (!opened) return;
    const obeyed = await opened.close();
    owner.open -= 1;
    if (!obeyed || owner.retired) retire(owner);
    else refill(owner);
  }

  /** A tab kept for this tenant and origin; one still being reset is worth the wait when no spare is ready. */
  async function takeKept(owner: Generation, visit: Visit): Promise<Tab | undefined> {
    const origin = new URL(visit.url).origin;
    for (;;) {
      const found = kept.take(visit.tenant, origin, owner);
      if (!found) return undefined;
      if ((await found.proven) && isQuiet(found.tab) && !owner.retired) {
        reused += 1;
        return found.tab;
      }
      void discard(owner, Promise.resolve(found.tab));
    }
  }

  /** A tab for one job. One that cannot be opened is a reason for a new browser, which gets one try. */
  async function take(visit: Visit): Promise<{ owner: Generation; tab: Tab }> {
    for (let attempt = 1; ; attempt += 1) {
      let owner: Generation | undefined;
      try {
        owner = await generation();
        owner.jobs += 1;
        const tab = (await takeKept(owner, visit)) ?? (await (owner.spares.shift() ?? open(owner)));
        tab.watch.begin();
        return { owner, tab };
      } catch (error) {
        config.log?.("error", "browser gives no tab", { error: String(error) });
        if (owner) retire(owner);
        if (attempt === 2) throw unavailable("The browser could not be started");
      }
    }
  }

  /** After a job that succeeded: the tab waits for this tenant if that is likely to pay, else it goes. */
  function release(owner: Generation, tab: Tab, { tenant, url }: Visit, pays: boolean): void {
    const times = (served.get(tab) ?? 0) + 1;
    served.set(tab, times);
    const { taint, origin } = tab.watch.use();
    if (!pays || taint !== undefined || origin === undefined || times >= maxJobsOfTab) {
      void discard(owner, Promise.resolve(tab));
      return;
    }
    const proven = resetTab(tab).then(
      () => true,
      (error: unknown) => {
        config.log?.("info", "tab not kept", { reason: String(error) });
        return false;
      },
    );
    const origins = new Set([new URL(url).origin, origin]);
    kept.add({ tenant, origins, owner, tab, proven, state: "resetting", since: 0 });
    refill(owner);
  }

  async function slot(signal: AbortSignal): Promise<void> {
    if (closing) throw unavailable("The browser is shutting down");
    if (busy >= config.slots) {
      await new Promise<void>((resolve, reject) => {
        const wake = () => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        const leave = () => {
          waiting.splice(waiting.indexOf(wake), 1);
          reject(unavailable("No browser slot became free in time", 504));
        };
        signal.addEventListener("abort", leave, { once: true });
        waiting.push(wake);
      });
    }
    busy += 1;
  }

  const watchdog = setInterval(() => {
    kept.expire();
    void (async () => {
      let total = 0;
      for (const { launched } of generations) {
        const pid = launched.browser.process()?.pid;
        if (pid === undefined) continue;
        const tree = await processTree(pid);
        total += tree.reduce((sum, entry) => sum + entry.bytes, 0);
        for (const victim of overMemory(tree)) {
          config.log?.("warn", "renderer over its memory limit ended", { pid: victim });
          try {
            process.kill(victim, "SIGKILL");
          } catch {
            // It ended by itself.
          }
        }
      }
      residentBytes = total;
    })().catch((error: unknown) =>
      config.log?.("error", "memory watchdog", { error: String(error) }),
    );
  }, watchEveryMs);
  watchdog.unref();

  current = start();
  await current;

  return {
    markdown,
    async use(visit, job) {
      visit.signal.throwIfAborted();
      await slot(visit.signal);
      try {
        const pays = kept.asksAgain(visit.tenant, new URL(visit.url).origin);
        const { owner, tab } = await take(visit);
        try {
          const result = await job(tab);
          jobs += 1;
          release(owner, tab, visit, pays && !owner.retired && !closing);
          return result;
        } catch (error) {
          void discard(owner, Promise.resolve(tab));
          throw error;
        }
      } finally {
        busy -= 1;
        waiting.shift()?.();
      }
    },
    counts: () => ({
      contexts: [...generations].reduce((sum, entry) => sum + entry.open, 0),
      spare: [...generations].reduce((sum, entry) => sum + entry.spares.length, 0),
      kept: kept.ready,
      reused,
      jobs,
      restarts: Math.max(0, starts - 1),
      residentBytes,
    }),
    async close() {
      closing = true;
      clearInterval(watchdog);
      await current?.catch(() => undefined);
      for (const entry of generations) entry.retired = true;
      await Promise.all([...generations].map(dispose));
      await markdown.close();
    },
  };
}

function unavailable(message: string, status = 503): GatewayError {
  return new GatewayError("upstream_unavailable", message, {
    status,
    retryAfter: status === 504 ? 5 : 1,
  });
}
