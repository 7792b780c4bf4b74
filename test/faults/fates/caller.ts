import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, type Envelope, type ErrorEnvelope, type Line, until } from "../../gateway.ts";
import type { Account, Lane } from "./lane.ts";

/** One caller of a flow, with an account of its own: asks, insists, and reads what the books say. */

/** A request has an answer by then, whatever becomes of a round trip. */
const answeredMs = 75_000;
/** No job, batch or delivery of an account stays open for longer, on a machine that other lanes or files load. */
export const settledMs = 65_000;

/** Between two looks at what is open: each costs two processes a millisecond, in lanes that wait most of the time. */
const leastPauseMs = 50;
const mostPauseMs = 400;

export type Told<D = unknown> = Answer<Envelope<D> & ErrorEnvelope>;

export interface Asked {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** The API process that is asked; without it any. */
  url?: string;
}

interface Open {
  jobs: number;
  batches: number;
  deliveries: number;
  /** Credits that are held after the deadline and its grace. */
  holds: number;
}

/** Something that a caller was told, or waits for, is not so. */
export class Untrue extends Error {}

export function claim(holds: boolean, what: string): void {
  if (!holds) throw new Untrue(what.slice(0, 600));
}

export class Caller {
  readonly lane: Lane;
  readonly key: string;
  readonly keyId: string;
  readonly accountId: number;

  constructor(lane: Lane, { key, keyId, accountId }: Account) {
    this.lane = lane;
    this.key = key;
    this.keyId = keyId;
    this.accountId = accountId;
  }

  /** One request; undefined where its connection ended without an answer. */
  async ask<D>({
    method = "GET",
    path,
    body,
    headers = {},
    url,
  }: Asked): Promise<Told<D> | undefined> {
    const signal = AbortSignal.timeout(answeredMs);
    try {
      return await this.lane.gateway.call<Envelope<D> & ErrorEnvelope>(this.key, method, path, {
        ...(body === undefined ? {} : { body }),
        headers,
        signal,
        url: url ?? this.lane.url,
      });
    } catch {
      claim(!signal.aborted, `${method} ${path} has no answer after ${answeredMs} ms`);
      return undefined;
    }
  }

  /** Repeats a request until it is answered and not refused for a while. */
  async insist<D>(asked: Asked): Promise<Told<D>> {
    const end = Date.now() + answeredMs;
    for (;;) {
      const told = await this.ask<D>(asked);
      if (told !== undefined && told.status !== 503 && told.status !== 429) return told;
      claim(Date.now() < end, `${asked.path} is refused for ${answeredMs} ms: ${told?.text}`);
      await sleep(200);
    }
  }

  /** The lines of a batch that has ended. */
  results(id: string): Promise<Line[]> {
    return this.lane.gateway.results(this.key, id, "", this.lane.url);
  }

  /** Lets processes work by themselves until the chosen round trip has occurred, for so long at most. */
  async idle(mostMs: number): Promise<void> {
    await until(() => this.lane.relays.isReached, mostMs).catch(() => undefined);
  }

  /** Waits until all processes run and nothing of the account is open. */
  async settled(): Promise<void> {
    await this.lane.recovered();
    const end = Date.now() + settledMs;
    for (let pauseMs = leastPauseMs; ; pauseMs = Math.min(mostPauseMs, 1.5 * pauseMs)) {
      const open = await this.#open();
      if (Object.values(open).every((count) => count === 0)) return;
      claim(Date.now() < end, `open after ${settledMs} ms: ${JSON.stringify(open)}`);
      await sleep(pauseMs);
    }
  }

  /** Settled calls of the account, and their credits. */
  async charges(): Promise<{ settles: number; credits: number }> {
    const [row] = await this.lane.gateway.db.sql<{ settles: number; credits: number }[]>`
      select count(*)::int as settles, coalesce(sum(s.credits), 0)::int as credits
      from settlements s join holds h on h.id = s.hold_id where h.account_id = ${this.accountId}`;
    return row as { settles: number; credits: number };
  }

  jobs(): Promise<{ id: string; state: string }[]> {
    return this.lane.gateway.db.sql`
      select request_id as id, state from jobs where account_id = ${this.accountId}`;
  }

  batches(): Promise<{ id: string; state: string; total: number; succeeded: number }[]> {
    return this.lane.gateway.db.sql`
      select public_id as id, state, total, succeeded from batches
      where account_id = ${this.accountId}`;
  }

  async #open(): Promise<Open> {
    const [row] = await this.lane.gateway.db.sql<Open[]>`
      select (select count(*)::int from jobs
          where account_id = ${this.accountId} and state in ('queued', 'running')) as jobs,
        (select count(*)::int from batches
          where account_id = ${this.accountId} and ended_at is null) as batches,
        (select count(*)::int from webhook_deliveries d
          join webhook_events e on e.id = d.event_id
          where e.account_id = ${this.accountId} and d.state in ('pending', 'sending')) as deliveries,
        (select count(*)::int from holds where account_id = ${this.accountId} and state = 'open'
          and deadline < clock_timestamp() - interval '3 seconds') as holds`;
    return row as Open;
  }
}
