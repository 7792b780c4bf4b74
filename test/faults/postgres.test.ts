import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Gateway, until } from "../gateway.ts";
import { type TestPostgres, startPostgres } from "../postgres.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { backlinks, backlinksEnv, backlinksPath } from "./cases.ts";
import { besideMs, full } from "./full.ts";
import { counted, timed, traffic } from "./traffic.ts";

/** The effect on calls of a database that crashes or freezes. */

let postgres: TestPostgres;
let upstream: SpawnedSimulator;
let gateway: Gateway;
beforeAll(async () => {
  [postgres, upstream] = await Promise.all([startPostgres(), spawnSimulator()]);
  process.env["TEST_DATABASE_URL"] = postgres.url;
  gateway = await Gateway.start({
    pools: "seo",
    env: backlinksEnv(upstream),
  });
});
afterEach(async () => {
  await upstream.reset();
  expect(await gateway.violationsAfterAnswers()).toEqual([]);
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
  await postgres?.stop();
});

const takes = (ms: number) =>
  upstream.play(backlinksPath, { faults: [], rest: { kind: "delay", ms } });
const holds = () => upstream.play(backlinksPath, { faults: [], rest: { kind: "hold" } });
const arrived = (count: number) =>
  until(async () => (await upstream.calls(backlinksPath)).length === count);
const keyed = (name: string) => ({ headers: { "Idempotency-Key": name } });

test("a database that crashes under load: each call is 200 or 503, and a keyed one succeeds on retry", async () => {
  const rounds = full ? 3 : 1;
  await takes(300);
  // Calls that wait for a slow start exceed the concurrency limits of a few callers.
  const callers = await gateway.keys(24, { credits: 10_000 });
  const keyOf = (index: number) => callers[index % callers.length]?.key ?? "";
  const probe = await gateway.key();
  let readyAt = Infinity;
  // The load continues after the last crash, however long the server takes to start.
  const load = { perSecond: 20, goesOn: () => Date.now() < readyAt + (full ? 4000 : 3500) };
  const options = (index: number) => (index % 2 ? keyed(`crash${index}`) : {});
  const sending = traffic(load, (index) =>
    backlinks(gateway, keyOf(index), `crash${index}`, options(index)),
  );
  const outages: { from: number; to: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await sleep(full ? 3000 : 2500);
    const from = Date.now();
    await postgres.crash();
    outages.push({ from, to: Date.now() });
  }
  // Later callers; a busy machine takes longer to connect, which has its bounds below.
  if (!full) await until(async () => (await backlinks(gateway, probe.key, "ready")).status === 200);
  readyAt = full ? (outages.at(-1)?.to as number) : Date.now();
  const recovered = full ? outages : outages.map(({ from }) => ({ from, to: readyAt }));
  const sent = await sending;
  const refused = sent.filter(({ status }) => status === 503);
  const awayMs = outages.reduce((sum, { from, to }) => sum + to - from, 0);
  console.log(
    `Postgres crashed ${rounds} times, away for ${awayMs} ms: ${counted(sent)}; slowest refusal ${Math.max(0, ...refused.map(({ ms }) => ms))} ms`,
  );
  expect(sent.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  // The outage showed: calls were refused, or waited for the database.
  const waited = sent.filter(({ ms }) => ms > 300 + awayMs / rounds / 2);
  expect(refused.length + waited.length).toBeGreaterThan(0);
  // A call whose work is done waits for the database, any other is refused in time.
  const late = refused.filter(({ from, to }) => {
    const outage = outages.find((one) => from < one.to && to > one.from);
    return to > Math.max(from, outage?.to ?? 0) + 300 + 5000 + besideMs;
  });
  expect(late).toEqual([]);
  // Outside of the outages, and of the seconds around them that a busy machine may need.
  const beside = sent.filter(({ from }) =>
    recovered.every((one) => from < one.from - 2000 || from > one.to + 2000),
  );
  expect(beside.length).toBeGreaterThan(20);
  const answered = beside.filter(({ status }) => status === 200).length;
  expect(answered).toBeGreaterThan(beside.length * 0.9);

  const good = sent.filter(({ status }) => status === 200).length;
  const again = await Promise.all(
    sent.flatMap(({ status }, index) =>
      status === 503 && index % 2
        ? [backlinks(gateway, keyOf(index), `crash${index}`, options(index))]
        : [],
    ),
  );
  expect(again.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
  const left = await Promise.all(callers.map(({ accountId }) => gateway.balance(accountId)));
  expect(left.reduce((sum, { balance }) => sum + balance, 0)).toBe(
    callers.length * 10_000 - good - again.length,
  );
});

test("a frozen database: new calls are refused in time, and every charge was delivered", async () => {
  const { key, accountId } = await gateway.key({ credits: 1000 });
  const other = await gateway.key({ credits: 1000 });
  await holds();
  const running = Array.from({ length: 20 }, (_, index) =>
    timed(() => backlinks(gateway, key, `frozen${index}`)),
  );
  await arrived(20);
  const thaw = await postgres.freeze();
  await upstream.release();
  const during = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      timed(() => backlinks(gateway, other.key, `new${index}`)),
    ),
  );
  // Several charges have been attempted by then.
  await sleep(full ? 6000 : 2500);
  thaw();
  const before = await Promise.all(running);
  console.log(
    `Postgres frozen: new ${counted(during)}, slowest ${Math.max(...during.map(({ ms }) => ms))} ms; running ${counted(before)}`,
  );
  expect(during.filter(({ status, ms }) => status !== 503 || ms > 5000 + besideMs)).toEqual([]);
  expect(before.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  await takes(0);
  await until(async () => (await backlinks(gateway, key, "thawed")).status === 200);
  await sleep(1000);
  const delivered = before.filter(({ status }) => status === 200).length;
  expect((await gateway.balance(accountId)).balance).toBe(1000 - delivered - 1);
});

test("a stored answer is 503 while the database is down, and replays when it is back", async () => {
  const { key } = await gateway.key({ credits: 10 });
  const ask = () => backlinks(gateway, key, "kept", keyed("kept"));
  const first = await ask();
  expect(first.status).toBe(200);
  const thaw = await postgres.freeze();
  const refused = await timed(ask);
  thaw();
  expect(refused).toMatchObject({ status: 503 });
  let again = await ask();
  await until(async () => (again = await ask()).status === 200);
  expect(again.text).toBe(first.text);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await upstream.calls(backlinksPath)).toHaveLength(1);
});

