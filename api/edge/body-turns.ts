import { setImmediate as nextLoop } from "node:timers/promises";
import { AccountTurns } from "../../runtime/account-turns.ts";
import { parseBody } from "./body.ts";

/** Shorter bodies take less than a millisecond. */
const largeBytes = 64 * 1024;
/** One body at a time: sixteen of 4 MB that arrive together would hold the thread for 0.3 s. */
const turns = new AccountTurns({ name: "large bodies", slots: 1 });

export const isLarge = (bytes: Buffer): boolean => bytes.length > largeBytes;

/**
 * Parses a large JSON body in a turn of its account, with one body in a turn of the event loop. The validation that
 * follows belongs to the turn. `resume` is called when the thread continues with this body.
 */
export async function parseInTurn(
  bytes: Buffer,
  account: string,
  resume: () => void,
): Promise<unknown> {
  const turn = await turns.take(account);
  await nextLoop();
  resume();
  const startedAt = performance.now();
  try {
    return parseBody(bytes);
  } finally {
    setImmediate(() => turn.end(performance.now() - startedAt));
  }
}
