import type * as z from "zod";
import type { catalogueData } from "../contract/account.ts";
import { crawlOperations } from "../contract/crawl-operations.ts";
import { evidenceHere, recordingsOf } from "../contract/evidence.ts";
import type { Operation } from "../contract/operation.ts";
import type { Database } from "../db/client.ts";
import { readVerifications } from "../db/verifications.ts";
import { monotonicNow } from "../runtime/monotonic.ts";

const freshMs = 60_000;

/** The list of operations as JSON, the same for every caller. Dates of `gateway verify` are read once a minute. */
export class Catalogue {
  readonly #operations: readonly Operation[];
  readonly #db: Database;
  #json: Buffer;
  #workedAt: ReadonlyMap<string, Date | null> = new Map();
  #readAt = -Infinity;
  #first: Promise<void> | undefined;

  constructor(operations: readonly Operation[], db: Database) {
    this.#operations = operations;
    this.#db = db;
    this.#json = this.#entries(this.#workedAt);
  }

  async read(): Promise<Buffer> {
    await this.#current();
    return this.#json;
  }

  /** Operation id -> when it last worked for `gateway verify`. */
  async workedAt(): Promise<ReadonlyMap<string, Date | null>> {
    await this.#current();
    return this.#workedAt;
  }

  async #current(): Promise<void> {
    if (monotonicNow() - this.#readAt > freshMs) {
      this.#readAt = monotonicNow();
      const refreshed = this.#refresh();
      this.#first ??= refreshed;
    }
    await this.#first;
  }

  /** Without the database the list keeps the dates that it has. */
  async #refresh(): Promise<void> {
    const rows = await readVerifications(this.#db).catch(() => undefined);
    if (!rows) return;
    this.#workedAt = new Map(rows.map((row) => [row.operation, row.workedAt]));
    this.#json = this.#entries(this.#workedAt);
  }

  #entries(workedAt: ReadonlyMap<string, Date | null>): Buffer {
    const entries = this.#operations.map((op): z.output<typeof catalogueData>[number] => ({
      id: op.id,
      area: op.area,
      method: op.method,
      path: op.path,
      summary: op.summary,
      paginated: op.paginated,
      ...(crawlOperations.has(op.id) ? { asynchronous: true as const } : {}),
      credits_per_record: 1,
      minimum_credits: op.minimum,
      evidence: {
        summary: evidenceHere(op, workedAt.get(op.id)),
        verified_at: workedAt.get(op.id)?.toISOString() ?? null,
        recorded_answers: recordingsOf(op).length,
      },
    }));
    return Buffer.from(JSON.stringify(entries));
  }
}
