import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import type { VictimKind } from "./attack.ts";

/** The time limit of a victim, in milliseconds. */
const patienceMs = 30_000;

export interface Caller {
  url: string;
  dashboards: string;
  key: string;
  /** The victim's own site, and its receiver of webhooks. */
  site: { url: string; delivered(path: string): Promise<void> };
  basic: string;
}

/** A dashboards login is limited by address: this one is not the attacker's. */
const ownAddress = new Agent({ localAddress: "127.0.0.2" });
let sent = 0;

async function ask(
  caller: Caller,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
): Promise<number> {
  const answer = await request(`${caller.url}${path}`, {
    method,
    headersTimeout: patienceMs,
    headers: {
      authorization: `Bearer ${caller.key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  await answer.body.dump();
  return answer.statusCode;
}

/** One good call of this kind; resolves with its status. */
export const calls: Record<VictimKind, (caller: Caller) => Promise<number>> = {
  social: (caller) => ask(caller, "GET", "/news-aggregator/items/40000001"),
  fetch: (caller) => ask(caller, "POST", "/web/fetch", { url: `${caller.site.url}/page` }),
  render: (caller) =>
    ask(caller, "POST", "/browser/html", { url: `${caller.site.url}/page`, timeout_ms: 20_000 }),
  markdown: (caller) =>
    ask(caller, "POST", "/browser/markdown", {
      url: `${caller.site.url}/page`,
      timeout_ms: 20_000,
    }),
  async event(caller) {
    const path = `/event-${++sent}`;
    const delivered = caller.site.delivered(path);
    const status = await ask(caller, "POST", "/jobs", {
      operation: "news_aggregator.items.get",
      input: { id: "40000001" },
      webhook_url: `${caller.site.url}${path}`,
    });
    if (status !== 202) return status;
    const timer = new AbortController();
    const late = sleep(patienceMs, 504, { signal: timer.signal });
    const ended = await Promise.race([delivered.then(() => 200), late]);
    timer.abort();
    late.catch(() => undefined);
    return ended;
  },
  async login(caller) {
    const answer = await request(`${caller.dashboards}/`, {
      dispatcher: ownAddress,
      headersTimeout: patienceMs,
      headers: { authorization: caller.basic },
    });
    await answer.body.dump();
    return answer.statusCode;
  },
};

export interface Seen {
  /** Times of the answered calls in milliseconds, ascending. */
  times: number[];
  sent: number;
  /** Statuses of the others; 0 without an answer. */
  others: Map<number, number>;
}

/** Sends one call each `everyMs` for `seconds`, however long each takes, and waits for the last answer. */
export async function sequence(
  call: () => Promise<number>,
  seconds: number,
  everyMs: number,
): Promise<Seen> {
  const seen: Seen = { times: [], sent: 0, others: new Map() };
  const startedAt = performance.now();
  const pending: Promise<void>[] = [];
  for (let at = 0; at < seconds * 1000; at += everyMs) {
    const wait = startedAt + at - performance.now();
    if (wait > 0) await sleep(wait);
    seen.sent += 1;
    pending.push(one(call, seen));
  }
  await Promise.all(pending);
  seen.times.sort((a, b) => a - b);
  return seen;
}

async function one(call: () => Promise<number>, seen: Seen): Promise<void> {
  const from = performance.now();
  const status = await call().catch(() => 0);
  if (status === 200) seen.times.push(performance.now() - from);
  else seen.others.set(status, (seen.others.get(status) ?? 0) + 1);
}

/** Repeats a call that is refused, as its caller would: beside an attack of its own account it may be over a limit. */
export async function patiently(call: () => Promise<number>, withinMs: number): Promise<number> {
  for (const end = performance.now() + withinMs; ; await sleep(250)) {
    const status = await call().catch(() => 0);
    if ((status !== 429 && status !== 503) || performance.now() > end) return status;
  }
}

export const at = (times: readonly number[], share: number): number =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
