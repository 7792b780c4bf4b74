import { queuePrefix } from "./redis/keys.ts";

/** Report to operators about an upstream's answer that did not fit: the path, and the structure without values. */
export interface ShapeReport {
  /** Unix time in milliseconds. */
  at: number;
  request_id: string;
  operation: string;
  upstream: string;
  /** Path that did not fit. */
  path: string;
  /** The answer with every text and number replaced by its kind and length. */
  sample: unknown;
}

/** Hash: operation id -> JSON of the newest `ShapeReport`. One per operation, so it stays small. */
export const shapeReportsKey = `${queuePrefix}:shapes`;
/** Reports expire this long after the newest one. */
export const shapeReportsLifeSeconds = 7 * 24 * 3600;
