/** Repeats a read of something that other processes change. A read that is asked for meanwhile joins the running one. */
export class Poller {
  readonly #read: () => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;

  /** `everyMs`: pause between reads. A failed one is left to the next; what is known stays. */
  constructor(read: () => Promise<void>, everyMs = 1000) {
    this.#read = read;
    this.#timer = setInterval(() => void this.poll().catch(() => undefined), everyMs);
    this.#timer.unref();
  }

  /** Resolves when a read has ended that was not over at the time of the call; rejects as the read does. */
  poll(): Promise<void> {
    this.#running ??= this.#read().finally(() => (this.#running = undefined));
    return this.#running;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
