import { Redis } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Gateway, until } from "../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { backlinks, backlinksEnv, backlinksPath } from "./cases.ts";
import { besideMs, full } from "./full.ts";
import { type Sent, counted, percentile, timed, traffic } from "./traffic.ts";

/** The effect on calls of a Redis that is cut off, restarted, frozen or full. */

const ownMs = 200;
const away = "The service is not available right now";

let upstream: SpawnedSimulator;
let gateway: Gateway;
let redis: Redis;
beforeAll(async () => {
  upstream = await spawnSimulator();
  gateway = await Gateway.start({ pools: "seo", env: backlinksEnv(upstream) });
  redis = new Redis(gateway.redis.url, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined);
});
afterEach(async () => {
  await upstream.reset();
  expect(await gateway.violationsAfterAnswers()).toEqual([]);
});
afterAll(async () => {
  redis?.disconnect();
  await gateway?.stop();
  await upstream?.stop();
});

const takes = (ms: number) =>
  upstream.play(backlinksPath, { faults: [], rest: { kind: "delay", ms } });
const holds = () => upstream.play(backlinksPath, { faults: [], rest: { kind: "hold" } });

/** Waits until the provider has received this many targets of a name. */
const running = (name: string, count: number) =>
  until(async () => {
    const received = await upstream.calls(backlinksPath);
    return (
      received.filter(({ body }) => JSON.stringify(body).includes(`"${name}`)).length === count
    );
  });

/**
 * Calls of several callers in turn, so that none exceeds its limits, even when answers are late.
 */
async function callers(): Promise<(index: number) => string> {
  const keys = await gateway.keys(24, { credits: 10_000 });
  return (index) => (keys[index % keys.length] as { key: string }).key;
}

const batch = (key: string, name: string, count: number): Promise<Sent[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      timed(() => backlinks(gateway, key, `${name}${index}`)),
    ),
  );

const otherThan = (sent: readonly Sent[], ...statuses: number[]) =>
  sent.filter(({ status }) => !statuses.includes(status));

/** An accepted call is answered; only one refused on arrival may be 503. */
function expectRefusalsInTime(sent: readonly Sent[]): void {
  const refused = sent.filter(({ status }) => status === 503);
  expect(refused.filter(({ message }) => message !== away)).toEqual([]);
  expect(refused.filter(({ ms }) => ms > 2500 + besideMs)).toEqual([]);
}

test("case 11: connections cut every 0.7 s lose no call", async () => {
  const load = full ? { perSecond: 100, seconds: 15 } : { perSecond: 15, seconds: 4 };
  const calmLoad = full ? load : { ...load, seconds: 2 };
  await takes(ownMs);
  const key = await callers();
  const calm = await traffic(calmLoad, (index) => backlinks(gateway, key(index), `calm${index}`));
  const everyMs = 700;
  let cutting = true;
  const cuts = (async () => {
    while (cutting) {
      await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").catch(() => undefined);
      await sleep(everyMs);
      // A machine that takes longer to connect would never have a connection.
      if (!full) await until(async () => / name=api /.test(String(await redis.client("LIST"))));
    }
  })();
  const cut = await traffic(load, (index) => backlinks(gateway, key(index), `cut${index}`));
  cutting = false;
  await cuts;
  const [usual, late] = [calm, cut].map((sent) =>
    percentile(
      sent.map(({ ms }) => ms),
      0.99,
    ),
  ) as [number, number];
  console.log(
    `case 11: ${counted(cut)} at ${load.perSecond}/s; p99 ${late} ms, undisturbed ${usual} ms`,
  );
  expect(otherThan(calm, 200)).toEqual([]);
  // A slowly connecting machine refuses a few calls on arrival; none is lost.
  expect(otherThan(cut, 200, ...(full ? [] : [503]))).toEqual([]);
  expectRefusalsInTime(cut);
  // Beside other tests a statement may take longer than a connection lasts.
  expect(otherThan(cut, 503).length).toBeGreaterThan(cut.length * (full ? 0.8 : 0.3));
  expect(late).toBeLessThanOrEqual(usual + 2000 + besideMs);
});

