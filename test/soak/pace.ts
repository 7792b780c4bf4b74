import { setTimeout as sleep } from "node:timers/promises";
import { fractions } from "../random.ts";
import type { Kind } from "./kinds.ts";
import type { Traffic } from "./traffic.ts";

/** The next kind of a mix by its weight: evenly spread, the same order every time. */
function rotation(kinds: readonly Kind[]): () => Kind {
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0);
  const dues = kinds.map(() => 0);
  return () => {
    for (const [at, { weight }] of kinds.entries()) dues[at] = (dues[at] as number) + weight;
    const chosen = dues.indexOf(Math.max(...dues));
    dues[chosen] = (dues[chosen] as number) - total;
    return kinds[chosen] as Kind;
  };
}

/** Calls a second that the machine answers with this many sequential callers. */
export async function capacity(
  traffic: Traffic,
  kinds: readonly Kind[],
  lanes: number,
  seconds: number,
): Promise<number> {
  const next = rotation(kinds.filter(({ rare }) => !rare));
  const end = Date.now() + seconds * 1000;
  const startedAt = Date.now();
  let done = 0;
  const lane = async () => {
    while (Date.now() < end) {
      await next().run(traffic, count());
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done / ((Date.now() - startedAt) / 1000);
}

let counted = 0;
/** Unique numbers, so that keys and targets differ. */
const count = () => (counted += 1);

/**
 * Starts calls at a rate, independent of earlier answers; returns their number once all have ended.
 */
export async function hold(
  traffic: Traffic,
  kinds: readonly Kind[],
  perSecond: number,
  signal: AbortSignal,
): Promise<number> {
  const next = rotation(kinds);
  const random = fractions(`gaps of ${kinds[0]?.group}`);
  const running = new Set<Promise<unknown>>();
  let started = 0;
  let due = Date.now();
  while (!signal.aborted) {
    // Independent callers: gaps vary around their mean.
    due += (-Math.log(1 - random()) * 1000) / perSecond;
    await sleep(Math.max(0, due - Date.now()), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    const call = next().run(traffic, count());
    running.add(call);
    void call.finally(() => running.delete(call));
    started += 1;
  }
  await Promise.all(running);
  return started;
}
