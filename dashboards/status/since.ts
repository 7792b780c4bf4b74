/** A moment in Unix milliseconds; `orEarlier` where the trouble was there when the dashboards started. */
export interface Since {
  at: number;
  orEarlier: boolean;
}

/** Remembers since when each trouble has been there. The memory begins with the process. */
export class FirstSeen {
  #since = new Map<string, Since>();
  #looked = false;

  /** Takes the troubles of one look; a look that could not see everything is `partial` and ends none. */
  note(keys: readonly string[], now: number, partial = false): void {
    const kept = partial ? new Map(this.#since) : new Map<string, Since>();
    for (const key of keys) {
      kept.set(key, this.#since.get(key) ?? { at: now, orEarlier: !this.#looked });
    }
    this.#since = kept;
    this.#looked = true;
  }

  of(key: string): Since | undefined {
    return this.#since.get(key);
  }
}
