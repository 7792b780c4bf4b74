import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "../../../contract/errors.ts";
import { AccountTurns, type Turn } from "../../../runtime/account-turns.ts";
import {
  createResolver,
  parseEgressAllow,
  parseEgressDeny,
} from "../../../runtime/egress/rules.ts";
import type { EgressPolicy } from "../../../runtime/egress/rules.ts";
import { MarkdownThreads } from "../markdown/markdown.ts";
import { Admission } from "./admission.ts";
import type { Context } from "./browser-session.ts";
import { CpuScheduler, type PageLimits, fewThreads } from "./cpu-scheduler.ts";
import { isOutOfTime, isOverLimit } from "./failure.ts";
import { type LaunchConfig, launch } from "./launch.ts";
import { LargePages } from "./large-pages.ts";
import { MemoryRoom } from "./memory-room.ts";
import { type Generation, RollingBrowser } from "./rolling-browser.ts";
import type { Tab } from "./tab.ts";

export interface BrowserConfig extends LaunchConfig {
  /** Addresses that may be reached although they are not public (see `parseEgressAllow`). */
  egressAllow: readonly string[];
  /** Addresses that are never reached. */
  egressDeny?: readonly string[];
  /** Ports that may be reached on public addresses; 80 and 443 when absent, every port when empty. */
  egressPorts?: readonly number[];
  /** "host:port" of the egress service where this machine has no way out of its own. */
  egressVia?: string | undefined;
  /** Name server ("ip:port") asked instead of the machine's own. */
  resolver?: string | undefined;
  /** Jobs that run at once; at the start where the slots follow the machine. */
  slots: number;
  /** Whether `resize` is called, and pages begin only while few of the open ones want a processor. */
  followsMachine?: boolean | undefined;
  /** Browsers side by side; when absent, one for every two processors and at most four. */
  browsers?: number | undefined;
  /** Contexts that each browser holds ready; two when absent. */
  spares?: number;
  /** Pages that are only read load no pictures, media and fonts. */
  textOnly?: boolean;
  /** Limits of a page; the default ones when absent. */
  pageLimits?: PageLimits;
  /**
   * A page that took too much keeps its slot for so long in all; three seconds when absent. Otherwise the next page
   * of the same account could take as much at once.
   */
  overLimitMs?: number | undefined;
  /** Jobs that a browser serves before the next one is started; 200 when absent. */
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
  /** Contexts held ready, which no job has used yet. */
  spare: number;
  jobs: number;
  /** Browsers started beyond the first. */
  restarts: number;
  /** Memory of all browsers' processes when last looked at. */
  residentBytes: number;
}

/** Facts that keep pages from running as they would alone. */
export interface BrowserWindow {
  /** Most pages that were open at once. */
  running: number;
  /** Whether pages waited because the open ones wanted the processors. */
  isHeldBack: boolean;
  /** Share of the pages' time since the last call in which they waited for a processor. */
  waitingShare: number;
  /** Mean milliseconds in which the slowest browser's main thread answers. */
  browserDelayMs: number;
  browserLacksProcessors: boolean;
  /** Pages that memory allows, by the size of those seen. */
  mostByMemory: number;
  isMemoryFull: boolean;
}

export interface Visit {
  url: string;
  account: string;
  signal: AbortSignal;
}

/** One browser's main thread is busy for about a third of a job's processor time. */
const processorsPerBrowser = 2;
const mostBrowsers = 4;
const defaultOverLimitMs = 3000;
/** A page wants a processor until its tab has been open for so long, whatever is seen of it. */
const openingMs = 250;
const defaultSpares = 2;
/** Beside the configured slots, for accounts that run no page. */
export const keptSlots = 1;

export function defaultBrowsers(processors: number): number {
  return Math.min(mostBrowsers, Math.max(1, Math.floor(processors / processorsPerBrowser)));
}

/** Starts Chromium; throws when it cannot be started at all. */
export async function startBrowser(config: BrowserConfig): Promise<BrowserPool> {
  const pool = new BrowserPool(config);
  await pool.start();
  return pool;
}

/** A job that runs. */
interface Run {
  at: number;
  /** Resolves once its page is closed. */
  gone?: Promise<void>;
}

/** One browser of the pool and the jobs that it runs. */
interface Lane {
  running: number;
  readonly browser: RollingBrowser;
}

