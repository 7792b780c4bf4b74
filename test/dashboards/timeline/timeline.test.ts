import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { heartbeatKey } from "../../../runtime/redis/keys.ts";
import { readFacts } from "../../../dashboards/timeline/call-log.ts";
import { type Timeline, timelineOf } from "../../../dashboards/timeline/timeline.ts";
import { pruneCallLogs } from "../../../db/call-logs.ts";
import { cli, cliJson } from "../../cli/cli.ts";
import { backlinks, backlinksEnv, backlinksPath } from "../../faults/cases.ts";
import { Gateway, until } from "../../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../../upstream/spawn.ts";
import { type Dashboards, dashboards } from "../services.ts";

/** The timeline of a call of each fate, which an operator finds by its request id alone. */

let upstream: SpawnedSimulator;
let gateway: Gateway;
let redis: Redis;
let board: Dashboards;
beforeAll(async () => {
  upstream = await spawnSimulator();
  gateway = await Gateway.start({ pools: "seo", env: backlinksEnv(upstream), shorter: ["locks"] });
  redis = new Redis(gateway.redis.url);
  board = await dashboards(gateway.redis.url, { databaseUrl: gateway.db.url });
});
afterAll(async () => {
  await board?.app.close();
  redis?.disconnect();
  await gateway?.stop();
  await upstream?.stop();
});

const facts = (id: string) => readFacts({ db: gateway.db, redis }, id);

/** Waits for the call log: no answer waits until it is written. */
async function pollTimeline(id: string, ready: (timeline: Timeline) => boolean): Promise<Timeline> {
  let timeline: Timeline | undefined;
  await until(async () => {
    const found = await facts(id);
    timeline = found && timelineOf(found);
    return timeline !== undefined && ready(timeline);
  }, 20_000).catch(() => {
    throw new Error(`never reported: ${JSON.stringify(timeline, null, 2)}`);
  });
  return timeline as Timeline;
}

const headlineMatches = (words: RegExp) => (timeline: Timeline) => words.test(timeline.headline);
const requestId = (answer: { headers: Headers }) => answer.headers.get("svc-request-id") as string;
const factsOf = (timeline: Timeline) => Object.fromEntries(timeline.facts);

test("200: its stages and upstream calls one by one, by page and by command line", async () => {
  const { key, keyId } = await gateway.key({ account: "teller" });
  const from = performance.now();
  const answer = await backlinks(gateway, key, "told-plainly");
  const tookMs = performance.now() - from;
  expect(answer.status, answer.text).toBe(200);
  const timeline = await pollTimeline(
    requestId(answer),
    headlineMatches(/^Answered 200 after .*: 1 record, 1 credit\.$/),
  );
  expect(factsOf(timeline)).toMatchObject({
    Operation: "seo.backlinks.list",
    Account: "teller, live",
    Key: keyId,
    Validation: "passed",
    "Idempotency-Key": "none",
    Attempts: "1",
    Pool: "seo",
  });
  expect(factsOf(timeline)["Hold"]).toMatch(/^1 credit, settled/);
  expect(factsOf(timeline)["Settle"]).toMatch(/^1 credit for 1 record/);
  expect(timeline.stages.map(({ name }) => name)).toEqual([
    "edge: key, rate, body",
    "validation",
    "limits and slot",
    "reserve credits",
    "into the queue",
    "wait for the outcome",
    "queue",
    "run: upstreams",
    "run: mapping and check",
    "outcome to the API",
    "settle",
    "write",
  ]);
  const whole = timeline.stages.filter((one) => !one.inside).reduce((sum, { ms }) => sum + ms, 0);
  expect(whole).toBeLessThanOrEqual(tookMs + 50);
  expect(timeline.tries).toMatchObject([{ upstream: "dataforseo", status: 200 }]);

  const stores = { DATABASE_URL: gateway.db.url, REDIS_URL: gateway.redis.url };
  const { json } = await cliJson<Timeline>(["request", timeline.id], stores);
  expect(json.headline).toBe(timeline.headline);
  expect(json.tries).toEqual(timeline.tries);
  const shown = await cli(["request", timeline.id], stores);
  expect(shown.stdout).toMatch(/^Answered 200 after/);
  expect(shown.stdout).toMatch(/dataforseo +200/);

  const found = await board.get(`/find?id=${timeline.id}`);
  expect(found.headers.get("location")).toBe(`/calls/${timeline.id}`);
  const page = await (await board.get(`/calls/${timeline.id}`)).text();
  expect(page).toContain(timeline.headline);
  // The caller's input appears in no form of the timeline.
  for (const text of [page, shown.stdout, JSON.stringify(json)]) {
    expect(text).not.toContain("told-plainly");
    expect(text).not.toContain(key);
  }
});

