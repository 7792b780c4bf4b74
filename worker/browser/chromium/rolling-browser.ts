import { monotonicNow } from "../../../runtime/monotonic.ts";
import type { EgressPolicy } from "../../../runtime/egress/rules.ts";
import { BrowserSession } from "./browser-session.ts";
import type { Context } from "./browser-session.ts";
import type { LaunchedBrowser } from "./launch.ts";
import { LivenessProbe } from "./liveness.ts";

/** One Chromium and what it has open. */
export interface Generation {
  readonly launched: LaunchedBrowser;
  readonly session: BrowserSession;
  liveness?: LivenessProbe;
  readonly startedAt: number;
  /** Jobs it was given. */
  jobs: number;
  /** Contexts that are open or being opened. */
  open: number;
  /** A retired browser takes no new job and is closed with its last context. */
  isRetired: boolean;
  /** Contexts that no job has used yet. */
  readonly spares: Promise<Context>[];
}

export interface RollingBrowserOptions {
  launch: () => Promise<LaunchedBrowser>;
  policy: EgressPolicy;
  /** Contexts held ready for the next jobs. */
  spares: number;
  renewAfterJobs?: number | undefined;
  log?:
    | ((level: "warn" | "error", message: string, fields: Record<string, unknown>) => void)
    | undefined;
}

const defaultRenewAfterJobs = 200;
const renewAfterMs = 15 * 60_000;

/** One Chromium after another: the current one takes jobs, retired ones finish theirs. */
export class RollingBrowser {
  readonly #options: RollingBrowserOptions;
  readonly #generations = new Set<Generation>();
  #current: Promise<Generation> | undefined;
  /** The browser that starts while the current one still serves. */
  #successor: Promise<Generation> | undefined;
  #isClosing = false;
  #starts = 0;

  constructor(options: RollingBrowserOptions) {
    this.#options = options;
  }

  /** The browser that takes jobs; starts one when there is none. */
  async current(): Promise<Generation> {
    const asked = this.#current;
    const known = await asked?.catch(() => undefined);
    if (known && !known.isRetired) {
      if (this.#isWorn(known)) this.#successor ??= this.#renew(known);
      return known;
    }
    // Several jobs may have waited for the same answer; only the first starts a browser.
    if (this.#current === asked) this.#current = this.#successor ?? this.#start();
    return this.#current as Promise<Generation>;
  }

  /** A context that no job has used. Spares are refilled when a job has ended: opening one would hold up this page. */
  freshContext(owner: Generation): Promise<Context> {
    return owner.spares.shift() ?? this.#openContext(owner);
  }

  /** Closes a context, and retires its browser when that does not obey. */
  async discard(owner: Generation, context: Promise<Context>): Promise<void> {
    const opened = await context.catch(() => undefined);
    if (!opened) return;
    const hasObeyed = await opened.close();
    owner.open -= 1;
    if (!hasObeyed || owner.isRetired) this.retire(owner);
    else this.#refill(owner);
  }

  retire(old: Generation): void {
    if (!old.isRetired) {
      old.isRetired = true;
      for (const spare of old.spares.splice(0)) void this.discard(old, spare);
    }
    if (old.open === 0) void this.#dispose(old);
  }

  /** Retires the browser with this pid, should it be one of these. */
  retirePid(pid: number): void {
    for (const generation of this.#generations) {
      if (generation.launched.pid !== pid || generation.isRetired) continue;
      this.#options.log?.("warn", "retired a browser over its memory limit", { pid });
      this.retire(generation);
    }
  }

  /** Main process of each browser. */
  pids(): number[] {
    return [...this.#generations].flatMap(({ launched }) => launched.pid ?? []);
  }

  /** Mean milliseconds in which the slowest browser's main thread answers, and whether it lacks processors. */
  delay(): { ms: number; lacksProcessors: boolean } {
    return [...this.#generations].reduce<{ ms: number; lacksProcessors: boolean }>(
      (slowest, { liveness }) =>
        liveness && liveness.delayMs > slowest.ms
          ? { ms: liveness.delayMs, lacksProcessors: liveness.lacksProcessors }
          : slowest,
      { ms: 0, lacksProcessors: false },
    );
  }

  counts(): { contexts: number; spare: number; restarts: number } {
    const all = [...this.#generations];
    return {
      contexts: all.reduce((total, { open }) => total + open, 0),
      spare: all.reduce((total, { spares }) => total + spares.length, 0),
      restarts: Math.max(0, this.#starts - 1),
    };
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.allSettled([this.#current, this.#successor]);
    for (const generation of this.#generations) generation.isRetired = true;
    await Promise.all([...this.#generations].map((generation) => this.#dispose(generation)));
  }

  #isWorn({ jobs, startedAt }: Generation): boolean {
    const { renewAfterJobs = defaultRenewAfterJobs } = this.#options;
    return jobs >= renewAfterJobs || monotonicNow() - startedAt >= renewAfterMs;
  }

  async #start(): Promise<Generation> {
    const launched = await this.#options.launch();
    this.#starts += 1;
    const generation: Generation = {
      launched,
      session: await BrowserSession.open(launched),
      startedAt: monotonicNow(),
      jobs: 0,
      open: 0,
      isRetired: false,
      spares: [],
    };
    this.#generations.add(generation);
    const liveness = this.#watch(generation);
    generation.liveness = liveness;
    launched.browser.on("disconnected", () => {
      liveness.stop();
      this.retire(generation);
    });
    this.#refill(generation);
    return generation;
  }

  #watch(generation: Generation): LivenessProbe {
    const { launched, session } = generation;
    return new LivenessProbe({
      ping: () => session.ping(),
      pid: launched.pid,
      hasPages: () => generation.open > generation.spares.length,
      onSilent: () => {
        this.#options.log?.("warn", "killed a browser that answers nothing", { pid: launched.pid });
        this.retire(generation);
        launched.kill();
      },
    });
  }

  /** Starts the next browser while the old one still serves, so that no job waits for it. */
  #renew(old: Generation): Promise<Generation> {
    const started = this.#start();
    started
      .then(
        () => {
          this.#current = started;
          this.retire(old);
        },
        (error: unknown) =>
          this.#options.log?.("error", "could not start the next browser", {
            error: String(error),
          }),
      )
      .finally(() => {
        this.#successor = undefined;
      });
    return started;
  }

  async #dispose(old: Generation): Promise<void> {
    if (!this.#generations.delete(old)) return;
    await old.launched.dispose().catch((error: unknown) => {
      this.#options.log?.("warn", "could not remove the profile of a browser", {
        error: String(error),
      });
    });
  }

  #openContext(owner: Generation): Promise<Context> {
    owner.open += 1;
    const context = owner.session.openContext(this.#options.policy);
    context.catch(() => {
      owner.open -= 1;
      if (owner.isRetired) this.retire(owner);
    });
    return context;
  }

  #refill(owner: Generation): void {
    if (owner.isRetired || this.#isClosing) return;
    while (owner.spares.length < this.#options.spares) owner.spares.push(this.#openContext(owner));
  }
}
