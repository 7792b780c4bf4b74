import { mainThreadOf, usageOf } from "./proc.ts";

export interface MainProcesses {
  /** Processors that they use: a page of many frames keeps them busier than its own. */
  processors: number;
  /** Whether the main thread of one is too busy, or was a moment ago: what keeps it busy may have been stopped. */
  areCrowded: boolean;
}

/** As busy as that a main thread is crowded ... */
const crowdedFrom = 0.75;
/** ... as the mean over so long, ... */
const meanMs = 250;
/** ... and for so long from then on. */
const crowdMs = 5000;

/** Follows the main processes of browsers from one look to the next: whatever any page does goes through them. */
export function watchMains(
  usage: typeof usageOf = usageOf,
  mainThread: typeof mainThreadOf = mainThreadOf,
): (mains: readonly number[], now: number, sinceMs: number) => MainProcesses {
  const known = new Map<number, Main>();
  let processors = 0;
  let crowdedUntil = 0;
  return (mains, now, sinceMs) => {
    for (const pid of known.keys()) if (!mains.includes(pid)) known.delete(pid);
    let used = 0;
    let busy = 0;
    for (const pid of mains) {
      const processorMs = usage(pid)?.processorMs ?? 0;
      // All threads, where the kernel does not tell of the first.
      const { ranMs, waitedMs } = mainThread(pid) ?? { ranMs: processorMs, waitedMs: 0 };
      const last = known.get(pid) ?? { processorMs, ranMs, waitedMs, ran: 0, waited: 0 };
      const part = Math.min(1, sinceMs / meanMs);
      const mean = (old: number, ms: number) => old + (Math.max(0, ms) / sinceMs - old) * part;
      const ran = mean(last.ran, ranMs - last.ranMs);
      const waited = mean(last.waited, waitedMs - last.waitedMs);
      known.set(pid, { processorMs, ranMs, waitedMs, ran, waited });
      used += Math.max(0, processorMs - last.processorMs);
      // Not of the time in which it could have run and others did: the machine may have other work.
      busy = Math.max(busy, Math.min(1, ran / Math.max(1 - waited, 0.05)));
    }
    if (busy > crowdedFrom) crowdedUntil = now + crowdMs;
    processors = (processors + used / sinceMs) / 2;
    return { processors, areCrowded: now < crowdedUntil };
  };
}

interface Main {
  processorMs: number;
  ranMs: number;
  waitedMs: number;
  /** Means, per millisecond. */
  ran: number;
  waited: number;
}
