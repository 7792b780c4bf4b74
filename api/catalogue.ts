import type * as z from "zod";
import type { catalogueData } from "../contract/account.ts";
import { crawlOperations } from "../contract/crawl-operations.ts";
import { evidenceHere, recordingsOf } from "../contract/evidence.ts";
import type { Operation } from "../contract/operation.ts";
import type { Database } from "../db/client.ts";
import { readVerifications } from "../db/verifications.ts";
import type { Here } from "./docs/availability.ts";
import { monotonicNow } from "../runtime/monotonic.ts";

const freshMs = 60_000;

/** The list of operations as JSON, the same for every caller. Dates of `gateway verify` are read once a minute. */
export class Catalogue {
  readonly #operations: readonly Operation[];
  readonly #db: Database;
  #json: Buffer = Buffer.alloc(0);
  /** The entries change with it. */
  #state = "";
  #workedAt: ReadonlyMap<string, Date | null> = new Map();
  /** Counts the readings of the dates. */
  #version = 0;
  #readAt = -Infinity;
  #first: Promise<void> | undefined;

  constructor(operations: readonly Operation[], db: Database) {
    this.#operations = operations;
    this.#db = db;
  }

  async read({ availabilityOf }: Pick<Here, "availabilityOf">): Promise<Buffer> {
    await this.#current();
    const available = this.#operations.map((op) => {
      const availability = availabilityOf(op);
      return availability === "unknown" ? undefined : availability === "available";
    });
    const state = `${this.#version} ${available.join()}`;
    if (state !== this.#state) {
      this.#json = this.#entries(available);
      this.#state = state;
    }
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
    this.#version += 1;
  }

  #entries(available: readonly (boolean | undefined)[]): Buffer {
    const workedAt = this.#workedAt;
    const entries = this.#operations.map((op, index): z.output<typeof catalogueData>[number] => ({
      id: op.id,
      area: op.area,
      method: op.method,
      path: op.path,
      summary: op.summary,
      paginated: op.paginated,
      ...(crawlOperations.has(op.id) ? { asynchronous: true as const } : {}),
      credits_per_record: 1,
      minimum_credits: op.minimum,
      available: available[index],
      evidence: {
        summary: evidenceHere(op, workedAt.get(op.id)),
        verified_at: workedAt.get(op.id)?.toISOString() ?? null,
        recorded_answers: recordingsOf(op).length,
      },
    }));
    return Buffer.from(JSON.stringify(entries));
  }
}
