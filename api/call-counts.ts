import type { Redis } from "ioredis";
import {
  callCountsField,
  callCountsKey,
  callCountsLifeSeconds,
  countedForMinutes,
} from "../runtime/call-counts.ts";
import type { CallLogEntry } from "../runtime/call-log.ts";

const minuteNow = () => Math.floor(Date.now() / 60_000);

/** Counts ended calls by minute, and keeps the counts while Redis refuses them: a full Redis refuses every write. */
export class CallCounts {
  #waiting = new Map<number, Map<string, number>>();

  add({ mode = "none", pool = "none", status, error }: CallLogEntry): void {
    // A call that was submitted as a job ends later, and a caller that left has seen no end.
    if (!error && (status === 202 || status === 0)) return;
    this.#count(minuteNow(), callCountsField({ mode, pool, end: error?.type ?? "ok" }), 1);
  }

  #count(minute: number, field: string, by: number): void {
    const counts = this.#waiting.get(minute) ?? new Map<string, number>();
    this.#waiting.set(minute, counts.set(field, (counts.get(field) ?? 0) + by));
  }

  async write(redis: Redis): Promise<void> {
    const taken = this.#waiting;
    if (taken.size === 0) return;
    this.#waiting = new Map();
    const commands = redis.multi();
    for (const [minute, counts] of taken) {
      const key = callCountsKey(minute);
      for (const [field, by] of counts) commands.hincrby(key, field, by);
      commands.expire(key, callCountsLifeSeconds);
    }
    try {
      await commands.exec();
    } catch {
      const oldest = minuteNow() - countedForMinutes;
      for (const [minute, counts] of taken) {
        if (minute < oldest) continue;
        for (const [field, by] of counts) this.#count(minute, field, by);
      }
    }
  }
}
