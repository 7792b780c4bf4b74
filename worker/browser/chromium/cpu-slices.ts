/**
 * So many threads of heavy pages on a processor leave nine tenths of it to a process of the browser's own, by the
 * kernel's weights for their priorities, and two thirds to a page that is not heavy.
 */
const threadsByPriority = 4;
/** However many threads a page has, it gets one slice in so many among others, and is never stopped for long. */
const rarestSlice = 50;
const mostDebt = 200 * rarestSlice;
/** A page's need beyond the running threads counts as no more than this. */
const tolerance = 0.3;
/** Least need of a page: one that waits for something itself takes little. */
const leastNeed = 0.2;

/** The processor time that a heavy page needs and has used. */
export interface Demand {
  /** Processors it needs as last seen running: threads that could run, and what the browser does for it. */
  needs: number;
  /** Time used since the page became heavy, in milliseconds times threads. */
  had: number;
  /** The part of it that is not paid for yet. */
  debt: number;
}

/** In such a time the limit of threads rises by one, or is halved once. */
const intervalMs = 250;

/**
 * The threads of heavy pages that may run while others have something to do: as many as the kernel's priorities hold
 * back. Priorities only order the threads of one processor. They do nothing where a group of processes may use less
 * than the processors it runs on: there a processor is left to the others.
 *
 * Nor do they help a page that waits for the browser's own main thread. The limit falls while that thread is busy and
 * rises while it has time to spare, by additive increase and multiplicative decrease as TCP's window does: a fixed
 * low limit would leave processors idle beside pages that have much to do themselves and ask little of that thread.
 */
export class HeavyThreads {
  readonly #least: number;
  readonly #most: number;
  #limit: number;
  #sinceCutMs = intervalMs;

  constructor(processors: number, isQuota: boolean) {
    this.#least = Math.max(processors - 1, 0.5);
    this.#most = isQuota ? this.#least : threadsByPriority * processors;
    this.#limit = this.#most;
  }

  /** The limit beside a main thread that stays busy. */
  get least(): number {
    return this.#least;
  }

  /** The limit after a look that came `sinceMs` after the last one. */
  next(isBusy: boolean, sinceMs: number): number {
    this.#sinceCutMs += sinceMs;
    if (!isBusy) this.#limit = Math.min(this.#most, this.#limit + sinceMs / intervalMs);
    else if (this.#sinceCutMs >= intervalMs) {
      this.#sinceCutMs = 0;
      this.#limit = Math.max(this.#least, this.#limit / 2);
    }
    return this.#limit;
  }
}

/**
 * The pages that run in the next slice. A page that needs more threads than there are gets a slice of its own once
 * its last one is paid for. Of the others as many run as fit, those first that have had least.
 */
export function nextSlice<Id>(heavy: readonly (readonly [Id, Demand])[], threads: number): Set<Id> {
  const most = threads + tolerance;
  const byHad = heavy.toSorted(([, a], [, b]) => a.had - b.had);
  const large = byHad.find(([, page]) => page.needs > most && page.debt <= 0);
  if (large) return new Set([large[0]]);
  const slice = new Set<Id>();
  let taken = 0;
  for (const [id, { needs }] of byHad) {
    const takes = Math.max(needs, leastNeed);
    if (taken + takes > most) continue;
    slice.add(id);
    taken += takes;
  }
  return slice;
}

/** Pays a part of what a page owes, and charges it for the slice that it ran in. */
export function account(
  page: Demand,
  paid: number,
  slice: { needs: number; ms: number } | undefined,
): void {
  let debt = page.debt - paid;
  if (slice) {
    page.needs = Math.max(slice.needs, page.needs * 0.75);
    const cost = Math.min(page.needs, rarestSlice) * slice.ms;
    page.had += cost;
    debt += cost;
  }
  page.debt = Math.min(Math.max(debt, 0), mostDebt);
}
