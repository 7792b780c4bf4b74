import type { Redis } from "ioredis";
import { type TellsLeft, upstreamLeftKey } from "../../runtime/latency-histograms.ts";
import { lastCanaries } from "../../db/canaries.ts";
import { capacityHistory } from "../../db/capacity.ts";
import type { Database } from "../../db/client.ts";
import { standingControls } from "../../db/controls.ts";
import { busiestAccounts, costToday, usageToday, waitingWebhooks } from "../../db/status.ts";
import { plannedWork } from "../../db/work-list.ts";
import type { CapacityAnswer } from "../capacity/answer.ts";
import type { PoolSettings } from "../capacity/decide.ts";
import type { Reading } from "../metrics.ts";
import { type OpenDrift, readOpenDrift } from "../upstreams/drift.ts";
import { readHour } from "./calls.ts";
import type { StatusFacts } from "./facts.ts";
import { RecentRefusals } from "./recent.ts";
import { FirstSeen } from "./since.ts";
import { type Span, spans } from "./traffic.ts";
import type { Trouble } from "./trouble.ts";
import { troublesOf } from "./troubles.ts";

/** A reported remainder is of a window that ends: later it says nothing. */
const leftFreshMs = 5 * 60_000;

export interface StatusParts {
  redis: Redis;
  db: Database | undefined;
  settings: Readonly<Record<string, PoolSettings>>;
  /** The last computed capacity. */
  capacity: () => CapacityAnswer | undefined;
}

/** A trouble and the moment since which it is known. */
export interface DatedTrouble extends Trouble {
  at: number;
  /** It was there when the dashboards started. */
  orEarlier: boolean;
}

export interface Status {
  facts: StatusFacts;
  troubles: DatedTrouble[];
}

/** Follows what is wrong from look to look, so that the overview can say since when. */
export class StatusWatch {
  readonly #parts: StatusParts;
  /** Troubles that a reading of the queues shows, judged every few seconds. */
  readonly #seen = new FirstSeen();
  /** All others, judged when somebody opens the overview. */
  readonly #seenOthers = new FirstSeen();
  /** Followed from the start of the process on. */
  readonly refusals = new RecentRefusals();

  constructor(parts: StatusParts) {
    this.#parts = parts;
  }

  /** Takes one reading of the queues; undefined where Redis did not answer. */
  note(reading: Reading | undefined, now = Date.now()): void {
    if (reading) this.refusals.note(reading.published.totals, now);
    const keys = troublesOf(this.#facts(reading, now)).map(({ key }) => key);
    this.#seen.note(keys, now, !reading);
  }

  async read(reading: Reading | undefined, now: number, span: Span = "hour"): Promise<Status> {
    const { redis, db } = this.#parts;
    const [hour, reportedLeft, stored, history, changed] = await Promise.all([
      reading && readHour(redis, now).catch(() => undefined),
      reading ? readLeft(redis, now).catch(() => ({})) : {},
      this.#readStored(),
      db && capacityHistory(db, spans[span]).catch(() => undefined),
      reading ? readOpenDrift(redis).catch(none) : none(),
    ]);
    this.note(reading, now);
    const facts = {
      ...this.#facts(reading, now),
      hour,
      reportedLeft,
      stored,
      span,
      history,
      changed,
    };
    const troubles = troublesOf(facts);
    const others = troubles.map(({ key }) => key).filter((key) => !this.#seen.of(key));
    this.#seenOthers.note(others, now);
    const dated = troubles.map((one) => {
      const seen = this.#seen.of(one.key) ?? this.#seenOthers.of(one.key);
      return one.since === undefined
        ? { ...one, at: seen?.at ?? now, orEarlier: seen?.orEarlier ?? false }
        : { ...one, at: one.since, orEarlier: false };
    });
    return { facts, troubles: dated };
  }

  #facts(reading: Reading | undefined, now: number): StatusFacts {
    return {
      now,
      reading,
      hour: undefined,
      span: "hour",
      history: undefined,
      capacity: this.#parts.capacity(),
      settings: this.#parts.settings,
      refusals: this.refusals.list(),
      reportedLeft: {},
      changed: none(),
      stored: "absent",
    };
  }

  async #readStored(): Promise<StatusFacts["stored"]> {
    const { db } = this.#parts;
    if (!db) return "absent";
    try {
      const [controls, today, busiest, cost, webhooks, canaries, planned] = await Promise.all([
        standingControls(db),
        usageToday(db),
        // An hour of very many calls is no reason to say that Postgres does not answer.
        busiestAccounts(db).catch(() => undefined),
        costToday(db),
        waitingWebhooks(db),
        lastCanaries(db),
        plannedWork(db),
      ]);
      return { controls, today, busiest, cost, webhooks, canaries, planned };
    } catch {
      return "away";
    }
  }
}

const none = () => new Map<string, OpenDrift>();

async function readLeft(redis: Redis, now: number): Promise<Record<string, number>> {
  const stored = await redis.hgetall(upstreamLeftKey);
  return Object.fromEntries(
    Object.entries(stored).flatMap(([upstream, text]) => {
      try {
        const { left, at } = JSON.parse(text) as TellsLeft;
        return now - at < leftFreshMs ? [[upstream, left]] : [];
      } catch {
        return [];
      }
    }),
  );
}
