/** Slots for so many jobs at once; the others wait, first come first served. */
export class Slots {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a slot, which `leave` gives back. Resolves to false when the signal came first. */
  enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.#taken < this.#most) {
      this.#taken += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener("abort", giveUp);
        resolve(true);
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(wake), 1);
        resolve(false);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waiting.push(wake);
    });
  }

  leave(): void {
    const wake = this.#waiting.shift();
    // The slot goes straight to the next in line, so that no newcomer is ahead of it.
    if (wake) wake();
    else this.#taken -= 1;
  }
}