test("case 12: a Redis that restarts under load answers accepted calls and refuses the rest in time", async () => {
  await takes(ownMs);
  const key = await callers();
  const outages: { from: number; to: number }[] = [];
  let last = Infinity;
  // The load continues after the last return, however long the server takes to start.
  const load = {
    perSecond: full ? 50 : 15,
    goesOn: () => Date.now() < last + (full ? 5000 : 4000),
  };
  const sending = traffic(load, (index) => backlinks(gateway, key(index), `restart${index}`));
  for (let round = 0; round < (full ? 3 : 1); round += 1) {
    await sleep(full ? 4000 : 1500);
    const from = Date.now();
    await gateway.redis.shutdown();
    await sleep(full ? 3000 : 1000);
    await gateway.redis.restart();
    outages.push({ from, to: Date.now() });
  }
  const back = outages.map(({ to }) => to);
  if (!full)
    await until(async () => (await backlinks(gateway, key(0), "restarted")).status === 200);
  last = full ? (back.at(-1) as number) : Date.now();
  const sent = await sending;
  expect(otherThan(sent, 200, 503)).toEqual([]);
  expectRefusalsInTime(sent);
  const good = sent.filter(({ status }) => status === 200);
  // Calls that met an outage: the time from its end to their answer.
  const waited = good.flatMap(({ from, to }) => {
    const ended = back.findLast((at) => at <= to);
    return ended !== undefined && from < ended ? [to - ended] : [];
  });
  console.log(
    `case 12: ${counted(sent)}; ${waited.length} answered after a return, the last ${Math.max(0, ...waited)} ms after it; ` +
      `slowest refusal ${Math.max(0, ...sent.filter((one) => one.status === 503).map((one) => one.ms))} ms`,
  );
  expect(waited.length).toBeGreaterThan(0);
  expect(waited.filter((ms) => ms > 3000 + ownMs + besideMs)).toEqual([]);
  // Start of normal service, which has its bound above; a busy machine takes longer to connect.
  const answeredAgain = (to: number) =>
    full ? to : Math.min(...good.flatMap((one) => (one.from > to ? [one.to] : [])));
  // Callers before and after the outages are not refused because of them.
  const beside = sent.filter(({ from }) =>
    outages.every((one) => from < one.from - 1000 || from > answeredAgain(one.to) + 1500),
  );
  const answered = beside.filter(({ status }) => status === 200);
  expect(answered.length).toBeGreaterThan(beside.length * 0.9);
  expect(beside.length).toBeGreaterThan(load.perSecond * (full ? 3 : 1));
});

test("case 14: a frozen Redis refuses new calls in time and loses no old ones", async () => {
  // Longer than the lease of a job.
  const frozenMs = full ? 8000 : 6500;
  await holds();
  const { key } = await gateway.key({ credits: 1000 });
  const before = batch(key, "frozen", 20);
  await running("frozen", 20);
  process.kill(gateway.redis.pid as number, "SIGSTOP");
  const thawsAt = Date.now() + frozenMs;
  await upstream.release();
  const during: Sent[] = [];
  for (let round = 0; round < (full ? 3 : 2); round += 1)
    during.push(...(await batch(key, `new${round}`, 5)));
  await sleep(Math.max(0, thawsAt - Date.now()));
  process.kill(gateway.redis.pid as number, "SIGCONT");
  console.log(
    `case 14: slowest refusal ${Math.max(...during.map(({ ms }) => ms))} ms of ${counted(during)}`,
  );
  expect(otherThan(during, 503)).toEqual([]);
  expectRefusalsInTime(during);
  expect(otherThan(await before, 200)).toEqual([]);
  await takes(0);
  expect((await backlinks(gateway, key, "thawed")).status).toBe(200);
});

test("case 15: a full Redis refuses new calls, loses no old ones and recovers by itself", async () => {
  const fullMs = full ? 10_000 : 2500;
  await holds();
  const { key } = await gateway.key({ credits: 1000 });
  const other = await gateway.key({ credits: 1000 });
  const runs = batch(key, "runs", 10);
  await running("runs", 10);
  // These calls are in the queue when Redis is full, and start then.
  const [worker] = gateway.workers;
  worker?.child.kill("SIGSTOP");
  const waits = batch(key, "waits", 10);
  const queued = () =>
    Promise.all([redis.llen("gateway:seo:wait"), redis.zcard("gateway:seo:prioritized")]);
  await until(async () => (await queued()).reduce((sum, count) => sum + count) === 10);
  await redis.config("SET", "maxmemory", "10kb");
  await takes(ownMs);
  await upstream.release();
  worker?.child.kill("SIGCONT");
  const during: Sent[] = [];
  const end = Date.now() + fullMs;
  while (Date.now() < end) {
    during.push(...(await batch(other.key, `refused${during.length}`, 5)));
    // Immediate refusals would let them exceed their account's rate.
    await sleep(100);
  }
  await redis.config("SET", "maxmemory", "0");
  const freedAt = Date.now();
  expect(otherThan(during, 503)).toEqual([]);
  expectRefusalsInTime(during);
  await takes(0);
  while ((await backlinks(gateway, other.key, "room")).status !== 200) await sleep(100);
  const normal = Date.now() - freedAt;
  const old = [...(await runs), ...(await waits)];
  const last = Math.max(...old.map(({ to }) => to)) - freedAt;
  console.log(
    `case 15: a new call ${normal} ms after memory was free, the last old one ${last} ms`,
  );
  expect(otherThan(old, 200)).toEqual([]);
  expect(normal).toBeLessThan(5000 + besideMs);
  expect(last).toBeLessThan(5000 + 2000 + besideMs);
});

test("processes asked to stop while Redis is gone exit by themselves", async () => {
  const [worker, api] = await Promise.all([gateway.startWorker(), gateway.startApi()]);
  gateway.workers.pop();
  gateway.apis.pop();
  await gateway.redis.shutdown();
  const from = Date.now();
  await Promise.all([worker.kill("SIGTERM"), api.process.kill("SIGTERM")]);
  expect([worker.child.exitCode, api.process.child.exitCode]).toEqual([0, 0]);
  expect(Date.now() - from).toBeLessThan(10_000 + besideMs);
  await gateway.redis.restart();
  const { key } = await gateway.key({ credits: 10 });
  await until(async () => (await backlinks(gateway, key, "back")).status === 200);
});
