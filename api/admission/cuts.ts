import type { IncomingMessage } from "node:http";
import { partHeader } from "../../contract/choose.ts";
import { GatewayError } from "../../contract/errors.ts";
import { type Caller, ownerName } from "../auth.ts";
import { Rates } from "./rates.ts";

/** Megabytes of kept answers: so many at once, then so many a second. */
const atOnce = 96;
const perSecond = 8;
const megabyte = 1024 * 1024;

type Who = Pick<Caller, "accountId" | "mode">;

/**
 * Kept answers of which a part is returned. The whole is read and parsed, 10 ms a megabyte, and may be asked
 * for again at no charge: nothing but this bounds it, as a small answer is soon written.
 */
export class Cuts {
  readonly #rates: Rates;

  constructor(rates = new Rates()) {
    this.#rates = rates;
  }

  /** Milliseconds until there is room; 0 when there is. */
  waitMs(who: Who): number {
    return this.#rates.waitMs(ownerName(who), perSecond, atOnce);
  }

  /** Counts an answer before it is read; throws where its caller has had too much cut. Small ones are not counted. */
  take(who: Who, bytes: number): void {
    const megabytes = Math.floor(bytes / megabyte);
    if (megabytes === 0) return;
    const name = ownerName(who);
    const waitMs = this.waitMs(who);
    if (waitMs > 0) {
      const message = "Parts of large answers are asked for too fast; ask for the whole";
      throw new GatewayError("rate_limited", message, { retryAfter: Math.ceil(waitMs / 1000) });
    }
    for (let count = 0; count < megabytes; count += 1) this.#rates.take(name, perSecond, atOnce);
  }
}

/** Whether less than the whole answer is returned, or kept by who asks. */
export const isPart = ({ headers }: IncomingMessage, fields: readonly string[] | undefined) =>
  fields !== undefined || [partHeader, "svc-fields"].some((name) => headers[name] !== undefined);
