import type { Redis } from "ioredis";
import {
  type ShapeReport,
  shapeReportsKey,
  shapeReportsLifeSeconds,
} from "../runtime/shape-report.ts";

const limits = { depth: 12, entries: 40, bytes: 16 * 1024 };

/** Stores the newest report of an operation; a fault of Redis loses only the report. */
export async function reportShape(redis: Redis, report: ShapeReport): Promise<void> {
  await redis
    .multi()
    .hset(shapeReportsKey, report.operation, JSON.stringify(report))
    .expire(shapeReportsKey, shapeReportsLifeSeconds)
    .exec()
    .catch(() => undefined);
}

/** The structure of a value without its contents: keys stay, texts and numbers are replaced by their kind. */
export function outline(value: unknown): unknown {
  let left = limits.bytes;

  function walk(here: unknown, depth: number): unknown {
    if (left <= 0) return "…";
    left -= 16;
    if (typeof here === "string") return `text of ${here.length}`;
    if (typeof here === "number") return Number.isInteger(here) ? "integer" : "number";
    if (typeof here !== "object" || here === null) return here;
    if (depth >= limits.depth) return "…";
    if (Array.isArray(here)) {
      const shown = here.slice(0, 3).map((entry) => walk(entry, depth + 1));
      return here.length > 3 ? [...shown, `${here.length - 3} more`] : shown;
    }
    const members = Object.entries(here).slice(0, limits.entries);
    return Object.fromEntries(
      members.map(([key, entry]) => {
        left -= key.length;
        return [key.slice(0, 64), walk(entry, depth + 1)];
      }),
    );
  }

  return walk(value, 0);
}
