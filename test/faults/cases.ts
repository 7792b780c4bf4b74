import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { heartbeatKey, queueOf, queuePrefix } from "../../runtime/redis/keys.ts";
import { pools } from "../../contract/operation.ts";
import {
  type Answer,
  type Envelope,
  type ErrorEnvelope,
  Gateway,
  type Process,
  until,
} from "../gateway.ts";
import type { Origin } from "../origin.ts";
import type { SpawnedSimulator } from "../upstream/spawn.ts";
import { besideMs } from "./full.ts";
import { inLanes } from "./traffic.ts";

/** Cases that run twice: on the unmodified gateway, and with a guard left out, where they fail. */

export interface Pages {
  gateway: Gateway;
  origin: Origin;
}

/** Requests a page of the origin. */
export const render = (
  { gateway, origin }: Pages,
  key: string,
  path: string,
  options: {
    idempotencyKey?: string | undefined;
    route?: string;
    signal?: AbortSignal;
    url?: string;
    timeoutMs?: number;
  } = {},
) =>
  gateway.call<Envelope & ErrorEnvelope>(key, "POST", options.route ?? "/browser/html", {
    body: {
      url: origin.url + path,
      ...(options.timeoutMs ? { timeout_ms: options.timeoutMs } : {}),
    },
    ...(options.idempotencyKey === undefined
      ? {}
      : { headers: { "Idempotency-Key": options.idempotencyKey } }),
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.url ? { url: options.url } : {}),
  });

const newPath = () => `/${randomUUID()}`;

/** Case 1. */
export async function sameKeyTwice(pages: Pages): Promise<void> {
  const { gateway, origin } = pages;
  const { key, accountId } = await gateway.key({ credits: 10 });
  const path = newPath();
  const first = await render(pages, key, path, { idempotencyKey: "one" });
  const second = await render(pages, key, path, { idempotencyKey: '"one"' });
  expect(first.status, first.text).toBe(200);
  expect(second.status, second.text).toBe(200);
  expect(await gateway.balance(accountId), "one charge").toEqual({ balance: 9, held: 0 });
  expect(origin.visits(path), "one upstream call").toBe(1);
  expect(first.headers.get("idempotency-replayed")).toBeNull();
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  expect(second.text).toBe(first.text);
  expect(second.headers.get("svc-request-id")).toBe(first.body.request_id);
}

/** Case 3, alternating between all API processes of the gateway. */
export async function fiftyConcurrentRetries(pages: Pages): Promise<void> {
  const { gateway, origin } = pages;
  const { key, accountId } = await gateway.key({ credits: 100 });
  const path = newPath();
  const urls = gateway.apis.map((api) => api.url);
  // Opens the connections of a process that has just started.
  for (const url of urls) await gateway.call(key, "GET", "/account", { url });
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      render(pages, key, `${path}?ms=1500`, {
        idempotencyKey: "three",
        timeoutMs: 20_000,
        url: urls[index % urls.length] as string,
      }),
    ),
  );
  expect(await gateway.balance(accountId), "one charge").toEqual({ balance: 99, held: 0 });
  expect(origin.visits(path), "one upstream call").toBe(1);
  const others = answers.filter((answer) => answer.status !== 200);
  expect(others.map((answer) => answer.text)).toEqual([]);
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  const replayed = answers.filter(
    (answer) => answer.headers.get("idempotency-replayed") === "true",
  );
  expect(replayed).toHaveLength(49);
}

/** Points at which an API process may die in case 4. */
export const points = [
  "after_reserve",
  "after_enqueue",
  "after_result",
  "after_settle",
  "before_write",
] as const;

/** Case 4. */
export async function diesAt(pages: Pages, point: (typeof points)[number]): Promise<void> {
  const { gateway, origin } = pages;
  const { key, accountId } = await gateway.key({ credits: 10 });
  const [steady] = gateway.apis;
  const doomed = await gateway.startApi({ FAULT_POINT: point });
  const path = newPath();
  const idempotencyKey = `four-${point}`;
  await expect(render(pages, key, path, { idempotencyKey, url: doomed.url })).rejects.toThrow();
  expect(await doomed.process.ended).toBe("SIGKILL");
  gateway.apis.splice(gateway.apis.indexOf(doomed), 1);

  const answer = await render(pages, key, path, { idempotencyKey, url: steady?.url as string });
  expect(answer.status, answer.text).toBe(200);
  expect(await gateway.balance(accountId), "one charge").toEqual({ balance: 9, held: 0 });
  expect(origin.visits(path), "one upstream call").toBe(1);
  if (point === "after_settle" || point === "before_write") {
    expect(answer.headers.get("idempotency-replayed")).toBe("true");
  }
}

/** Case 7, on two API processes: a single one reserves its calls one batch after the other. */
export async function concurrentSpend(gateway: Gateway): Promise<void> {
  if (gateway.apis.length < 2) await gateway.startApi();
  const urls = gateway.apis.map((api) => api.url);
  const { key, accountId } = await gateway.key({ credits: 50 });
  const answers: Answer<Envelope & ErrorEnvelope>[] = [];
  // As many as the account may have in flight and begin within a second.
  await inLanes(40, 20, async (index) => {
    const path = `/shortclip/search?q=spend&limit=${1 + (index % 5)}`;
    answers.push(await gateway.call(key, "GET", path, { url: urls[index % 2] as string }));
  });
  const charged = answers
    .filter((answer) => answer.status === 200)
    .reduce((sum, answer) => sum + answer.body.billing.credits_charged, 0);
  const { balance, held } = await gateway.balance(accountId);
  expect(charged + balance, "charged and left").toBe(50);
  expect(balance, "left").toBeGreaterThanOrEqual(0);
  expect(held).toBe(0);
  const refused = answers.filter((answer) => answer.status === 402);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    expect(answer.body.error.billing?.credits_required).toBe(1);
    expect(answer.body.error.billing?.balance_remaining).toBe(0);
  }
  const others = answers.filter((answer) => ![200, 402].includes(answer.status));
  expect(others.map((answer) => answer.text)).toEqual([]);
}

