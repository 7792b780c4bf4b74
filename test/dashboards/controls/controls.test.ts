import { once } from "node:events";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { EndedWorkers } from "../../../api/admission/ended-workers.ts";
import { readPublished } from "../../../dashboards/metrics.ts";
import { instanceOf } from "../../../runtime/build.ts";
import { upstreamControlsChannel } from "../../../runtime/redis/keys.ts";
import { type Entry, controlLog, decide, latestControls } from "../../../db/controls.ts";
import { cli } from "../../cli/cli.ts";
import { backlinks, backlinksEnv, backlinksPath } from "../../faults/cases.ts";
import { type Answer, type ErrorEnvelope, Gateway, until } from "../../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../../upstream/spawn.ts";
import { type Dashboards, basic, dashboards } from "../services.ts";

/** Operators' controls, in force in every process, and the callers' view of them. */

const viewer = { user: "viewer", password: "look but never touch" };
let upstream: SpawnedSimulator;
let gateway: Gateway;
let redis: Redis;
let board: Dashboards;
beforeAll(async () => {
  upstream = await spawnSimulator();
  gateway = await Gateway.start({
    pools: "seo",
    env: backlinksEnv(upstream),
    shorter: ["controls"],
  });
  await gateway.startApi();
  redis = new Redis(gateway.redis.url);
  board = await dashboards(gateway.redis.url, {
    databaseUrl: gateway.db.url,
    writable: true,
    viewer,
  });
});
afterEach(async () => {
  await upstream.reset();
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  await board?.app.close();
  redis?.disconnect();
  await gateway?.stop();
  await upstream?.stop();
});

const setControl = (entry: Omit<Entry, "who" | "why">) =>
  decide(gateway.db, { who: "test", why: "to see what happens", ...entry });
const urls = () => gateway.apis.map(({ url }) => url);
let count = 0;
const ask = (key: string, url: string, withinMs = 30_000) =>
  backlinks(gateway, key, `t${++count}`, { url, signal: AbortSignal.timeout(withinMs) });

/** Requests it from every API process until all of them answer the same. */
async function everywhere(
  key: string,
  status: number,
  withinMs?: number,
): Promise<Answer<ErrorEnvelope>[]> {
  let answers: Answer<ErrorEnvelope>[] = [];
  await until(async () => {
    const settled = await Promise.allSettled(urls().map((url) => ask(key, url, withinMs)));
    answers = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    return answers.length === settled.length && answers.every((one) => one.status === status);
  }).catch(() => {
    throw new Error(answers.map(({ status: got, text }) => `${got} ${text}`).join("\n"));
  });
  return answers;
}

function expectRefused(answers: Answer<ErrorEnvelope>[], type: string): void {
  for (const { body, headers } of answers) {
    expect(body.error.type).toBe(type);
    expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(30);
  }
}

test("drain: running calls are answered, new calls are 503 at every process, resume ends it", async () => {
  const { key } = await gateway.key();
  await upstream.play(backlinksPath, { faults: [{ kind: "hold" }] });
  const running = ask(key, gateway.url);
  await until(async () => (await upstream.calls(backlinksPath)).length === 1);
  await setControl({ kind: "pool", target: "seo", effect: "drain" });
  expectRefused(await everywhere(key, 503), "upstream_unavailable");
  await upstream.release();
  expect((await running).status).toBe(200);
  await setControl({ kind: "pool", target: "seo", effect: "none" });
  await everywhere(key, 200);
});