test("replayed and joined: the first call lists the others that got its answer", async () => {
  const { key } = await gateway.key();
  const headers = { "Idempotency-Key": "a key of this story" };
  await upstream.play(backlinksPath, { faults: [{ kind: "delay", ms: 1500 }] });
  const first = backlinks(gateway, key, "first", { headers });
  await until(async () => (await upstream.calls(backlinksPath)).length > 1);
  const second = backlinks(gateway, key, "first", { headers });
  const answers = await Promise.all([first, second]);
  answers.push(await backlinks(gateway, key, "first", { headers }));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const id = requestId(answers[0] as (typeof answers)[0]);
  expect(new Set(answers.map(requestId))).toEqual(new Set([id]));

  const timeline = await pollTimeline(id, ({ others }) => others.length === 2);
  expect(timeline.headline).toMatch(/^Answered 200 after .*: 1 record, 1 credit\.$/);
  expect(timeline.others.map(({ fate, status }) => `${fate} ${status}`).toSorted()).toEqual([
    "joined 200",
    "replayed 200",
  ]);
  expect(factsOf(timeline)["Idempotency-Key"]).toMatch(/^final, \d+ bytes; 19 characters, SHA-256/);
  for (const { id: other, fate } of timeline.others) {
    const own = await pollTimeline(other, headlineMatches(/^Answered 200/));
    expect(own.headline).toContain(id);
    expect(own.headline).toContain(
      fate === "replayed" ? "(same Idempotency-Key), at no charge" : "together with",
    );
  }
  expect(JSON.stringify(await facts(id))).not.toContain("a key of this story");
});

test("submitted as a job: its fate after its request was answered", async () => {
  const { key } = await gateway.key();
  await upstream.play(backlinksPath, { faults: [{ kind: "hold" }] });
  const headers = { Prefer: "respond-async, wait=0" };
  const answer = await backlinks(gateway, key, "handed-in", { headers });
  expect(answer.status, answer.text).toBe(202);
  const id = requestId(answer);
  const running = await pollTimeline(
    id,
    headlineMatches(/^Submitted as a job, accepted with 202 after .*(Running for|Waiting)/),
  );
  expect(factsOf(running)["Hold"]).toMatch(/^1 credit, open/);
  await upstream.release();
  const timeline = await pollTimeline(
    id,
    headlineMatches(/^Submitted as a job\. Ended with 200 after .*: 1 record, 1 credit\./),
  );
  expect(timeline.tries).toMatchObject([{ upstream: "dataforseo", status: 200 }]);
  expect(timeline.others).toEqual([]);
});

/** The refused one of calls that arrive within a second. */
async function refusedFor(key: string): ReturnType<typeof backlinks> {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => backlinks(gateway, key, "hasty")),
  );
  return answers.find(({ status }) => status === 429) ?? (answers[0] as (typeof answers)[0]);
}

