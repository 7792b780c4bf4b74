import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Envelope, ErrorEnvelope } from "../gateway.ts";

/** Outcome of callers who retry until they get an answer. */
export interface PatientOutcome {
  answered: number;
  /** Statuses other than 200 on the way. */
  refusals: Record<string, number>;
  /** Longest time from a caller's first refusal to the answer. */
  longestMs: number;
  /** Longest time from a caller's first refusal to the last one. */
  refusedMs: number;
}

/** Callers that begin at a steady rate and retry half a second after a refusal. */
export async function patientCalls(
  options: { perSecond: number; seconds: number; withinMs: number },
  call: (index: number) => Promise<Answer<Envelope & ErrorEnvelope>>,
): Promise<PatientOutcome> {
  const seen: PatientOutcome = { answered: 0, refusals: {}, longestMs: 0, refusedMs: 0 };
  const one = async (index: number) => {
    const end = Date.now() + options.withinMs;
    let refusedAt: number | undefined;
    while (Date.now() < end) {
      const askedAt = Date.now();
      const { status } = await call(index);
      if (status === 200) {
        seen.answered += 1;
        if (refusedAt !== undefined) {
          seen.longestMs = Math.max(seen.longestMs, Date.now() - refusedAt);
        }
        return;
      }
      refusedAt ??= askedAt;
      seen.refusedMs = Math.max(seen.refusedMs, Date.now() - refusedAt);
      seen.refusals[status] = (seen.refusals[status] ?? 0) + 1;
      await sleep(500);
    }
  };
  const all: Promise<void>[] = [];
  for (let index = 0; index < options.perSecond * options.seconds; index += 1) {
    all.push(one(index));
    await sleep(1000 / options.perSecond);
  }
  await Promise.all(all);
  return seen;
}
