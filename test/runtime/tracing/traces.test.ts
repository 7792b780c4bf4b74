import { randomBytes } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFacts } from "../../../dashboards/timeline/call-log.ts";
import { timelineOf } from "../../../dashboards/timeline/timeline.ts";
import { type Collector, type SeenSpan, startCollector } from "../../collector.ts";
import { backlinks, backlinksEnv, backlinksPath } from "../../faults/cases.ts";
import { full } from "../../faults/full.ts";
import { inLanes } from "../../faults/traffic.ts";
import { Gateway, until } from "../../gateway.ts";
import { type Origin, startOrigin } from "../../origin.ts";
import { type SpawnedSimulator, spawnSimulator } from "../../upstream/spawn.ts";

/** The traces of calls at a collector, from a real API and real workers. */

const calls = full ? 1000 : 100;
/** Maximum difference between the clocks of two processes of one machine. */
const apartMs = full ? 5 : 100;
const timeoutMs = 60_000;
const login = "dataforseo-login-77c0d1";
const password = "dataforseo-password-9be2f4";
const collectorsKey = "key-of-the-collector-51aa";

let upstream: SpawnedSimulator;
let origin: Origin;
let collector: Collector;
let gateway: Gateway;
let redis: Redis;
beforeAll(async () => {
  [upstream, origin, collector] = await Promise.all([
    spawnSimulator(),
    startOrigin(),
    startCollector(),
  ]);
  gateway = await Gateway.start({
    pools: "seo,browser",
    shorter: ["locks"],
    env: {
      ...backlinksEnv(upstream),
      WORKER_SLOTS: "20",
      DATAFORSEO_LOGIN: login,
      DATAFORSEO_PASSWORD: password,
      EGRESS_ALLOW: origin.address,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `api-key=${collectorsKey}`,
      OTEL_TRACES_SAMPLER: "parentbased_always_on",
      OTEL_BSP_SCHEDULE_DELAY: "100",
    },
  });
  redis = new Redis(gateway.redis.url);
});
afterAll(async () => {
  redis?.disconnect();
  await gateway?.stop();
  await Promise.all([upstream?.stop(), origin?.stop(), collector?.stop()]);
});

const idOf = ({ headers }: { headers: Headers }) => headers.get("svc-request-id") as string;
const sampledParent = () =>
  `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`;
const traceOf = (traceId: string) => collector.spans().filter((span) => span.traceId === traceId);
const named = (spans: readonly SeenSpan[], name: RegExp) =>
  spans.filter((span) => name.test(span.name));
const only = (spans: readonly SeenSpan[], name: RegExp): SeenSpan => {
  const found = named(spans, name);
  expect(found, `${name} of ${spans.map((span) => span.name).join(", ")}`).toHaveLength(1);
  return found[0] as SeenSpan;
};
const lasted = ({ from, to }: SeenSpan) => to - from;
const childrenOf = ({ spanId }: SeenSpan, spans: readonly SeenSpan[]) =>
  spans.filter((span) => span.parentSpanId === spanId);

/** The traces of these traceparents, once API and worker have exported them. */
async function traces(
  parents: readonly string[],
  complete: (spans: readonly SeenSpan[]) => boolean,
): Promise<SeenSpan[][]> {
  const ids = parents.map((parent) => parent.split("-")[1] as string);
  await until(() => ids.every((id) => complete(traceOf(id))), timeoutMs).catch(() => {
    const bad = ids.map(traceOf).find((spans) => !complete(spans)) ?? [];
    throw new Error(`no trace: ${JSON.stringify(bad, null, 1)}\n${gateway.apis[0]?.process.log()}`);
  });
  return ids.map(traceOf);
}
const ended = (spans: readonly SeenSpan[]) =>
  spans.some(({ kind }) => kind === 2) && named(spans, /^process /).length === 1;

