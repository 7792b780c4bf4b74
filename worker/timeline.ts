import {
  type WorkLog,
  type UpstreamTry,
  type UpstreamTurn,
  mostTries,
} from "../runtime/call-log.ts";
import type { WorkTrace } from "../runtime/trace.ts";
import type { Timeline, Tried } from "./connector.ts";

/** How this worker took a job. */
export interface Taken {
  worker: string;
  attempt: number;
  /** Milliseconds in the queue. */
  queued: number;
  /** Present where the call is sampled. */
  trace?: WorkTrace | undefined;
}

const tenths = (ms: number) => Math.round(Math.max(0, ms) * 10) / 10;

/** Records the timeline of one job while it runs. */
export class WorkTimeline implements Timeline {
  readonly #taken: Taken;
  readonly #from = performance.now();
  readonly #tries: UpstreamTry[] = [];
  readonly #turns: UpstreamTurn[] = [];
  readonly #stages = new Map<string, number>();
  #stage: { name: string; since: number } | undefined;
  #more = 0;
  #cause: string | undefined;
  #asking = 0;
  #askingSince = 0;
  #asked = 0;

  constructor(taken: Taken) {
    this.#taken = taken;
  }

  tried({ upstream, waited, took, status, asked }: Tried): void {
    this.#taken.trace?.asked({ ...asked, upstream, waited, status, took });
    if (this.#tries.length >= mostTries) {
      this.#more += 1;
      return;
    }
    const at = tenths(performance.now() - this.#from - took);
    this.#tries.push({ upstream, at, waited: tenths(waited), took: tenths(took), status });
  }

  stage(name: string): void {
    this.#taken.trace?.stage(name);
    this.#endStage();
    this.#stage = { name, since: performance.now() };
  }

  /** A stage that is entered again adds to its time. */
  #endStage(): void {
    if (!this.#stage) return;
    const { name, since } = this.#stage;
    this.#stages.set(name, (this.#stages.get(name) ?? 0) + performance.now() - since);
    this.#stage = undefined;
  }

  cause(word: string): void {
    this.#cause = word.slice(0, 120);
  }

  turned(turn: Omit<UpstreamTurn, "at">): void {
    this.#turns.push({ ...turn, at: tenths(performance.now() - this.#from) });
  }

  /** Takes the cause from an error's origin, unless a cause is already set. */
  because(origin: unknown): void {
    if (this.#cause !== undefined || !(origin instanceof Error)) return;
    const code = (origin as NodeJS.ErrnoException).code;
    const named = typeof code === "string" ? code : /\bnet::(ERR_\w+)/.exec(origin.message)?.[1];
    if (named !== undefined) this.cause(named.toLowerCase());
  }

  /** Runs a step, and counts the time in which at least one step runs. */
  async during<T>(step: () => Promise<T>): Promise<T> {
    if (this.#asking === 0) this.#askingSince = performance.now();
    this.#asking += 1;
    try {
      return await step();
    } finally {
      this.#asking -= 1;
      if (this.#asking === 0) this.#asked += performance.now() - this.#askingSince;
    }
  }

  /** Ends the last stage and returns the call log, with a cause only when the call `failed`, not when a retry succeeded. */
  finish(failed: boolean): WorkLog {
    this.#endStage();
    const now = performance.now();
    const open = this.#asking > 0 ? now - this.#askingSince : 0;
    const { worker, attempt, queued, trace } = this.#taken;
    return {
      worker,
      attempt,
      queued: tenths(queued),
      ran: tenths(now - this.#from),
      asking: tenths(this.#asked + open),
      stages:
        this.#stages.size > 0
          ? [...this.#stages].map(([name, ms]) => ({ name, ms: tenths(ms) }))
          : undefined,
      tries: this.#tries,
      turns: this.#turns.length > 0 ? this.#turns : undefined,
      more: this.#more > 0 ? this.#more : undefined,
      cause: failed ? this.#cause : undefined,
      trace: attempt > 1 ? trace?.context.traceparent : undefined,
    };
  }
}