export const backlinksPath = "/v3/backlinks/backlinks/live";

/** One call of a provider without a concurrency limit. */
export const backlinks = (
  gateway: Gateway,
  key: string,
  target: string,
  options: { url?: string; signal?: AbortSignal; headers?: Record<string, string> } = {},
) =>
  gateway.call<Envelope & ErrorEnvelope>(key, "POST", "/seo/backlinks/list", {
    body: { target: `${target}.example.com`, limit: 1 },
    ...options,
  });

/** Environment that makes `backlinks` reach the simulator. */
export const backlinksEnv = (upstream: SpawnedSimulator) => ({
  DATAFORSEO_BASE_URL: upstream.url,
  DATAFORSEO_LOGIN: "sample",
  DATAFORSEO_PASSWORD: "sample",
  DATAFORSEO_CALLS_PER_MINUTE: "1000000",
  WORKER_SLOTS: "600",
});

/**
 * Case 13: no hint is sent, no process could receive one, and the event streams are trimmed
 * constantly.
 */
export async function withoutHints(
  gateway: Gateway,
  redis: Redis,
  upstream: SpawnedSimulator,
  inFlight: number,
  withinMs: number,
): Promise<{ slowestMs: number }> {
  const keys = await gateway.keys(Math.ceil(inFlight / 20), { credits: inFlight });
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "delay", ms: 4000 } });
  await redis.call("ACL", "SETUSER", "default", "-publish");
  const quiet = setInterval(() => {
    void redis.call("CLIENT", "KILL", "TYPE", "pubsub").catch(() => undefined);
    for (const pool of pools) void redis.xtrim(`gateway:${pool}:events`, "MAXLEN", 0);
  }, 20);
  try {
    const startedAt = Date.now();
    const pending = Array.from({ length: inFlight }, async (_, index) => {
      const { key = "" } = keys[index % keys.length] ?? {};
      const answer = backlinks(gateway, key, `hint${index}`);
      const got = await Promise.race([answer, sleep(withinMs)]);
      return { status: got?.status ?? "no answer", text: got?.text, ms: Date.now() - startedAt };
    });
    const all = Promise.all(pending);
    const areThere = async () => (await upstream.calls(backlinksPath)).length === inFlight;
    await Promise.race([until(areThere, withinMs), all]);
    const answers = await all;
    const refused = answers.filter(({ status }) => status !== 200);
    expect(
      refused.length,
      `calls without an answer, the first: ${JSON.stringify(refused[0])}`,
    ).toBe(0);
    return { slowestMs: Math.max(...answers.map(({ ms }) => ms)) };
  } finally {
    clearInterval(quiet);
    await redis.call("ACL", "SETUSER", "default", "+publish");
    await upstream.reset();
  }
}

/** Case 16: the killed worker's own job, and one charge. No other page may be running before `killed`. */
export async function takenOver(
  pages: Pages,
  { timeoutMs = 40_000, killed = () => {} }: { timeoutMs?: number; killed?: () => void } = {},
): Promise<{ ms: number }> {
  const { gateway, origin } = pages;
  const { key, accountId } = await gateway.key({ credits: 10 });
  // Both workers run before the job arrives, so none of its time is spent on a start.
  await gateway.startWorker({ WORKER_POOLS: "browser" });
  const path = newPath();
  const release = origin.hold(path);
  const [api] = gateway.apis;
  const pending = render(pages, key, path, { timeoutMs, url: api?.url as string });
  await until(() => origin.visits(path) === 1);
  const holder = await workerWithAJob(gateway);
  gateway.workers.splice(gateway.workers.indexOf(holder), 1);
  await holder.kill("SIGKILL");
  const killedAt = Date.now();
  killed();
  release();
  const answer = await pending;
  const ms = Date.now() - killedAt;
  expect(answer.status, answer.text).toBe(200);
  expect(ms).toBeLessThan(15_000 + besideMs);
  expect(origin.visits(path), "started twice").toBe(2);
  expect(await gateway.balance(accountId), "one charge").toEqual({ balance: 9, held: 0 });
  return { ms };
}

/** The worker of the pool "browser" that holds the lock of its only job. */
async function workerWithAJob(gateway: Gateway): Promise<Process> {
  const redis = new Redis(gateway.redis.url);
  try {
    const [lock = ""] = await redis.keys(`${queuePrefix}:${queueOf("browser")}:*:lock`);
    const [workerId = ""] = ((await redis.get(lock)) ?? "").split(":");
    const beats = await redis.hkeys(heartbeatKey("browser"));
    const holder = gateway.workers.find(({ child }) =>
      beats.some((beat) => beat.endsWith(`-${child.pid}-${workerId}`)),
    );
    if (!holder || workerId === "") throw new Error(`no worker holds ${lock}`);
    return holder;
  } finally {
    redis.disconnect();
  }
}
