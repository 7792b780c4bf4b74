import type { CDPSession } from "puppeteer";
import type { LaunchedBrowser } from "./launch.ts";
import type { Tab } from "./tab.ts";

/** One Chromium and what it has open. */
export interface Generation {
  readonly launched: LaunchedBrowser;
  readonly cdp: CDPSession;
  readonly startedAt: number;
  /** Jobs it was given. */
  jobs: number;
  /** Tabs that are open or being opened. */
  open: number;
  /** Takes no new job and is closed when its last tab closes. */
  retired: boolean;
  /** Tabs that nobody has used yet. */
  readonly spares: Promise<Tab>[];
}

export interface BrowsersOptions {
  launch(): Promise<LaunchedBrowser>;
  openTab(owner: Generation): Promise<Tab>;
  /** Jobs that run at once. */
  slots: number;
  /** Open tabs that wait for a job although they are no spares. */
  idle(): number;
  /** A browser takes no jobs any more. */
  retired(owner: Generation): void;
  renewAfterJobs?: number;
  log?: (level: "warn" | "error", message: string, fields: Record<string, unknown>) => void;
}

/** The Chromium that takes jobs, those that still end theirs, and the tabs of each. */
export interface Browsers {
  /** The browser that takes jobs; started when there is none. */
  next(): Promise<Generation>;
  /** A tab that nobody has used. */
  freshTab(owner: Generation): Promise<Tab>;
  /** Makes unused tabs ready while there is room. */
  refill(owner: Generation): void;
  /** Closes a tab, and its browser if that does not obey. */
  discard(owner: Generation, tab: Promise<Tab>): Promise<void>;
  retire(owner: Generation): void;
  /** Main process of each. */
  pids(): number[];
  counts(): { contexts: number; spare: number; restarts: number };
  close(): Promise<void>;
}

const usualRenewAfterJobs = 200;
const renewAfterMs = 15 * 60_000;
const mostSpares = 2;

export function createBrowsers(options: BrowsersOptions): Browsers {
  const { slots, log, renewAfterJobs = usualRenewAfterJobs } = options;
  const generations = new Set<Generation>();
  let current: Promise<Generation> | undefined;
  /** The browser that is being started to take the place of one that still serves. */
  let successor: Promise<Generation> | undefined;
  let closing = false;
  let starts = 0;

  async function start(): Promise<Generation> {
    const launched = await options.launch();
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

  async function next(): Promise<Generation> {
    const asked = current;
    const known = await asked?.catch(() => undefined);
    if (known && !known.retired) {
      const worn = known.jobs >= renewAfterJobs || Date.now() - known.startedAt >= renewAfterMs;
      if (worn && !successor) successor = renew(known);
      return known;
    }
    // Several jobs may have waited for the same answer; only the first starts a browser.
    if (current === asked) current = successor ?? start();
    return current as Promise<Generation>;
  }

  /** Starts the next browser while the old one still serves, so that no job waits for it. */
  function renew(old: Generation): Promise<Generation> {
    const started = start();
    started
      .then(
        () => {
          current = started;
          retire(old);
        },
        (error: unknown) => log?.("error", "browser not renewed", { error: String(error) }),
      )
      .finally(() => {
        successor = undefined;
      });
    return started;
  }

  function retire(old: Generation): void {
    if (!old.retired) {
      old.retired = true;
      options.retired(old);
      for (const spare of old.spares.splice(0)) void discard(old, spare);
    }
    if (old.open === 0) void dispose(old);
  }

  async function dispose(old: Generation): Promise<void> {
    if (!generations.delete(old)) return;
    await old.launched.dispose().catch((error: unknown) => {
      log?.("warn", "browser profile not removed", { error: String(error) });
    });
  }

  function open(owner: Generation): Promise<Tab> {
    owner.open += 1;
    const tab = options.openTab(owner);
    tab.catch(() => {
      owner.open -= 1;
      if (owner.retired) retire(owner);
    });
    return tab;
  }

  /** A renderer's start is most of a render. */
  function refill(owner: Generation): void {
    if (owner.retired || closing) return;
    const wanted = Math.min(slots, mostSpares);
    while (owner.spares.length < wanted && owner.open - options.idle() < slots + 1) {
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

  const sum = (of: (generation: Generation) => number) =>
    [...generations].reduce((total, generation) => total + of(generation), 0);

  return {
    next,
    freshTab: (owner) => owner.spares.shift() ?? open(owner),
    refill,
    discard,
    retire,
    pids: () =>
      [...generations].flatMap(({ launched }) => {
        const pid = launched.browser.process()?.pid;
        return pid === undefined ? [] : [pid];
      }),
    counts: () => ({
      contexts: sum(({ open: tabs }) => tabs),
      spare: sum(({ spares }) => spares.length),
      restarts: Math.max(0, starts - 1),
    }),
    async close() {
      closing = true;
      await Promise.allSettled([current, successor]);
      for (const generation of generations) generation.retired = true;
      await Promise.all([...generations].map(dispose));
    },
  };
}
