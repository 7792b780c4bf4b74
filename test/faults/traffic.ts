import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Envelope, ErrorEnvelope } from "../gateway.ts";

/** One call of a load: its answer and times, in unix milliseconds. */
export interface Sent {
  status: number;
  message: string | undefined;
  from: number;
  to: number;
  ms: number;
}

/** Calls at a steady rate, independent of earlier ones: for a time, or while a condition holds. */
export async function traffic(
  options: { perSecond: number } & ({ seconds: number } | { goesOn: () => boolean }),
  call: (index: number) => Promise<Answer<Envelope & ErrorEnvelope>>,
): Promise<Sent[]> {
  const pending: Promise<Sent>[] = [];
  const startedAt = Date.now();
  const isDue = (index: number) =>
    "goesOn" in options ? options.goesOn() : index < options.perSecond * options.seconds;
  for (let index = 0; isDue(index); index += 1) {
    const ahead = startedAt + (index * 1000) / options.perSecond - Date.now();
    if (ahead > 1) await sleep(ahead);
    pending.push(timed(() => call(index)));
  }
  return Promise.all(pending);
}

export async function timed(call: () => Promise<Answer<Envelope & ErrorEnvelope>>): Promise<Sent> {
  const from = Date.now();
  const { status, body } = await call();
  const to = Date.now();
  return { status, message: body.error?.message, from, to, ms: to - from };
}

/**
 * Runs tasks sequentially in a number of parallel lanes. After a failure no lane begins another task, and the failure
 * is thrown once all have ended: what the test checks next would otherwise find calls of its own under way.
 */
export async function inLanes(
  count: number,
  lanes: number,
  run: (index: number, lane: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const drive = async (_: unknown, lane: number) => {
    while (next < count && !failed) {
      next += 1;
      await run(next - 1, lane).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, drive));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** The value that `share` of the sorted values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** "200 x 3, 503 x 1", for the report. */
export function counted(sent: readonly Sent[]): string {
  const groups = Object.groupBy(sent, ({ status }) => String(status));
  return Object.entries(groups)
    .map(([status, all]) => `${status} x ${all?.length}`)
    .join(", ");
}
