import { GatewayError } from "../../contract/errors.ts";
import { createResolver, parseEgressAllow, parseEgressDeny } from "../egress/rules.ts";
import type { EgressPolicy } from "../egress/rules.ts";
import { createBrowsers } from "./browsers.ts";
import type { Browsers, Generation } from "./browsers.ts";
import { KeptTabs, isQuiet } from "./kept.ts";
import { launch } from "./launch.ts";
import type { LaunchConfig } from "./launch.ts";
import { startMarkdownThreads } from "./markdown.ts";
import type { MarkdownThreads } from "./markdown.ts";
import { watchMemory } from "./memory.ts";
import { resetTab } from "./reset.ts";
import { createSlots } from "./slots.ts";
import { openTab } from "./tab.ts";
import type { Tab } from "./tab.ts";

export interface BrowserConfig extends LaunchConfig {
  /** Addresses that may be reached although they are not public (see `parseEgressAllow`). */
  egressAllow: readonly string[];
  /** Addresses that are never reached. */
  egressDeny?: readonly string[];
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
  /** So many jobs a browser serves before the next one is started; 200 when absent. */
  renewAfterJobs?: number;
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

const expireEveryMs = 1000;
const keptIdleMs = 60_000;
/** After so many jobs a tab's renderer makes room for a new one. */
const maxJobsOfTab = 50;

/** Starts Chromium; throws when it cannot be started at all. */
export async function startBrowser(config: BrowserConfig): Promise<BrowserPool> {
  const policy: EgressPolicy = {
    allow: parseEgressAllow(config.egressAllow),
    deny: parseEgressDeny(config.egressDeny ?? []),
    resolve: createResolver(config.resolver),
    ...(config.egressPorts ? { ports: config.egressPorts } : {}),
    ...(config.egressVia === undefined ? {} : { via: config.egressVia }),
  };
  const markdown = startMarkdownThreads();
  const slots = createSlots(config.slots);
  let closing = false;
  let jobs = 0;
  let reused = 0;
  /** Jobs each tab has served. */
  const served = new WeakMap<Tab, number>();
  const browsers: Browsers = createBrowsers({
    launch: () => launch(config),
    openTab: ({ launched, cdp }) => openTab(launched.browser, cdp, policy),
    slots: config.slots,
    idle: () => kept.ready,
    retired: (owner) => kept.dropAll(owner),
    ...(config.renewAfterJobs === undefined ? {} : { renewAfterJobs: config.renewAfterJobs }),
    ...(config.log ? { log: config.log } : {}),
  });
  const kept = new KeptTabs<Generation>(
    {
      ready: config.slots,
      idleMs: config.keptIdleMs ?? keptIdleMs,
      fromJob: config.keptFromJob ?? 2,
    },
    ({ owner, tab }) => void browsers.discard(owner, Promise.resolve(tab)),
  );

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
      void browsers.discard(owner, Promise.resolve(found.tab));
    }
  }

  /** A tab for one job. One that cannot be opened is a reason for a new browser, which gets one try. */
  async function take(visit: Visit): Promise<{ owner: Generation; tab: Tab }> {
    for (let attempt = 1; ; attempt += 1) {
      let owner: Generation | undefined;
      try {
        owner = await browsers.next();
        owner.jobs += 1;
        const tab = (await takeKept(owner, visit)) ?? (await browsers.freshTab(owner));
        tab.watch.begin();
        return { owner, tab };
      } catch (error) {
        config.log?.("error", "browser gives no tab", { error: String(error) });
        if (owner) browsers.retire(owner);
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
      void browsers.discard(owner, Promise.resolve(tab));
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
    browsers.refill(owner);
  }

  const expiry = setInterval(() => kept.expire(), expireEveryMs);
  expiry.unref();
  const watch = watchMemory(() => browsers.pids(), config.log);
  await browsers.next();

  return {
    markdown,
    async use(visit, job) {
      visit.signal.throwIfAborted();
      if (closing) throw unavailable("The browser is shutting down");
      if (!(await slots.enter(visit.signal))) {
        throw unavailable("No browser slot became free in time", 504);
      }
      try {
        const pays = kept.asksAgain(visit.tenant, new URL(visit.url).origin);
        const { owner, tab } = await take(visit);
        try {
          const result = await job(tab);
          jobs += 1;
          release(owner, tab, visit, pays && !owner.retired && !closing);
          return result;
        } catch (error) {
          void browsers.discard(owner, Promise.resolve(tab));
          throw error;
        }
      } finally {
        slots.leave();
      }
    },
    counts: () => ({
      ...browsers.counts(),
      kept: kept.ready,
      reused,
      jobs,
      residentBytes: watch.residentBytes(),
    }),
    async close() {
      closing = true;
      clearInterval(expiry);
      watch.stop();
      await browsers.close();
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