test("refused before there was a job: 400, 401, 402, 429, 503", async () => {
  const poor = await gateway.key({ account: "penniless", credits: 0 });
  const hasty = await gateway.key({ rate: 1 });
  const answers = {
    unknown: await gateway.call(poor.key, "POST", "/seo/backlinks/list", {
      body: { "my secret": 1 },
    }),
    stranger: await backlinks(gateway, "svc_live_nobody", "stranger"),
    poor: await backlinks(gateway, poor.key, "poor"),
    hasty: await refusedFor(hasty.key),
  };
  expect(Object.values(answers).map(({ status }) => status)).toEqual([400, 401, 402, 429]);
  const refusalFacts = async (answer: { headers: Headers }, words: RegExp) =>
    factsOf(await pollTimeline(requestId(answer), headlineMatches(words)));
  const refused = "it had no job and cost nothing";
  const unknown = await refusalFacts(answers.unknown, new RegExp(`^Refused with 400 .*${refused}`));
  expect(unknown["Validation"]).toContain("body : unknown_field");
  expect(JSON.stringify(unknown)).not.toContain("secret");
  expect((await refusalFacts(answers.stranger, /^Refused with 401 unauthorized/))["Key"]).toBe(
    "none that is valid",
  );
  const broke = await refusalFacts(answers.poor, /^Refused with 402 insufficient_credits/);
  expect(broke).toMatchObject({
    Account: "penniless, live",
    Validation: "passed",
    Hold: "none",
    Key: poor.keyId,
  });
  expect(
    (await refusalFacts(answers.hasty, /^Refused with 429 .*More than 1 calls a second/))["Key"],
  ).toBe(hasty.keyId);
  const ttls = await Promise.all(
    (await redis.keys("gateway:refused:*")).map((one) => redis.ttl(one)),
  );
  expect(Math.min(...ttls)).toBeGreaterThan(0);
  expect(Math.max(...ttls)).toBeLessThanOrEqual(3660);
});

test("refused by a full queue: 503", async () => {
  const { key } = await gateway.key({ inFlight: 1000 });
  // A pool of one slot whose worker takes no job.
  const beat = { at: Date.now(), slots: 1, running: 1, mean_run_ms: 0 };
  await redis.hset(heartbeatKey("social"), "nobody", JSON.stringify(beat));
  const leave = new AbortController();
  const { signal } = leave;
  const refused: { headers: Headers; status: number }[] = [];
  await until(async () => {
    const call = gateway.call(key, "GET", "/shortclip/search?q=x", { signal });
    void call.then((answer) => refused.push(answer)).catch(() => undefined);
    return refused.length > 0;
  });
  leave.abort();
  const [full] = refused as [{ headers: Headers; status: number }];
  expect(full.status).toBe(503);
  const timeline = await pollTimeline(
    requestId(full),
    headlineMatches(/^Refused with 503 upstream_unavailable/),
  );
  expect(timeline.headline).toContain("Too many calls are waiting");
  expect(factsOf(timeline)).toMatchObject({ Operation: "shortclip.search", Pool: "social" });
});

test("an upstream that answered 502 three times is named with each try", async () => {
  const { key } = await gateway.key();
  await upstream.play(backlinksPath, {
    faults: [502, 502, 502].map((status) => ({ kind: "status", status })),
  });
  const answer = await backlinks(gateway, key, "broken");
  expect(answer.status).toBeGreaterThanOrEqual(502);
  const timeline = await pollTimeline(
    requestId(answer),
    headlineMatches(/^Failed with 50\d upstream_/),
  );
  expect(timeline.headline).toContain("Dataforseo: 502, 502, 502; cause http_502");
  expect(timeline.tries.map(({ status }) => status)).toEqual([502, 502, 502]);
  expect(factsOf(timeline)).toMatchObject({ Cause: "http_502", Attempts: "1" });
  expect(factsOf(timeline)["Settle"]).toMatch(/^none: released, upstream_/);
  const errors = await redis.lrange("gateway:errors:seo", 0, 0);
  expect(JSON.parse(errors[0] as string)).toMatchObject({ id: timeline.id, cause: "http_502" });
});