test(
  `${calls} of ${calls} sampled calls are one connected trace each, whose parts add up`,
  async () => {
    const { key } = await gateway.key({ credits: calls, rate: 10_000, inFlight: 100 });
    const parents = Array.from({ length: calls }, sampledParent);
    const statuses: number[] = [];
    await inLanes(calls, 10, async (index) => {
      const { status } = await backlinks(gateway, key, `planted-input-${index}`, {
        headers: { traceparent: parents[index] as string, tracestate: "vendor=planted" },
      });
      statuses.push(status);
    });
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    const shares: number[] = [];
    const gaps: number[] = [];
    for (const [index, spans] of (await traces(parents, ended)).entries()) {
      const known = new Set(spans.map(({ spanId }) => spanId));
      const root = only(spans, /^POST \/seo/);
      expect(root.parentSpanId).toBe((parents[index] as string).split("-")[2]);
      expect(spans.filter((span) => span !== root && !known.has(span.parentSpanId ?? ""))).toEqual(
        [],
      );
      const parts = childrenOf(root, spans).toSorted((a, b) => a.from - b.from);
      expect(parts.map(({ name }) => name)).toEqual([
        ...["edge", "validate", "look_up", "limits", "reserve"].filter((name) =>
          parts.some((part) => part.name === name),
        ),
        "send seo",
        "wait",
        "settle",
        "write",
      ]);
      for (const [at, part] of parts.entries())
        expect(part.from).toBeGreaterThanOrEqual((parts[at - 1]?.to ?? root.from) - 0.01);
      const sum = parts.reduce((total, part) => total + lasted(part), 0);
      gaps.push(Math.abs(sum / lasted(root) - 1));

      const sent = only(spans, /^send /);
      const run = only(spans, /^process seo$/);
      const queue = only(spans, /^queue seo$/);
      expect([run.parentSpanId, queue.parentSpanId]).toEqual([sent.spanId, sent.spanId]);
      const request = only(spans, /^POST \/v3/);
      expect(request.parentSpanId).toBe(run.spanId);
      // Two processes of one machine, each with its own milliseconds.
      expect(request.from).toBeGreaterThanOrEqual(run.from - 0.01);
      expect(request.to).toBeLessThanOrEqual(run.to + 0.01);
      expect(run.from).toBeGreaterThanOrEqual(sent.from - apartMs);
      expect(run.from).toBeLessThanOrEqual(root.to + apartMs);
      // The worker learns last that its outcome is stored.
      const wait = only(spans, /^wait$/);
      const ran = Math.min(run.to, wait.to) - run.from;
      shares.push((lasted(queue) + ran) / (lasted(sent) + lasted(wait)));
    }
    // A busy machine may be interrupted between two spans, once.
    const gap = gaps.toSorted((a, b) => a - b)[full ? gaps.length - 1 : gaps.length >> 1];
    expect(gap).toBeLessThan(full ? 0.05 : 0.2);
    const middle = shares.toSorted((a, b) => a - b)[shares.length >> 1] as number;
    console.log(`queue and run are ${(middle * 100).toFixed(1)} % of sending and waiting (median)`);
    expect(middle).toBeGreaterThan(0);
    expect(middle).toBeLessThan(1.05);
  },
  full ? 600_000 : 120_000,
);

test("names and attributes are those of the semantic conventions", async () => {
  const { key } = await gateway.key();
  const parent = sampledParent();
  const answer = await backlinks(gateway, key, "named.example", {
    headers: { traceparent: parent },
  });
  const [spans = []] = await traces([parent], ended);
  await until(async () => {
    const facts = await readFacts({ db: gateway.db, redis }, idOf(answer));
    const rows = facts && Object.fromEntries(timelineOf(facts).facts);
    return rows?.["Trace"] === parent.split("-")[1];
  }, timeoutMs);
  expect(only(spans, /^POST \/seo/)).toMatchObject({
    service: "gateway-api",
    kind: 2,
    failed: false,
    attributes: {
      "http.request.method": "POST",
      "http.route": "/seo/backlinks/list",
      "url.path": "/seo/backlinks/list",
      "url.scheme": "http",
      "http.response.status_code": 200,
      "gateway.operation": "seo.backlinks.list",
      "gateway.fate": "ran",
    },
  });
  expect(only(spans, /^send seo$/)).toMatchObject({
    kind: 4,
    attributes: {
      "messaging.system": "bullmq",
      "messaging.operation.type": "send",
      "messaging.destination.name": "seo",
    },
  });
  expect(only(spans, /^process seo$/)).toMatchObject({
    service: "gateway-worker",
    kind: 5,
    attributes: {
      "messaging.operation.type": "process",
      "messaging.message.id": idOf(answer),
      "gateway.attempt": 1,
      "gateway.outcome": "ok",
    },
  });
  const url = new URL(upstream.url);
  expect(only(spans, /^POST \/v3/)).toMatchObject({
    kind: 3,
    attributes: {
      "http.request.method": "POST",
      "server.address": url.hostname,
      "server.port": Number(url.port),
      "url.template": backlinksPath,
      "http.response.status_code": 200,
    },
  });
});