test("pause: no job begins, even after Redis lost its data, and it ends at its time", async () => {
  const { key } = await gateway.key();
  const isPaused = async () => (await redis.hexists("gateway:seo:meta", "paused")) === 1;
  const pauseFor = (time: string) => gateway.db.sql`
    insert into controls (who, why, kind, target, effect, until)
    values ('test', 'for some time', 'pool', 'seo', 'pause', now() + ${time}::interval)`;
  await pauseFor("10 minutes");
  // Earlier calls wait in the queue.
  expectRefused(await everywhere(key, 503, 1500), "upstream_unavailable");
  await until(isPaused);
  await redis.hdel("gateway:seo:meta", "paused");
  await redis.del("gateway:controls");
  await until(isPaused);
  await pauseFor("2 seconds");
  await until(async () => (await redis.get("gateway:controls")) === "[]");
  await everywhere(key, 200);
  expect(await isPaused()).toBe(false);
});

test("an upstream switched off gets no request; a cap limits the number of requests", async () => {
  const { key } = await gateway.key();
  const listener = redis.duplicate();
  const notified = once(listener, "message");
  await listener.subscribe(upstreamControlsChannel);
  await setControl({ kind: "upstream", target: "dataforseo", effect: "off" });
  // Workers are notified, so none waits for its own next poll.
  await notified;
  listener.disconnect();
  expectRefused(await everywhere(key, 503), "upstream_unavailable");
  const callsBefore = (await upstream.calls(backlinksPath)).length;
  expectRefused(await everywhere(key, 503), "upstream_unavailable");
  expect((await upstream.calls(backlinksPath)).length).toBe(callsBefore);
  await setControl({ kind: "upstream", target: "dataforseo", effect: "cap", perMinute: 2 });
  let answers: Answer<ErrorEnvelope>[] = [];
  await until(async () => {
    answers = await Promise.all([1, 2, 3, 4].map(() => ask(key, gateway.url)));
    return answers.some(({ status }) => status === 200);
  });
  expect(answers.filter(({ status }) => status === 200).length).toBe(1);
  expect(answers.filter(({ status }) => status === 503).length).toBe(3);
  await setControl({ kind: "upstream", target: "dataforseo", effect: "none" });
  await everywhere(key, 200);
});

test("an operation switched off: 503, while others work and a replay is answered", async () => {
  const { key } = await gateway.key();
  const headers = { "Idempotency-Key": "before" };
  const body = { body: { target: "same.example.com", limit: 1 }, headers };
  const first = await gateway.call(key, "POST", "/seo/backlinks/list", body);
  expect(first.status).toBe(200);
  await setControl({ kind: "operation", target: "seo.backlinks.list", effect: "off" });
  expectRefused(await everywhere(key, 503), "upstream_unavailable");
  const again = await gateway.call(key, "POST", "/seo/backlinks/list", body);
  expect(again.text).toBe(first.text);
  await setControl({
    kind: "operation",
    target: "seo.backlinks.list",
    effect: "cap",
    perMinute: 2,
  });
  await everywhere(key, 503);
  let statuses: number[] = [];
  await until(async () => {
    statuses = await Promise.all(
      [...urls(), ...urls()].map(async (url) => (await ask(key, url)).status),
    );
    return statuses.includes(200);
  });
  // Across all processes.
  expect(statuses.filter((status) => status === 200)).toEqual([200]);
  await setControl({ kind: "operation", target: "seo.backlinks.list", effect: "none" });
  await everywhere(key, 200);
});

test("a blocked account or key: 429, others are not affected", async () => {
  const { key, accountId, keyId } = await gateway.key({ account: "noisy" });
  const sibling = await gateway.secondKey(accountId, "live");
  const other = await gateway.key();
  await setControl({ kind: "key", target: keyId, effect: "off" });
  expectRefused(await everywhere(key, 429), "rate_limited");
  await everywhere(sibling, 200);
  await setControl({ kind: "account", target: "noisy", effect: "cap", perMinute: 1 });
  expectRefused(await everywhere(sibling, 429), "rate_limited");
  await everywhere(other.key, 200);
  await setControl({ kind: "account", target: "noisy", effect: "none" });
  await setControl({ kind: "key", target: keyId, effect: "none" });
  await everywhere(key, 200);
});