test("an answer that there is nothing counts among the errors, with its type", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const answer = await backlinks(gateway, key, "none", {
    headers: { "svc-test-scenario": "not_found" },
  });
  expect(answer.status).toBe(404);
  const timeline = await pollTimeline(requestId(answer), headlineMatches(/^Failed with 404/));
  expect(timeline.headline).toContain("not_found");
  const counted = async () => await (await board.get("/metrics")).text();
  await until(async () => /^gateway_errors_total\{type="not_found"\} 1$/m.test(await counted()));
});

test("a running call whose worker is killed has a timeline while it runs and after its end", async () => {
  const { key } = await gateway.key();
  await upstream.play(backlinksPath, { faults: [{ kind: "delay", ms: 60_000 }] });
  const callsBefore = (await upstream.calls(backlinksPath)).length;
  const pending = backlinks(gateway, key, "killed", { headers: { "Idempotency-Key": "killed" } });
  await until(async () => (await upstream.calls(backlinksPath)).length > callsBefore);
  const [row] = await gateway.db.sql<{ id: string }[]>`select id from holds where state = 'open'`;
  const id = row?.id as string;
  const running = await pollTimeline(id, headlineMatches(/^Running for/));
  const pid = gateway.workers[0]?.child.pid;
  expect(running.headline).toMatch(new RegExp(`on \\S+-${pid}\\.$`));
  expect(factsOf(running)["Hold"]).toMatch(/^1 credit, open/);
  await gateway.workers.shift()?.kill("SIGKILL");
  const other = await gateway.startWorker({ WORKER_POOLS: "seo" });
  const answer = await pending;
  expect(answer.status, answer.text).toBe(200);
  const timeline = await pollTimeline(id, headlineMatches(/^Answered 200/));
  expect(timeline.headline).toContain("The worker that began it was lost; attempt 2 ended it.");
  expect(factsOf(timeline)).toMatchObject({ Attempts: "2" });
  expect(factsOf(timeline)["Worker"]).toMatch(new RegExp(`-${other.child.pid}$`));
});

test("a killed API process has written no timeline: the books and the queue replace it", async () => {
  const { key } = await gateway.key();
  const doomed = await gateway.startApi();
  gateway.apis.pop();
  await upstream.play(backlinksPath, { faults: [{ kind: "hold" }] });
  const callsBefore = (await upstream.calls(backlinksPath)).length;
  const cut = backlinks(gateway, key, "orphan", { url: doomed.url }).catch(() => "cut");
  await until(async () => (await upstream.calls(backlinksPath)).length > callsBefore);
  const [row] = await gateway.db.sql<{ id: string }[]>`select id from holds where state = 'open'`;
  await doomed.process.kill("SIGKILL");
  expect(await cut).toBe("cut");
  await upstream.release();
  const timeline = await pollTimeline(
    row?.id as string,
    headlineMatches(/^Its job ended in the queue seo/),
  );
  expect(factsOf(timeline)["Hold"]).toMatch(/^1 credit, open/);
  expect(timeline.tries.length).toBe(0);
});

test("timelines are kept for a week, up to a maximum number", async () => {
  const { sql } = gateway.db;
  const [one] = await sql<{ request_id: string }[]>`
    select request_id from stories order by id limit 1`;
  const id = one?.request_id as string;
  await sql`update stories set at = now() - interval '6 days' where request_id = ${id}`;
  await pruneCallLogs(gateway.db);
  // Yesterday's job is no longer in Redis.
  await redis.flushall();
  expect((await pollTimeline(id, headlineMatches(/^Answered 200/))).stages.length).toBeGreaterThan(
    5,
  );
  await sql`update stories set at = now() - interval '8 days' where request_id = ${id}`;
  await pruneCallLogs(gateway.db);
  expect(await sql`select 1 as one from stories where request_id = ${id}`).toEqual([]);
  await pruneCallLogs(gateway.db, { most: 2 });
  const [left] = await sql<{ count: number }[]>`select count(*)::integer as count from stories`;
  expect(left?.count).toBe(2);
  expect(await facts("svc_never")).toBeUndefined();
});
