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

/**
 * How many threads of heavy pages may run while others have something to do. Priorities only order the threads of
 * one processor. They do nothing where a group of processes may use less than the processors it runs on, nor for a
 * page that waits for the browser's own main thread.
 */
export function threadsForHeavy(processors: number, isCrowded: boolean, isQuota: boolean): number {
  return isCrowded || isQuota ? Math.max(processors - 1, 0.5) : threadsByPriority * processors;
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
