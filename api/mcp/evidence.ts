import { monotonicNow } from "../../runtime/monotonic.ts";
import type { Ask } from "./gateway.ts";

const freshMs = 60_000;

/**
 * The evidence of one installation's operations, which has the dates on which they last worked. It is the same for
 * every caller, and read once a minute: the list of operations is 300 KB.
 */
export class Evidence {
  #summaries: Promise<ReadonlyMap<string, string>> | undefined;
  #readAt = -Infinity;

  /** Undefined without an answer; the next description asks again. */
  async of(operation: string, ask: Ask): Promise<string | undefined> {
    if (monotonicNow() - this.#readAt > freshMs) {
      this.#readAt = monotonicNow();
      this.#summaries = read(ask);
      this.#summaries.catch(() => (this.#readAt = -Infinity));
    }
    return this.#summaries?.then(
      (known) => known.get(operation),
      () => undefined,
    );
  }
}

async function read(ask: Ask): Promise<ReadonlyMap<string, string>> {
  const { body } = await ask("GET", "/operations");
  const all = body.data as { id: string; evidence: { summary: string } }[];
  return new Map(all.map(({ id, evidence }) => [id, evidence.summary]));
}
