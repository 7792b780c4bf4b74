import type { ErrorType } from "../contract/errors.ts";
import { queuePrefix } from "./redis/keys.ts";

/**
 * Counts of ended calls by mode, pool and error type, for an hour: a hash for every minute. API processes add to
 * them; the dashboards read them, so that the errors of an hour cost an hour of small hashes.
 */

export const countedForMinutes = 60;

export const callCountsKey = (minute: number): string => `${queuePrefix}:calls:${minute}`;
export const callCountsLifeSeconds = (countedForMinutes + 2) * 60;

export interface CallEnd {
  /** `none` where the request had no valid key. */
  mode: string;
  /** `none` where the request named no operation. */
  pool: string;
  end: ErrorType | "ok";
}

export const callCountsField = ({ mode, pool, end }: CallEnd): string => `${mode} ${pool} ${end}`;

export function callEndOf(field: string): CallEnd {
  const [mode = "none", pool = "none", end = "ok"] = field.split(" ");
  return { mode, pool, end: end as CallEnd["end"] };
}
