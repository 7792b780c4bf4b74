/** A caller that waits for a key, until `end` is called for the first time. */
export interface Waiter<Key, Result, State> {
  readonly key: Key;
  readonly state: State;
  readonly result: Promise<Result>;
  end(result: Result): void;
}

interface Limits<Key, Result, State> {
  /** In milliseconds. */
  withinMs: number;
  /** Called when that time is over; ends the wait, at once or a little later. */
  expired: (waiter: Waiter<Key, Result, State>) => void;
  gone?: AbortSignal | undefined;
  /** The result when `gone` aborts. */
  left: Result;
}

/** Waits of this process, by key: each ends with a result, at its time limit or when its caller leaves. */
export class WaiterRegistry<Key, Result, State = undefined> {
  readonly #waiting = new Map<Key, Set<Waiter<Key, Result, State>>>();

  /** Keys that are waited for. */
  get size(): number {
    return this.#waiting.size;
  }

  keys(): Iterable<Key> {
    return this.#waiting.keys();
  }

  groups(): Iterable<ReadonlySet<Waiter<Key, Result, State>>> {
    return this.#waiting.values();
  }

  of(key: Key): ReadonlySet<Waiter<Key, Result, State>> | undefined {
    return this.#waiting.get(key);
  }

  wait(key: Key, state: State, limits: Limits<Key, Result, State>): Promise<Result> {
    return this.open(key, state, limits).result;
  }

  /** A wait that its owner may end before it has a result. */
  open(
    key: Key,
    state: State,
    { withinMs, expired, gone, left }: Limits<Key, Result, State>,
  ): Waiter<Key, Result, State> {
    const { promise, resolve } = Promise.withResolvers<Result>();
    const waiter: Waiter<Key, Result, State> = {
      key,
      state,
      result: promise,
      end: (result) => {
        clearTimeout(timer);
        if (leave) gone?.removeEventListener("abort", leave);
        this.#remove(waiter);
        resolve(result);
      },
    };
    const timer = setTimeout(expired, withinMs, waiter);
    const leave = gone && (() => waiter.end(left));
    const others = this.#waiting.get(key);
    if (others) others.add(waiter);
    else this.#waiting.set(key, new Set([waiter]));
    if (gone?.aborted) waiter.end(left);
    else if (leave) gone.addEventListener("abort", leave, { once: true });
    return waiter;
  }

  /** Ends all that wait for the key. */
  end(key: Key, result: Result): void {
    // Each wake removes itself from the set, which iteration allows.
    for (const waiter of this.#waiting.get(key) ?? []) waiter.end(result);
  }

  #remove(waiter: Waiter<Key, Result, State>): void {
    const others = this.#waiting.get(waiter.key);
    others?.delete(waiter);
    if (others?.size === 0) this.#waiting.delete(waiter.key);
  }
}