test("the board: cleaning a waiting job and retrying a finished one move no credit", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const done = await ask(key, gateway.url);
  const id = done.headers.get("svc-request-id") as string;
  const callsBefore = (await upstream.calls(backlinksPath)).length;
  const act = (path: string) => board.send("PUT", `/queues/api/queues/${path}`);
  expect((await act(`seo/${id}/retry`)).status).toBe(204);
  // Taken up once more, and found to be answered.
  await until(async () => {
    const [returned, ended] = await redis.hmget(`gateway:seo:${id}`, "returnvalue", "finishedOn");
    return returned === '{"dropped":"answered"}' && ended !== null;
  });
  expect((await upstream.calls(backlinksPath)).length).toBe(callsBefore);
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });

  // No worker serves this pool, so its jobs wait.
  const waiting = gateway.call<ErrorEnvelope>(key, "GET", "/shortclip/search?q=x");
  await until(async () => (await redis.llen("gateway:social:wait")) === 1);
  const [job] = await redis.lrange("gateway:social:wait", 0, 0);
  expect((await gateway.balance(accountId)).held).toBeGreaterThan(0);
  expect((await act(`social/${job}/clean`)).status).toBe(204);
  const answer = await waiting;
  expect([answer.status, answer.body.error.type]).toEqual([503, "upstream_unavailable"]);
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });
  const { sql } = gateway.db;
  expect(
    await sql`select who, target, effect from controls where kind = 'job' order by id`,
  ).toEqual([
    { who: "operator", target: `seo/${id}`, effect: "retry" },
    { who: "operator", target: `social/${job}`, effect: "clean" },
  ]);
});

const form = (values: Record<string, string>, headers: Record<string, string>) =>
  fetch(`${board.url}/controls`, {
    method: "POST",
    redirect: "manual",
    headers: { authorization: basic, ...headers },
    body: new URLSearchParams(values),
  });
const drain = { kind: "pool", target: "browser", effect: "drain", why: "<b>a new release</b>" };

test("the page: an operator's form from this server only, with a reason; a viewer can only read", async () => {
  const here = { origin: board.url };
  expect((await form(drain, { origin: "http://evil.example" })).status).toBe(403);
  expect((await form(drain, {})).status).toBe(403);
  const asViewer = `Basic ${btoa(`${viewer.user}:${viewer.password}`)}`;
  expect((await form(drain, { ...here, authorization: asViewer })).status).toBe(403);
  for (const wrong of [
    { ...drain, why: " " },
    { ...drain, target: "nowhere" },
    { ...drain, effect: "off" },
    { ...drain, minutes: "-1" },
    { ...drain, kind: "account", effect: "off", target: "nobody of this name" },
    { ...drain, kind: "operation", effect: "cap", target: "seo.backlinks.list" },
  ]) {
    const refused = await form(wrong, here);
    expect(refused.status, JSON.stringify(wrong)).toBe(400);
    expect(await refused.text()).toContain("Not done: ");
  }
  // A refused form keeps what was typed, and names are offered for a misspelt one.
  const misspelt = { kind: "operation", target: "seo.backlinks.lst", effect: "cap", why: "a loop" };
  const kept = await (await form({ ...misspelt, per_minute: "60", minutes: "15" }, here)).text();
  for (const text of [
    "there is no operation seo.backlinks.lst; near names: seo.backlinks.list",
    '<option value="operation" selected>',
    '<option value="cap" selected>',
    'value="seo.backlinks.lst"',
    'value="60"',
    'value="15"',
    'value="a loop"',
  ]) {
    expect(kept).toContain(text);
  }
  const upstreamName = { kind: "upstream", target: "Redditt", effect: "off", why: "x" };
  expect(await (await form(upstreamName, here)).text()).toContain(
    "near names: reddit, reddit-token",
  );
  expect((await form({ ...drain, minutes: "30" }, here)).status).toBe(303);
  const page = await (await board.get("/controls")).text();
  expect(page).toContain("pool browser");
  expect(page).toContain("&lt;b&gt;a new release&lt;/b&gt;");
  expect(page).toContain('action="/controls"');
  const looked = await (await board.get("/controls", { authorization: asViewer })).text();
  expect(looked).toContain("pool browser");
  expect(looked).not.toContain('action="/controls"');
  expect((await form({ ...drain, effect: "none" }, here)).status).toBe(303);
});