test("a caller's decision not to sample is respected, and an invalid header is ignored", async () => {
  const { key } = await gateway.key();
  const unsampled = `${sampledParent().slice(0, -1)}0`;
  const quiet = await backlinks(gateway, key, "quiet.example", {
    headers: { traceparent: unsampled },
  });
  const odd = await backlinks(gateway, key, "odd.example", { headers: { traceparent: "00-odd" } });
  const whose = (id: string) =>
    collector.spans().find(({ attributes }) => attributes["messaging.message.id"] === id);
  await until(() => whose(idOf(odd)) !== undefined, timeoutMs);
  const root = () => traceOf((whose(idOf(odd)) as SeenSpan).traceId).find(({ kind }) => kind === 2);
  await until(() => root() !== undefined, timeoutMs);
  expect(root()?.parentSpanId).toBeUndefined();
  expect(whose(idOf(quiet))).toBeUndefined();
  expect(traceOf(unsampled.split("-")[1] as string)).toEqual([]);
});

test("each try at an upstream has a span, and so has a call that failed for it", async () => {
  const { key } = await gateway.key();
  const parent = sampledParent();
  const status = (code: number) => ({ kind: "status", status: code }) as const;
  await upstream.play(backlinksPath, { faults: [status(503), status(502), status(503)] });
  const answer = await backlinks(gateway, key, "tried.example", {
    headers: { traceparent: parent },
  });
  expect(answer.status).toBe(503);
  const [spans = []] = await traces([parent], ended);
  const tries = named(spans, /^POST \/v3/).toSorted((a, b) => a.from - b.from);
  expect(tries.map(({ attributes }) => attributes["http.response.status_code"])).toEqual([
    503, 502, 503,
  ]);
  expect(tries.map(({ attributes }) => attributes["http.request.resend_count"])).toEqual([
    undefined,
    1,
    2,
  ]);
  expect(tries.every(({ failed }) => failed)).toBe(true);
  const root = only(spans, /^POST \/seo/);
  expect(root.failed).toBe(true);
  expect(root.attributes["error.type"]).toBe("upstream_unavailable");
});

test("each stage of a render has a span", async () => {
  const { key } = await gateway.key();
  const parent = sampledParent();
  const answer = await gateway.call(key, "POST", "/browser/html", {
    body: { url: `${origin.url}/planted-page?planted-query=1`, timeout_ms: 60_000 },
    headers: { traceparent: parent },
  });
  expect(answer.status, answer.text).toBe(200);
  const [spans = []] = await traces([parent], ended);
  const run = only(spans, /^process browser$/);
  const stages = childrenOf(run, spans).toSorted((a, b) => a.from - b.from);
  expect(stages.map(({ name }) => name)).toEqual(["open", "navigate", "read", "check", "store"]);
  const sum = stages.reduce((total, stage) => total + lasted(stage), 0);
  expect(sum).toBeGreaterThan(lasted(run) * 0.5);
  expect(sum).toBeLessThanOrEqual(lasted(run) + 0.1);
});

