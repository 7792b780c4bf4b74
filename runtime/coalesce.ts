import { setTimeout as sleep } from "node:timers/promises";
import { forEachYielding } from "./yielding.ts";

export interface CoalesceOptions<Call, Answer> {
  /** One round trip; answers one row per call, in their order. */
  run: (calls: Call[]) => Promise<readonly Answer[]>;
  /** Calls of one key have one round trip in flight at a time; without it all calls have one key. */
  keyOf?: ((call: Call) => string) | undefined;
  /** Bytes a call adds to the round trip. */
  weigh?: ((call: Call) => number) | undefined;
  /** Most calls, and most bytes, of one round trip; a single call may be larger. */
  most?: number | undefined;
  mostBytes?: number | undefined;
  /** A call without an answer after so many milliseconds is rejected with `error`, and is not sent any more. */
  limit?: { ms: number; error: () => Error } | undefined;
  /** Runs a round trip, again where it failed for a passing reason: it must have no further effect then. */
  retry?: ((roundTrip: () => Promise<void>) => Promise<void>) | undefined;
  /** True sends the calls of a failed round trip one by one, so that a bad call takes no other with it. */
  isSplit?: ((error: unknown) => boolean) | undefined;
  /** For calls that nobody waits for: so many milliseconds more of them are gathered before each round trip. */
  gatherMs?: number | undefined;
  /** For such calls: answered a few at a time, as each has more done when it is. */
  yields?: boolean | undefined;
}

interface Waiting<Call, Answer> {
  call: Call;
  weight: number;
  /** The time of its rejection, on the clock of `performance`. */
  until: number;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Joins calls into round trips: a round trip takes what arrived while the previous one was in flight,
 * so that a lone call waits for nobody.
 */
export function coalesce<Call, Answer>(
  options: CoalesceOptions<Call, Answer>,
): (call: Call) => Promise<Answer> {
  const coalescer = new Coalescer(options);
  return (call) => coalescer.add(call);
}

const oneKey = () => "";
const noWeight = () => 0;

class Coalescer<Call, Answer> {
  readonly #options: CoalesceOptions<Call, Answer>;
  readonly #keyOf: (call: Call) => string;
  readonly #weigh: (call: Call) => number;
  readonly #most: number;
  readonly #mostBytes: number;
  /** By key, while it has a round trip in flight: the calls for the next ones. */
  readonly #waiting = new Map<string, Waiting<Call, Answer>[]>();
  /** Calls with a limit and without an answer, the oldest first: one timer for all of them. */
  readonly #open = new Set<Waiting<Call, Answer>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CoalesceOptions<Call, Answer>) {
    this.#options = options;
    this.#keyOf = options.keyOf ?? oneKey;
    this.#weigh = options.weigh ?? noWeight;
    this.#most = options.most ?? 256;
    this.#mostBytes = options.mostBytes ?? 2 * 1024 * 1024;
  }

  add(call: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { limit } = this.#options;
      const until = limit ? performance.now() + limit.ms : Infinity;
      const entry = { call, weight: this.#weigh(call), until, resolve, reject };
      if (limit) {
        this.#open.add(entry);
        this.#timer ??= setTimeout(() => this.#rejectLate(limit.error), limit.ms);
      }
      const key = this.#keyOf(call);
      const queue = this.#waiting.get(key);
      if (queue) {
        queue.push(entry);
        return;
      }
      const first = [entry];
      this.#waiting.set(key, first);
      void this.#drain(key, first);
    });
  }

  async #drain(key: string, queue: Waiting<Call, Answer>[]): Promise<void> {
    const { gatherMs = 0 } = this.#options;
    while (queue.length > 0) {
      if (gatherMs > 0 && queue.length < this.#most) await sleep(gatherMs);
      await this.#answer(this.#take(queue));
    }
    this.#waiting.delete(key);
  }

  #take(queue: Waiting<Call, Answer>[]): Waiting<Call, Answer>[] {
    let bytes = 0;
    let count = 0;
    for (const { weight } of queue) {
      bytes += weight;
      if (count > 0 && (count >= this.#most || bytes > this.#mostBytes)) break;
      count += 1;
    }
    return queue.splice(0, count);
  }

  async #answer(batch: Waiting<Call, Answer>[]): Promise<void> {
    const { retry, isSplit } = this.#options;
    try {
      await (retry ? retry(() => this.#send(batch)) : this.#send(batch));
    } catch (error) {
      if (batch.length > 1 && isSplit?.(error)) for (const one of batch) await this.#answer([one]);
      else for (const entry of batch) this.#close(entry).reject(error);
    }
  }

  async #send(batch: Waiting<Call, Answer>[]): Promise<void> {
    const answers = await this.#options.run(batch.map(({ call }) => call));
    if (answers.length !== batch.length)
      throw new Error(`${batch.length} calls were answered by ${answers.length} rows.`);
    const resolve = (entry: Waiting<Call, Answer>, index: number) =>
      this.#close(entry).resolve(answers[index] as Answer);
    if (this.#options.yields) await forEachYielding(batch, resolve);
    else batch.forEach(resolve);
  }

  #close(entry: Waiting<Call, Answer>): Waiting<Call, Answer> {
    if (this.#open.delete(entry) && this.#open.size === 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    return entry;
  }

  #rejectLate(late: () => Error): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const queue of this.#waiting.values()) {
      const inTime = queue.findIndex(({ until }) => until > now);
      queue.splice(0, inTime < 0 ? queue.length : inTime);
    }
    for (const entry of this.#open) {
      if (entry.until > now) {
        this.#timer = setTimeout(() => this.#rejectLate(late), entry.until - now);
        return;
      }
      this.#close(entry).reject(late());
    }
  }
}
