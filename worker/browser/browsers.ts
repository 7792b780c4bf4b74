import { steadyNow } from "../../contract/steady.ts";
import type { EgressPolicy } from "../egress/rules.ts";
import type { LaunchedBrowser } from "./launch.ts";
import { LivenessProbe } from "./liveness.ts";
import { tabMaker } from "./tab.ts";
import type { Room, TabMaker } from "./tab.ts";

/** One Chromium and what it has open. */
export interface Generation {
  readonly launched: LaunchedBrowser;
  readonly tabs: TabMaker;
  readonly startedAt: number;
  /** Jobs it was given. */
  jobs: number;
  /** Rooms that are open or being opened. */
  open: number;
  /** Takes no new job and is closed when its last room closes. */
  retired: boolean;
  /** Rooms that nobody has used yet. */
  readonly spares: Promise<Room>[];
}

export interface BrowsersOptions {
  launch(): Promise<LaunchedBrowser>;
  policy: EgressPolicy;
  /** Rooms held ready for the next jobs. */
  spares: number;
  renewAfterJobs?: number;
  log?: (level: "warn" | "error", message: string, fields: Record<string, unknown>) => void;
}

/** The Chromium that takes jobs, those that still end theirs, and the rooms of each. */
export interface Browsers {
  /** The browser that takes jobs; started when there is none. */
  next(): Promise<Generation>;
  /** A room that nobody has used. */
  freshRoom(owner: Generation): Promise<Room>;
  /** Closes a room, and its browser if that does not obey. */
  discard(owner: Generation, room: Promise<Room>): Promise<void>;
  retire(owner: Generation): void;
  /** Retires the browser of this main process, should it be one of these. */
  renewMain(pid: number): void;
  /** Main process of each. */
  pids(): number[];
  counts(): { contexts: number; spare: number; restarts: number };
  close(): Promise<void>;
}

const usualRenewAfterJobs = 200;
const renewAfterMs = 15 * 60_000;

export function createBrowsers(options: BrowsersOptions): Browsers {
  const { log, renewAfterJobs = usualRenewAfterJobs } = options;
  const generations = new Set<Generation>();
  let current: Promise<Generation> | undefined;
  /** The browser that is being started to take the place of one that still serves. */
  let successor: Promise<Generation> | undefined;
  let closing = false;
  let starts = 0;

  async function start(): Promise<Generation> {
    const launched = await options.launch();
    starts += 1;
    const generation: Generation = {
      launched,
      tabs: await tabMaker(launched),
      startedAt: steadyNow(),
      jobs: 0,
      open: 0,
      retired: false,
      spares: [],
    };
    generations.add(generation);
    const liveness = new LivenessProbe({
      ping: () => generation.tabs.ping(),
      pid: launched.pid,
      hasPages: () => generation.open > generation.spares.length,
      onSilent() {
        log?.("warn", "browser that answers nothing killed", { pid: launched.pid });
        retire(generation);
        launched.kill();
      },
    });
    launched.browser.on("disconnected", () => {
      liveness.stop();
      retire(generation);
    });
    refill(generation);
    return generation;
  }

  async function next(): Promise<Generation> {
    const asked = current;
    const known = await asked?.catch(() => undefined);
    if (known && !known.retired) {
      const worn = known.jobs >= renewAfterJobs || steadyNow() - known.startedAt >= renewAfterMs;
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

  function open(owner: Generation): Promise<Room> {
    owner.open += 1;
    const room = owner.tabs.openRoom(options.policy);
    room.catch(() => {
      owner.open -= 1;
      if (owner.retired) retire(owner);
    });
    return room;
  }

  function refill(owner: Generation): void {
    if (owner.retired || closing) return;
    while (owner.spares.length < options.spares) owner.spares.push(open(owner));
  }

  async function discard(owner: Generation, room: Promise<Room>): Promise<void> {
    const opened = await room.catch(() => undefined);
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
    // Those that were taken are replaced when a job has ended: a room in the making would hold up the page.
    freshRoom: (owner) => owner.spares.shift() ?? open(owner),
    discard,
    retire,
    renewMain(pid) {
      for (const generation of generations) {
        if (generation.launched.pid !== pid || generation.retired) continue;
        log?.("warn", "browser over its memory limit renewed", { pid });
        retire(generation);
      }
    },
    pids: () =>
      [...generations].flatMap(({ launched }) =>
        launched.pid === undefined ? [] : [launched.pid],
      ),
    counts: () => ({
      contexts: sum(({ open: rooms }) => rooms),
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