/** Lends pages of several browsers to jobs. */
export class BrowserPool {
  readonly markdown = new MarkdownThreads();
  readonly largePictures = new AccountTurns({ name: "large pictures", slots: 1 });
  /** Pages that are only read load no pictures, media and fonts. */
  readonly textOnly: boolean;
  readonly #config: BrowserConfig;
  /** Render slots, and the kept one. */
  readonly turns: AccountTurns;
  readonly #lanes: readonly Lane[];
  readonly #memory: MemoryRoom;
  readonly #scheduler: CpuScheduler;
  /** Undefined where the slots are fixed. */
  readonly #admission: Admission | undefined;
  /** Pages that wanted a processor when last looked at. */
  #wanting = 0;
  /** Running jobs. */
  readonly #began = new Set<Run>();
  /** Of them, those whose tab is not open yet or has only just been opened. */
  readonly #opening = new Set<Run>();
  readonly #large = new LargePages();
  /** Those of running jobs: a page that is large is known by its pid only. */
  readonly #tabs = new Set<Tab>();
  #mostRunning = 0;
  #isClosing = false;
  #jobs = 0;

  constructor(config: BrowserConfig) {
    this.#config = config;
    this.textOnly = config.textOnly ?? false;
    this.#admission = config.followsMachine ? new Admission(config.slots, fewThreads) : undefined;
    this.turns = new AccountTurns({
      name: "render slots",
      slots: (this.#admission?.admitted ?? config.slots) + keptSlots,
      kept: keptSlots,
    });
    this.#lanes = lanesOf(config);
    const browserPids = () => this.#lanes.flatMap(({ browser }) => browser.pids());
    this.#memory = new MemoryRoom({
      browserPids,
      onBrowserOver: (pid) => this.#lanes.forEach(({ browser }) => browser.retirePid(pid)),
      running: () => this.#began.size,
      log: config.log,
    });
    this.#scheduler = new CpuScheduler({
      browserPids,
      jobs: () => [...this.#began].map(({ at }) => at),
      limits: config.pageLimits,
      onLook: (wanting, memory) => {
        this.#wanting = wanting;
        this.#admit(memory.reduce((sum, { bytes }) => sum + bytes, 0));
        if (this.#large.look(memory)) for (const tab of this.#tabs) tab.collectGarbage();
      },
      log: config.log,
    });
  }

  /** Starts all browsers. */
  async start(): Promise<void> {
    try {
      await Promise.all(this.#lanes.map(({ browser }) => browser.current()));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Runs a job in a tab of its own, in a context of its own. */
  async use<T>(visit: Visit, job: (tab: Tab) => Promise<T>): Promise<T> {
    visit.signal.throwIfAborted();
    if (this.#isClosing) throw unavailable("The browser is shutting down");
    const turn = await this.#turnOf(visit);
    this.#mostRunning = Math.max(this.#mostRunning, this.turns.counts().running);
    const lane = this.#lanes.reduce((idlest, one) => (one.running < idlest.running ? one : idlest));
    lane.running += 1;
    const start: Run = { at: performance.now() };
    this.#began.add(start);
    this.#opening.add(start);
    try {
      return await this.#runIn(lane, visit.url, start, async (tab) => {
        setTimeout(() => this.#opening.delete(start), openingMs).unref();
        try {
          return await job(tab);
        } finally {
          this.#began.delete(start);
        }
      });
    } catch (error) {
      if (this.#keepsSlot(error)) {
        await until(start.at + (this.#config.overLimitMs ?? defaultOverLimitMs));
      }
      throw error;
    } finally {
      lane.running -= 1;
      this.#began.delete(start);
      this.#opening.delete(start);
      // The memory of the page that goes is not there yet for the next one.
      if (start.gone && this.#isMemoryTaken()) void start.gone.finally(() => turn.end());
      else turn.end();
    }
  }

  async #turnOf({ account, signal }: Visit): Promise<Turn> {
    try {
      return await this.turns.take(account, signal);
    } catch {
      throw unavailable("No browser slot became free in time", 504);
    }
  }

  /** Changes the jobs that run at once, where the slots follow the machine. */
  resize(slots: number): void {
    this.#admission?.resize(slots);
    this.#admit();
  }

  /** Facts of the pages since the last call. `unknown`: part of demand that waits, see `PageWaits`. */
  takeWindow(unknown: number): BrowserWindow {
    const { used, most } = this.#memory.use();
    const slowest = this.#lanes
      .map(({ browser }) => browser.delay())
      .reduce((worst, one) => (one.ms > worst.ms ? one : worst));
    const running = this.#mostRunning;
    this.#mostRunning = this.turns.counts().running;
    return {
      running,
      isHeldBack: this.#admission?.takeHeldBack() ?? false,
      waitingShare: this.#scheduler.takeWaitingShare(unknown),
      browserDelayMs: slowest.ms,
      browserLacksProcessors: slowest.lacksProcessors,
      mostByMemory: this.#mostByMemory(),
      isMemoryFull: used > most,
    };
  }

  /** Pages that memory allows beside the one in the kept slot. */
  #mostByMemory(use = this.#memory.use()): number {
    return this.#memory.mostPages(use) - keptSlots;
  }

  /** Whether as many pages run as memory allows. */
  #isMemoryTaken(): boolean {
    if (!this.#admission) return false;
    return this.turns.counts().running >= Math.floor(this.#mostByMemory()) + keptSlots;
  }

  #admit(residentBytes?: number): void {
    if (!this.#admission) return;
    const use = this.#memory.use();
    if (residentBytes !== undefined) this.#memory.noteResident(residentBytes, use);
    const mostByMemory = this.#mostByMemory(use);
    const { running, waiting } = this.turns.counts();
    const wanting = Math.max(this.#wanting, this.#opening.size);
    this.#admission.look({ wanting, running, waiting, mostByMemory });
    this.turns.resize(this.#admission.admitted + keptSlots);
  }

  counts(): BrowserCounts {
    const counted = this.#lanes.map(({ browser }) => browser.counts());
    const sum = (of: "contexts" | "spare" | "restarts") =>
      counted.reduce((total, counts) => total + counts[of], 0);
    return {
      contexts: sum("contexts"),
      spare: sum("spare"),
      restarts: sum("restarts"),
      jobs: this.#jobs,
      residentBytes: this.#memory.residentBytes(),
    };
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#memory.stop();
    this.#scheduler.stop();
    await Promise.all(this.#lanes.map(({ browser }) => browser.close()));
    await this.markdown.close();
  }

  async #runIn<T>(
    { browser }: Lane,
    url: string,
    run: Run,
    job: (tab: Tab) => Promise<T>,
  ): Promise<T> {
    const { owner, context, tab } = await this.#open(browser, url);
    this.#tabs.add(tab);
    try {
      return await job(tab);
    } finally {
      this.#tabs.delete(tab);
      this.#jobs += 1;
      run.gone = browser.discard(owner, context);
    }
  }

  /** Opens a tab for one job. A tab that cannot be opened is a reason for a new browser, which gets one try. */
  async #open(browser: RollingBrowser, url: string) {
    for (let attempt = 1; ; attempt += 1) {
      let owner: Generation | undefined;
      let context: Promise<Context> | undefined;
      try {
        owner = await browser.current();
        owner.jobs += 1;
        context = browser.freshContext(owner);
        const tab = await owner.session.openTab(await context, url);
        return { owner, context, tab };
      } catch (error) {
        this.#config.log?.("error", "could not open a tab", { error: String(error) });
        if (owner) {
          browser.retire(owner);
          if (context) void browser.discard(owner, context);
        }
        if (attempt === 2) throw unavailable("The browser could not be started");
      }
    }
  }

  /**
   * Whether a failed job keeps its slot for a while. Beside a heavy page a job that ran out of time does so too:
   * heavy pages that are given little time, and are called again at once, would take as much as one that lasts.
   */
  #keepsSlot(error: unknown): boolean {
    return isOverLimit(error) || (isOutOfTime(error) && this.#scheduler.anyHeavy());
  }
}

function lanesOf(config: BrowserConfig): Lane[] {
  const count = Math.min(config.slots, config.browsers ?? defaultBrowsers(availableParallelism()));
  const policy: EgressPolicy = {
    allow: parseEgressAllow(config.egressAllow),
    deny: parseEgressDeny(config.egressDeny ?? []),
    resolve: createResolver(config.resolver),
    ports: config.egressPorts,
    via: config.egressVia,
  };
  return Array.from({ length: count }, () => ({
    running: 0,
    browser: new RollingBrowser({
      launch: () => launch(config),
      policy,
      spares: Math.min(config.spares ?? defaultSpares, Math.ceil(config.slots / count)),
      renewAfterJobs: config.renewAfterJobs,
      log: config.log,
    }),
  }));
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
