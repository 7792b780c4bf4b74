import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { operationsOf } from "../../contract/dependencies.ts";
import { evidenceHere } from "../../contract/evidence.ts";
import type { Operation, Pool } from "../../contract/operation.ts";
import { upstreamNames } from "../../runtime/controls.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { type UpstreamAccess, upstreamAccessKey } from "../../runtime/upstreams.ts";

/**
 * Whether an operation answers live calls at this gateway, and why not. Nothing here names an upstream or a
 * variable: the pages need no key.
 */
export type Availability = "available" | "no_credential" | "stopped" | "no_worker" | "unknown";

export const availabilityText: Readonly<Record<Availability, string>> = {
  available: "available, with live and with test keys",
  no_credential:
    "not with a live key, because this gateway has no account at the provider; test keys work",
  stopped: "not at the moment, because the operator has stopped it",
  no_worker: "not at the moment, because no worker runs for it",
  unknown: "not known at the moment",
};

/** Availability and evidence of operations in this installation, read at one moment. */
export interface Here {
  availabilityOf(op: Operation): Availability;
  evidenceOf(op: Operation): string;
}

export interface AvailabilityParts {
  redis: Pick<Redis, "hgetall">;
  controls?: {
    isOff(kind: "operation" | "upstream", target: string): boolean;
    stops(pool: Pool): boolean;
  };
  workersOf: (pool: Pool) => number;
  /** When each operation last worked for `gateway verify`. */
  workedAt(): Promise<ReadonlyMap<string, Date | null>>;
}

const freshMs = 3_000;
const mostWaitMs = 500;

/** The upstreams that each operation asks; none for one that renders pages or only computes. */
const upstreamsOf = new Map<string, string[]>();
for (const name of upstreamNames) {
  for (const id of operationsOf(name)) {
    const known = upstreamsOf.get(id) ?? [];
    known.push(name);
    upstreamsOf.set(id, known);
  }
}

export class HereReader {
  readonly #parts: AvailabilityParts;
  #access: Readonly<Record<string, UpstreamAccess>> = {};
  #worked: ReadonlyMap<string, Date | null> = new Map();
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(parts: AvailabilityParts) {
    this.#parts = parts;
  }

  /** Never rejects, and waits for half a second: without an answer of a store its last one counts. */
  async read(): Promise<Here> {
    await this.#refresh();
    return {
      availabilityOf: (op) => this.#availabilityOf(op),
      evidenceOf: (op) => evidenceHere(op, this.#worked.get(op.id)),
    };
  }

  async #refresh(): Promise<void> {
    if (monotonicNow() - this.#readAt < freshMs) return;
    this.#reading ??= this.#readBoth().finally(() => {
      this.#readAt = monotonicNow();
      this.#reading = undefined;
    });
    const wait = new AbortController();
    const late = sleep(mostWaitMs, undefined, wait).catch(() => undefined);
    await Promise.race([this.#reading, late]);
    wait.abort();
  }

  async #readBoth(): Promise<void> {
    await Promise.allSettled([
      this.#parts.redis.hgetall(upstreamAccessKey).then((reports) => {
        this.#access = Object.fromEntries(
          Object.entries(reports).map(([name, json]) => [name, JSON.parse(json) as UpstreamAccess]),
        );
      }),
      this.#parts.workedAt().then((worked) => (this.#worked = worked)),
    ]);
  }

  #availabilityOf(op: Operation): Availability {
    const { controls, workersOf } = this.#parts;
    if (controls?.stops(op.pool) || controls?.isOff("operation", op.id)) return "stopped";
    if (workersOf(op.pool) === 0) return "no_worker";
    const names = upstreamsOf.get(op.id) ?? [];
    if (names.length === 0) return "available";
    const open = names.filter((name) => !controls?.isOff("upstream", name));
    if (open.length === 0) return "stopped";
    // Several upstreams of an operation stand in for each other.
    const reports = open.flatMap((name) => this.#access[name] ?? []);
    if (reports.some(({ missing }) => missing.length === 0)) return "available";
    return reports.length > 0 ? "no_credential" : "unknown";
  }
}