test("the decision about a worker that has ended is ended once, that about a live one stands", async () => {
  const worker = (await readPublished(redis)).processes.find(({ role }) => role === "worker");
  if (!worker?.about) throw new Error("no worker reports");
  const live = { kind: "worker", target: instanceOf(worker.about), effect: "pause" };
  const gone = { ...live, target: "machine-7@1700000000000" };
  await setControl(live);
  await setControl(gone);
  let now = 0;
  const lookers = [1, 2].map(() => new EndedWorkers({ db: gateway.db, redis }, () => now));
  const effects = async () => {
    const latest = await latestControls(gateway.db);
    await Promise.all(lookers.map((one) => one.look(latest)));
    const after = await latestControls(gateway.db);
    return [live, gone].map(({ target }) => after.find((one) => one.target === target)?.effect);
  };
  expect(await effects()).toEqual(["pause", "pause"]);
  now += 59_000;
  expect(await effects()).toEqual(["pause", "pause"]);
  now += 11_000;
  expect(await effects()).toEqual(["pause", "none"]);
  const ends = (await controlLog(gateway.db)).filter(
    ({ target, effect }) => target === gone.target && effect === "none",
  );
  expect(ends.map(({ who, why }) => [who, why])).toEqual([["gateway", "the process has ended"]]);
  await setControl({ ...live, effect: "none" });
});

test("the API and the command line control as well; every decision is recorded for good", async () => {
  const json = { authorization: basic, "content-type": "application/json" };
  const post = (body: unknown, headers: Record<string, string> = json) =>
    fetch(`${board.url}/api/controls`, { method: "POST", headers, body: JSON.stringify(body) });
  const limit = { kind: "upstream", target: "reddit", effect: "cap", per_minute: 30, why: "asked" };
  expect((await post(limit)).status).toBe(201);
  expect((await post({ ...limit, per_minute: 0 })).status).toBe(400);
  // The request that a browser sends by itself to another site.
  expect((await post(limit, { authorization: basic, "content-type": "text/plain" })).status).toBe(
    403,
  );

  const stores = { DATABASE_URL: gateway.db.url };
  const off = ["control", "off", "upstream", "x", "--why", "they asked", "--for", "2h"];
  expect((await cli(off, stores)).stdout).toMatch(/upstream x +switched off +20/);
  const { code, stderr } = await cli(["control", "pause", "nothing", "--why", "x"], stores);
  expect([code, stderr]).toEqual([1, "Not done: there is no pool nothing.\n"]);
  const answer = await board.get("/api/controls");
  const { in_force: standing, log } = (await answer.json()) as Record<
    string,
    { who: string; target: string; until: string }[]
  >;
  expect(standing?.map(({ target }) => target)).toEqual(["x", "reddit"]);
  expect(Date.parse(standing?.[0]?.until ?? "")).toBeGreaterThan(Date.now() + 7_000_000);
  expect(log?.[0]?.who).toMatch(/command line/);
  expect(log?.[1]?.who).toBe("operator");
  const { sql } = gateway.db;
  const changes = await (await board.get("/changes?kind=control")).text();
  expect(changes).toMatch(
    />operator<\/a> <span class="soft">program<.*upstream reddit.*>none<.*>cap, per minute 30.*asked/,
  );
  expect(changes).toMatch(/>command line<.*upstream x.*>off, until 20.*they asked/);
  await expect(sql`delete from controls`).rejects.toThrow("append-only");
  await expect(sql`update controls set why = 'another'`).rejects.toThrow("append-only");
});