test("callers without a key who leave while their answer waits for a frozen database pay nothing", async () => {
  const { key, accountId } = await gateway.key({ credits: 1000, inFlight: 40 });
  await holds();
  const leaving = new AbortController();
  const pending = Array.from({ length: 40 }, (_, index) =>
    backlinks(gateway, key, `left${index}`, { signal: leaving.signal }).catch(() => "left"),
  );
  await arrived(40);
  const thaw = await postgres.freeze();
  await upstream.release();
  // The answers are ready, and several charges have been attempted.
  await sleep(3500);
  leaving.abort();
  expect(await Promise.all(pending)).toEqual(Array(40).fill("left"));
  await sleep(3000);
  thaw();
  await until(async () => (await gateway.balance(accountId)).held === 0, 90_000);
  expect(await gateway.balance(accountId)).toEqual({ balance: 1000, held: 0 });
});

/** Deadline of a call of this operation. */
const deadlineMs = 60_000;

test.runIf(full)(
  "a database frozen past a call's deadline: the call is refused, and not charged after the thaw",
  async () => {
    const { key, accountId } = await gateway.key({ credits: 10 });
    await takes(1000);
    const pending = timed(() => backlinks(gateway, key, "longfrozen"));
    await sleep(500);
    const thaw = await postgres.freeze();
    const answer = await pending;
    expect(answer).toMatchObject({ status: 503 });
    expect(answer.ms).toBeGreaterThan(deadlineMs - 1000);
    thaw();
    await sleep(2000);
    expect(await gateway.balance(accountId)).toMatchObject({ balance: 10 });
  },
  deadlineMs + 60_000,
);
