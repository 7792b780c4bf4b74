import type { Flow } from "./flow.ts";
import { Lane } from "./lane.ts";

/** Does work in several lanes at once. */

/** Work of one lane. */
export interface Work {
  flow: Flow;
  /** False where the lane cannot be used further. */
  run(lane: Lane): Promise<boolean>;
}

interface Lanes {
  count: number;
  /** No work begins later, in Unix milliseconds. */
  until?: number;
  /** Looks at a lane before it stops. */
  last: (lane: Lane) => Promise<void>;
}

const needsPair = ({ flow }: Work): boolean => flow.processes === 2;

/**
 * Each lane takes the first work of its kind, or else the first of all. Of several lanes some take what needs two
 * API processes, by its share of the work, so that a run that ends early has met all flows alike.
 */
export async function inLanes(
  works: Work[],
  { count, until = Infinity, last }: Lanes,
): Promise<void> {
  const ofPairs = Math.ceil((count * works.filter(needsPair).length) / Math.max(1, works.length));
  const next = ({ isPair }: Lane, index: number) => {
    if (Date.now() > until) return undefined;
    const takesPairs = count > 1 ? index < ofPairs : isPair;
    const own = works.findIndex((work) => needsPair(work) === takesPairs);
    return works.splice(Math.max(0, own), 1)[0];
  };
  // Lanes start one after another: a machine that starts all at once leaves the stores of each without an answer.
  let started: Promise<unknown> = Promise.resolve();
  const start = () => {
    const lane = started.then(() => Lane.start());
    started = lane.catch(() => undefined);
    return lane;
  };
  // A lane that fails must not leave the processes of another one behind.
  const ends = await Promise.allSettled(
    Array.from({ length: Math.min(count, works.length) }, async (_, index) => {
      let lane = await start();
      try {
        for (let work = next(lane, index); work !== undefined; work = next(lane, index)) {
          if (await work.run(lane)) continue;
          // A state without end must not meet the next combination.
          await lane.stop();
          lane = await start();
        }
        await last(lane);
      } finally {
        await lane.stop();
      }
    }),
  );
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