test("a submitted job belongs to the trace of its request", async () => {
  const { key } = await gateway.key();
  const parent = sampledParent();
  const answer = await backlinks(gateway, key, "handed-in.example", {
    headers: { traceparent: parent, prefer: "respond-async, wait=0" },
  });
  expect(answer.status, answer.text).toBe(202);
  const [spans = []] = await traces(
    [parent],
    (found) => ended(found) && named(found, /^carry out/).length === 1,
  );
  const root = only(spans, /^POST \/seo/);
  const carried = only(spans, /^carry out seo\.backlinks\.list$/);
  expect(carried.parentSpanId).toBe(root.spanId);
  const sent = only(spans, /^send seo$/);
  expect(sent.parentSpanId).toBe(carried.spanId);
  expect(only(spans, /^process seo$/).parentSpanId).toBe(sent.spanId);
});

test("the items of a batch belong to the trace of the request that submitted it", async () => {
  const { key } = await gateway.key();
  const parent = sampledParent();
  const items = ["first", "second", "third"].map((name) => ({
    operation: "seo.backlinks.list",
    custom_id: name,
    input: { target: `${name}-of-batch.example`, limit: 1 },
  }));
  const answer = await gateway.call(key, "POST", "/batches", {
    body: { items },
    headers: { traceparent: parent },
  });
  expect(answer.status, answer.text).toBe(202);
  const [spans = []] = await traces(
    [parent],
    (found) =>
      found.some(({ kind }) => kind === 2) &&
      named(found, /^carry out/).length === 3 &&
      named(found, /^process /).length === 3,
  );
  const root = only(spans, /^POST \/batches$/);
  for (const item of named(spans, /^carry out seo\.backlinks\.list$/)) {
    expect(item.parentSpanId).toBe(root.spanId);
    const [sent] = named(childrenOf(item, spans), /^send seo$/);
    expect(named(childrenOf(sent as SeenSpan, spans), /^process seo$/)).toHaveLength(1);
  }
});

test("a later attempt after a lost worker has a trace of its own, linked both ways", async () => {
  const { key } = await gateway.key();
  const parent = sampledParent();
  await upstream.reset();
  // Longer than the first worker lives; the second is answered at once.
  await upstream.play(backlinksPath, { faults: [{ kind: "delay", ms: 300_000 }] });
  // The deadline leaves time for another worker to start.
  const answer = await backlinks(gateway, key, "lost-worker", {
    headers: { traceparent: parent, prefer: "respond-async, wait=0" },
  });
  expect(answer.status, answer.text).toBe(202);
  await until(async () => (await upstream.calls(backlinksPath)).length === 1, timeoutMs);
  await gateway.workers[0]?.kill("SIGKILL");
  await gateway.startWorker({ WORKER_POOLS: "seo" });
  const [spans = []] = await traces([parent], (found) => named(found, /^carry out/).length === 1);
  const sent = only(spans, /^send seo$/);
  const later = () =>
    collector.spans().find(({ links }) => links.some(({ spanId }) => spanId === sent.spanId));
  await until(() => later() !== undefined, timeoutMs);
  const run = later() as SeenSpan;
  expect(run).toMatchObject({ name: "process seo", attributes: { "gateway.attempt": 2 } });
  expect(run.traceId).not.toBe(sent.traceId);
  expect(run.parentSpanId).toBeUndefined();
  expect(only(spans, /^wait$/).links).toMatchObject([{ traceId: run.traceId, spanId: run.spanId }]);
  expect(only(spans, /^carry out/).attributes["gateway.attempts"]).toBe(2);
}, 300_000);

test("no secret, no input and no query is exported", async () => {
  const { key } = await gateway.key();
  const parent = sampledParent();
  await gateway.call(key, "GET", "/account/usage?from=2020-01-01", {
    headers: { traceparent: parent },
  });
  await until(() => traceOf(parent.split("-")[1] as string).length > 0, timeoutMs);
  const text = collector.text();
  expect(text).toContain("seo.backlinks.list");
  const basic = Buffer.from(`${login}:${password}`).toString("base64");
  const planted = [key, login, password, basic, collectorsKey, "svc_live_", "svc_test_", "Bearer"];
  const inputs = ["planted-input", "planted-page", "planted-query", "2020-01-01", "?"];
  const targets = [
    "named.example",
    "tried.example",
    "handed-in.example",
    "of-batch",
    "lost-worker",
  ];
  for (const secret of [...planted, ...inputs, ...targets]) {
    expect(text.includes(secret), secret).toBe(false);
  }
});
