import * as z from "zod";
import { pools } from "../../contract/operation.ts";
import { type Load, offered, slotsFor, waits } from "./model.ts";

const number = (least: number, most: number) =>
  z.coerce
    .number({ error: "must be a number" })
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);

/** The formula takes one step for each slot, so a billion slots would block the dashboards. */
const mostBusySlots = 50_000;

/** The inputs of the formula. The caller fills in measured values for fields that are left out. */
export const question = z
  .object({
    pool: z.enum(pools),
    per_second: number(0, 1e6),
    service_ms: number(0.1, 3_600_000),
    service_scv: number(0, 100).default(1),
    arrival_scv: number(0, 100).default(1),
    target_ms: number(1, 3_600_000),
    slots_per_worker: number(1, 1000),
  })
  .refine(({ per_second, service_ms }) => per_second * service_ms <= mostBusySlots * 1000, {
    path: ["per_second"],
    message: `must keep at most ${mostBusySlots} slots busy`,
  });
export type Question = z.output<typeof question>;

export interface WhatIf {
  question: Question;
  workers: number;
  slots: number;
  busy_slots: number;
  /** The wait with numbers of workers around the answer; null: the queue grows. */
  by_workers: { workers: number; slots: number; utilisation: number; p95_wait_ms: number | null }[];
}

/** Answers from the formula alone. */
export function whatIf(inputs: Question): WhatIf {
  const load: Load = {
    perSecond: inputs.per_second,
    arrivalScv: inputs.arrival_scv,
    serviceSeconds: inputs.service_ms / 1000,
    serviceScv: inputs.service_scv,
  };
  const slots = slotsFor(load, inputs.target_ms / 1000);
  const perWorker = Math.round(inputs.slots_per_worker);
  const workers = Math.max(1, Math.ceil(slots / perWorker));
  const from = Math.max(1, workers - 2);
  return {
    question: inputs,
    workers,
    slots: workers * perWorker,
    busy_slots: offered(load),
    by_workers: [0, 1, 2, 3, 4].map((more) => {
      const count = from + more;
      const { utilisation, p95 } = waits(load, count * perWorker);
      return {
        workers: count,
        slots: count * perWorker,
        utilisation: Math.round(utilisation * 1000) / 1000,
        p95_wait_ms: Number.isFinite(p95) ? Math.round(p95 * 10_000) / 10 : null,
      };
    }),
  };
}
