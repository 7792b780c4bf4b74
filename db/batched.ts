import { setTimeout as sleep } from "node:timers/promises";
import { inTurns } from "./in-turns.ts";
import { answerLimitMs } from "./client.ts";
import { DatabaseError } from "./errors.ts";
import { isUnavailable, repeated } from "./repeat.ts";

interface Waiting<Call, Row> {
  call: Call;
  weight: number;
  /** When it is rejected, on the clock of `performance`. */
  until: number;
  resolve: (row: Row) => void;
  reject: (error: unknown) => void;
}

export interface BatchOptions<Call, Row> {
  /** One statement; answers one row per call, in their order. Must have no further effect when repeated. */
  run: (calls: Call[]) => Promise<Row[]>;
  /** Bytes a call adds to the statement. */
  weigh?: (call: Call) => number;
  /** Most calls, and most bytes, of one statement. */
  most?: number;
  mostBytes?: number;
  /** A call is answered or rejected after this time, in milliseconds. */
  limitMs?: number;
  /** For calls that nobody waits for: so long more of them are gathered before a statement is sent. */
  gatherMs?: number;
  /** For such calls: answered a few at a time, as each has more done when it is. */
  yields?: boolean;
}

/**
 * Joins calls into statements: a batch is what arrived while the previous statement was in flight,
 * so that a lone call waits for nobody. A call that fails takes no other with it.
 */
export function batched<Call, Row>({
  run,
  weigh = () => 0,
  most = 256,
  mostBytes = 2 * 1024 * 1024,
  limitMs = answerLimitMs,
  gatherMs = 0,
  yields = false,
}: BatchOptions<Call, Row>): (call: Call) => Promise<Row> {
  let waiting: Waiting<Call, Row>[] = [];
  let inFlight = false;
  /** Calls without an answer, the oldest first: one timer for all of them. */
  const open = new Set<Waiting<Call, Row>>();
  let timer: NodeJS.Timeout | undefined;

  function rejectLate(): void {
    timer = undefined;
    const now = performance.now();
    waiting = waiting.filter(({ until }) => until > now);
    for (const entry of open) {
      if (entry.until > now) {
        timer = setTimeout(rejectLate, entry.until - now);
        return;
      }
      const message = `The database did not answer in ${limitMs} ms.`;
      entry.reject(new DatabaseError("unavailable", message));
    }
  }

  function closed(entry: Waiting<Call, Row>): void {
    open.delete(entry);
    if (open.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
  }

  function take(): Waiting<Call, Row>[] {
    let bytes = 0;
    let count = 0;
    for (const { weight } of waiting) {
      bytes += weight;
      if (count > 0 && (count >= most || bytes > mostBytes)) break;
      count += 1;
    }
    return waiting.splice(0, count);
  }

  async function send(batch: Waiting<Call, Row>[]): Promise<void> {
    const rows = await run(batch.map(({ call }) => call));
    if (rows.length !== batch.length)
      throw new Error(`${batch.length} calls were answered by ${rows.length} rows.`);
    const tell = ({ resolve }: Waiting<Call, Row>, index: number) => resolve(rows[index] as Row);
    if (yields) await inTurns(batch, tell);
    else batch.forEach(tell);
  }

  async function answer(batch: Waiting<Call, Row>[]): Promise<void> {
    try {
      await repeated(() => send(batch), limitMs);
    } catch (error) {
      if (batch.length === 1 || isUnavailable(error))
        return batch.forEach(({ reject }) => reject(error));
      for (const one of batch) await answer([one]);
    }
  }

  async function drain(): Promise<void> {
    inFlight = true;
    while (waiting.length > 0) {
      if (gatherMs > 0 && waiting.length < most) await sleep(gatherMs);
      await answer(take());
    }
    inFlight = false;
  }

  return (call) =>
    new Promise((resolve, reject) => {
      const entry: Waiting<Call, Row> = {
        call,
        weight: weigh(call),
        until: performance.now() + limitMs,
        resolve(row) {
          closed(entry);
          resolve(row);
        },
        reject(error) {
          closed(entry);
          reject(error as Error);
        },
      };
      open.add(entry);
      timer ??= setTimeout(rejectLate, limitMs);
      waiting.push(entry);
      if (!inFlight) void drain();
    });
}
