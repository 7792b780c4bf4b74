import { answerLimitMs } from "./client.ts";
import { type CoalescedOptions, coalesced } from "./coalesced.ts";
import { isLockTimeout } from "./errors.ts";

/** Milliseconds that a joined statement waits for a lock; undisturbed statements hold theirs for a few. */
const joinedLockMs = 100;

type Options<Call, Row> = Omit<CoalescedOptions<Call, Row>, "run" | "keyOf"> & {
  /** The account whose balance the call locks, or its batch. */
  lockOf: (call: Call) => number | undefined;
  /** One round trip that waits for locks up to `lockMs`. */
  run: (calls: Call[], lockMs: number) => Promise<readonly Row[]>;
};

/**
 * `coalesced` for calls that lock their account's balance. While another transaction holds one balance, its calls
 * have statements of their own, so that calls of other accounts do not wait with them.
 */
export function coalescedByLock<Call, Row>({
  lockOf,
  run,
  ...options
}: Options<Call, Row>): (call: Call) => Promise<Row> {
  const joined = coalesced({ ...options, run: (calls: Call[]) => run(calls, joinedLockMs) });
  const alone = coalesced({
    ...options,
    keyOf: (call: Call) => String(lockOf(call)),
    run: (calls: Call[]) => run(calls, answerLimitMs),
  });
  /** Their rows were locked for longer than an undisturbed statement takes, and no call has succeeded since. */
  const locked = new Set<number | undefined>();

  async function sendAlone(call: Call): Promise<Row> {
    const row = await alone(call);
    locked.delete(lockOf(call));
    return row;
  }

  return async (call) => {
    if (locked.has(lockOf(call))) return sendAlone(call);
    try {
      return await joined(call);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      locked.add(lockOf(call));
      return sendAlone(call);
    }
  };
}
