import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "../../contract/errors.ts";
import { createResolver, parseEgressAllow, parseEgressDeny } from "../egress/rules.ts";
import type { EgressPolicy } from "../egress/rules.ts";
import { createBrowsers } from "./browsers.ts";
import type { Generation } from "./browsers.ts";
import { isOutOfTime, isOverLimit } from "./failure.ts";
import { launch } from "./launch.ts";
import type { LaunchConfig } from "./launch.ts";
import { startMarkdownThreads } from "./markdown.ts";
import type { MarkdownThreads } from "./markdown.ts";
import { watchMemory } from "./memory.ts";
import { createSlots } from "./slots.ts";
import type { Room, Tab } from "./tab.ts";
import { takeTurns } from "./turns.ts";
import type { PageLimits } from "./turns.ts";

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
  /** Browsers side by side; as many as the processors are worth when absent. */
  browsers?: number;
  /** Contexts that each browser holds ready; two when absent. */
  spares?: number;
  /** Pages that are only read load no pictures, media and fonts. */
  textOnly?: boolean;
  /** What a page may take; the usual limits when absent. */
  pageLimits?: PageLimits;
  /** So many jobs a browser serves before the next one is started; 200 when absent. */
  renewAfterJobs?: number;
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
  jobs: number;
  /** Browsers started beyond the first. */
  restarts: number;
  /** Of the whole process tree when last looked at. */
  residentBytes: number;
}

export interface Visit {
  url: string;
  signal: AbortSignal;
}

export interface BrowserPool {
  /** Runs a job in a tab of its own, in a context of its own. */
  use<T>(visit: Visit, job: (tab: Tab) => Promise<T>): Promise<T>;
  markdown: MarkdownThreads;
  /** Pages that are only read load no pictures, media and fonts. */
  readonly textOnly: boolean;
  counts(): BrowserCounts;
  close(): Promise<void>;
}

/** One browser's main thread is busy for about a third of a job's processor time. */
const processorsPerBrowser = 2;
const mostBrowsers = 4;
/**
 * A page that took too much keeps its slot for so long in all: what it took in a moment would otherwise be taken
 * again in the next.
 */
const overLimitMs = 3000;
const usualSpares = 2;

export function usualBrowsers(processors: number): number {
  return Math.min(mostBrowsers, Math.max(1, Math.floor(processors / processorsPerBrowser)));
}

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
  const count = Math.min(config.slots, config.browsers ?? usualBrowsers(availableParallelism()));
  const lanes = Array.from({ length: count }, () => ({
    running: 0,
    browsers: createBrowsers({
      launch: () => launch(config),
      policy,
      spares: Math.min(config.spares ?? usualSpares, Math.ceil(config.slots / count)),
      ...(config.renewAfterJobs === undefined ? {} : { renewAfterJobs: config.renewAfterJobs }),
      ...(config.log ? { log: config.log } : {}),
    }),
  }));
  type Lane = (typeof lanes)[number];

  /** A tab for one job. One that cannot be opened is a reason for a new browser, which gets one try. */
  async function open({ browsers }: Lane, url: string) {
    for (let attempt = 1; ; attempt += 1) {
      let owner: Generation | undefined;
      let room: Promise<Room> | undefined;
      try {
        owner = await browsers.next();
        owner.jobs += 1;
        room = browsers.freshRoom(owner);
        const tab = await owner.tabs.openTab(await room, url);
        return { owner, room, tab };
      } catch (error) {
        config.log?.("error", "browser gives no tab", { error: String(error) });
        if (owner) {
          browsers.retire(owner);
          if (room) void browsers.discard(owner, room);
        }
        if (attempt === 2) throw unavailable("The browser could not be started");
      }
    }
  }

  const all = lanes.map(({ browsers }) => browsers);
  const mains = () => all.flatMap((browsers) => browsers.pids());
  const watch = watchMemory({
    roots: mains,
    worn: (main) => all.forEach((browsers) => browsers.renewMain(main)),
    ...(config.log ? { log: config.log } : {}),
  });
  /** When each running job began. */
  const began = new Set<{ at: number }>();
  const turns = takeTurns({
    mains,
    jobs: () => [...began].map(({ at }) => at),
    ...(config.pageLimits ? { limits: config.pageLimits } : {}),
    ...(config.log ? { log: config.log } : {}),
  });
  try {
    await Promise.all(all.map((browsers) => browsers.next()));
  } catch (error) {
    await Promise.all(all.map((browsers) => browsers.close()));
    throw error;
  }

  return {
    markdown,
    textOnly: config.textOnly ?? false,
    async use(visit, job) {
      visit.signal.throwIfAborted();
      if (closing) throw unavailable("The browser is shutting down");
      if (!(await slots.enter(visit.signal))) {
        throw unavailable("No browser slot became free in time", 504);
      }
      const lane = lanes.reduce((idlest, one) => (one.running < idlest.running ? one : idlest));
      lane.running += 1;
      const start = { at: performance.now() };
      began.add(start);
      try {
        const { owner, room, tab } = await open(lane, visit.url);
        try {
          return await job(tab);
        } finally {
          jobs += 1;
          began.delete(start);
          void lane.browsers.discard(owner, room);
        }
      } catch (error) {
        // Heavy pages that are given little time, and asked for again at once, take as much as one that lasts:
        // beside one, whoever runs out of time takes its slot's time too. Giving the call up is no way around.
        const isOver = isOverLimit(error) || (isOutOfTime(error) && turns.anyHeavy());
        if (isOver) await until(start.at + overLimitMs);
        throw error;
      } finally {
        lane.running -= 1;
        began.delete(start);
        slots.leave();
      }
    },
    counts() {
      const counted = all.map((browsers) => browsers.counts());
      const sum = (of: "contexts" | "spare" | "restarts") =>
        counted.reduce((total, counts) => total + counts[of], 0);
      return {
        contexts: sum("contexts"),
        spare: sum("spare"),
        restarts: sum("restarts"),
        jobs,
        residentBytes: watch.residentBytes(),
      };
    },
    async close() {
      closing = true;
      watch.stop();
      turns.stop();
      await Promise.all(all.map((browsers) => browsers.close()));
      await markdown.close();
    },
  };
}

function until(at: number): Promise<void> {
  return sleep(Math.max(0, at - performance.now()));
}

function unavailable(message: string, status = 503): GatewayError {
  return new GatewayError("upstream_unavailable", message, {
    status,
    retryAfter: status === 504 ? 5 : 1,
  });
}
