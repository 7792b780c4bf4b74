import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newsAggregator } from "../../contract/areas/news-aggregator/index.ts";
import { videosite } from "../../contract/areas/videosite/index.ts";
import { type Operation, pathParameters } from "../../contract/operation.ts";
import { listChanges } from "../../db/changes.ts";
import { type KeptCall, failedKey, openCall, sealCall } from "../../runtime/kept-answers.ts";
import { hackernews } from "../../worker/areas/news-aggregator/samples/answers.ts";
import { hnSearch } from "../../worker/areas/news-aggregator/samples/search.ts";
import { youtube, youtubeCharts } from "../../worker/areas/videosite/samples/answers.ts";
import { cli } from "../cli/cli.ts";
import { type Envelope, type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { fromSamples } from "../upstream/from-samples.ts";
import { type Simulator, startSimulator } from "../upstream/simulator.ts";

const failedAnswersKey = "key-of-the-kept-answers-of-the-tests";
let recordings: string;
let simulator: Simulator;
let gateway: Gateway;
let key: string;
let testKey: string;

beforeAll(async () => {
  simulator = await startSimulator([hackernews, hnSearch, youtube, youtubeCharts].map(fromSamples));
  recordings = await mkdtemp(join(tmpdir(), "gateway-recordings-"));
  gateway = await Gateway.start({
    pools: "social",
    env: {
      HACKERNEWS_BASE_URL: `${simulator.url}/hackernews`,
      HN_SEARCH_BASE_URL: `${simulator.url}/hn-search`,
      FAILED_ANSWERS_KEY: failedAnswersKey,
      RECORD_DIR: recordings,
      YOUTUBE_BASE_URL: `${simulator.url}/youtube`,
      YOUTUBE_CHARTS_BASE_URL: `${simulator.url}/youtube-charts`,
    },
  });
  ({ key } = await gateway.key({ mode: "live", credits: 10_000 }));
  ({ key: testKey } = await gateway.key({ mode: "test", credits: 10_000 }));
});
afterAll(async () => {
  await gateway?.stop();
  await simulator?.stop();
  await rm(recordings, { recursive: true });
});
beforeEach(() => simulator.reset());

function pathOf(op: Operation): string {
  const input = op.example as Record<string, string | number>;
  const names = pathParameters(op.path);
  const path = names.reduce(
    (text, name) => text.replace(`{${name}}`, encodeURIComponent(String(input[name]))),
    op.path,
  );
  const query = Object.entries(input).filter(([name]) => !names.includes(name));
  return `${path}?${new URLSearchParams(query.map(([name, value]) => [name, String(value)])).toString()}`;
}

const keyless: Operation[] = [...newsAggregator.operations, ...videosite.operations];

test.each(keyless)(
  "$id: a live call without any credential goes to the network and comes back mapped",
  async (op) => {
    const live = await gateway.call<Envelope>(key, "GET", pathOf(op));
    expect(live.status, live.text).toBe(200);
    const sent = simulator.calls();
    expect(sent.length).toBeGreaterThan(0);
    for (const { headers } of sent) {
      expect(headers.authorization).toBeUndefined();
      expect(headers.cookie).toBeUndefined();
    }
    // The simulator serves the samples, so both modes must return the same.
    const tested = await gateway.call<Envelope>(testKey, "GET", pathOf(op));
    expect(tested.headers.get("svc-mode")).toBe("test");
    expect(live.headers.get("svc-mode")).toBeNull();
    expect(tested.body.data).toEqual(live.body.data);
    expect(simulator.calls(), "a test key sends nothing").toHaveLength(sent.length);
  },
);

test("a list continues where its cursor ends, as the visitor that began it", async () => {
  const path = "/videosite/search?q=lathe&country=NO&limit=35";
  const first = await gateway.call<Envelope<{ id: string }[]>>(key, "GET", path);
  const cursor = first.body.pagination?.next_cursor as string;
  const second = await gateway.call<Envelope<{ id: string }[]>>(
    key,
    "GET",
    `${path}&cursor=${cursor}`,
  );
  expect(first.body.data).toHaveLength(35);
  expect(second.status, second.text).toBe(200);
  const ids = [...first.body.data, ...second.body.data].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const clients = simulator
    .calls("/youtube/youtubei/v1/search")
    .map(({ body }) => (body as { context: { client: Record<string, string> } }).context.client);
  expect(clients.length).toBeGreaterThan(2);
  expect(new Set(clients.map(({ gl }) => gl))).toEqual(new Set(["NO"]));
  expect(new Set(clients.map(({ hl }) => hl))).toEqual(new Set(["en"]));
  expect(new Set(clients.map(({ visitorData }) => visitorData)).size).toBe(1);
});

test.each([
  [{ kind: "status", status: 404 }, 404, "not_found"],
  [
    { kind: "status", status: 400, json: { error: { status: "INVALID_ARGUMENT" } } },
    404,
    "not_found",
  ],
  [
    { kind: "status", status: 400, json: { error: { status: "FAILED_PRECONDITION" } } },
    502,
    "upstream_error",
  ],
  [{ kind: "status", status: 403 }, 503, "upstream_unavailable"],
  [{ kind: "status", status: 503 }, 503, "upstream_unavailable"],
  [{ kind: "status", status: 200, json: {} }, 502, "response_shape_error"],
] as const)("videosite upstream answers %j", async (fault, status, type) => {
  simulator.play("/youtube/youtubei/v1/browse", { faults: [], rest: fault });
  const path = "/videosite/playlists/PLsamplePlaylist00000001/videos";
  const answer = await gateway.call<ErrorEnvelope>(key, "GET", path);
  expect(answer.body.error.type, answer.text).toBe(type);
  expect(answer.status).toBe(status);
});

test("a chart that a country lacks is the caller's fault, and left out of the mixed chart", async () => {
  const none = {
    kind: "status",
    status: 400,
    json: { error: { status: "INVALID_ARGUMENT" } },
  } as const;
  simulator.play("/youtube-charts/youtubei/v1/browse", { faults: [], rest: none });
  const music = await gateway.call<ErrorEnvelope>(
    key,
    "GET",
    "/videosite/trending?section=music&country=AQ",
  );
  expect(music.status, music.text).toBe(400);
  expect(music.body.error.issues?.[0]).toMatchObject({ in: "query", path: "country" });
  const now = await gateway.call<Envelope<{ section: string }[]>>(
    key,
    "GET",
    "/videosite/trending",
  );
  expect(now.status, now.text).toBe(200);
  expect(new Set(now.body.data.map(({ section }) => section))).toEqual(new Set(["gaming"]));
});

test("the answers of a call whose mapping failed are kept, encrypted, and mapped again", async () => {
  const body = { login: "nobody-else", karma: 3 };
  const path = "/hackernews/v0/user/replayed.json";
  simulator.play(path, { faults: [], rest: { kind: "status", status: 200, json: body } });
  const call = () => gateway.call<ErrorEnvelope>(key, "GET", "/news-aggregator/users/replayed");
  const { error } = (await call()).body;
  expect(error.type).toBe("response_shape_error");

  const redis = new Redis(gateway.redis.url);
  await until(async () => (await redis.exists(failedKey(error.request_id))) === 1);
  const sealed = (await redis.getBuffer(failedKey(error.request_id))) as Buffer;
  expect(sealed.toString("latin1")).not.toContain("nobody-else");
  expect(await redis.pttl(failedKey(error.request_id))).toBeGreaterThan(47.9 * 3600 * 1000);
  // Another failure of the operation soon after is not kept.
  const { request_id: second } = (await call()).body.error;
  const sent = simulator.calls().length;

  const env = {
    DATABASE_URL: gateway.db.url,
    REDIS_URL: gateway.redis.url,
    FAILED_ANSWERS_KEY: failedAnswersKey,
  };
  const replay = async (...args: string[]) => {
    const { code, stdout } = await cli(["replay", ...args, "--json"], env);
    return { code, output: JSON.parse(stdout) as unknown };
  };
  const entry = { request_id: error.request_id, operation: "news_aggregator.users.get" };
  const calls = expect.arrayContaining([expect.objectContaining(entry)]) as unknown;
  expect(await replay()).toMatchObject({ output: { calls } });
  expect(await replay(error.request_id)).toMatchObject({
    code: 1,
    output: { error: { type: "response_shape_error", field: "user.id" } },
  });
  const folder = join(recordings, "replayed");
  await replay(error.request_id, "--record", folder);
  for (const dir of [recordings, folder]) {
    const file = join(dir, "news_aggregator.users.get", error.request_id, "1.json");
    const login = expect.not.stringContaining("nobody") as string;
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ login, karma: 3 });
  }
  expect(await replay(second)).toMatchObject({ output: { error: { type: "request_unknown" } } });
  const noted = await listChanges(gateway.db, { kind: "replay", limit: 10 });
  expect(noted.map(({ target, after }) => [target, after])).toEqual([
    [error.request_id, { recorded: true }],
    [error.request_id, { recorded: false }],
  ]);

  // The same call with an answer that today's code understands.
  const kept = openCall(failedAnswersKey, error.request_id, sealed) as KeptCall;
  const good = Buffer.from('{"id":"replayed","karma":3}').toString("base64");
  const understood = { ...kept, answers: kept.answers.map((one) => ({ ...one, body: good })) };
  await redis.set(failedKey(error.request_id), sealCall(failedAnswersKey, understood));
  expect(await replay(error.request_id)).toMatchObject({
    code: 0,
    output: { data: { id: "replayed", karma: 3 }, before: { version: kept.version } },
  });
  redis.disconnect();
  expect(simulator.calls()).toHaveLength(sent);
});

test("a changed field of live answers is named by `gateway drift`", async () => {
  const { key: own } = await gateway.key({ mode: "live", rate: 100, inFlight: 100 });
  const users = async (count: number, name: string) => {
    const calls = Array.from({ length: count }, (_, index) =>
      gateway.call(own, "GET", `/news-aggregator/users/${name}${index}`),
    );
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
    // A worker that stops folds the last answers.
    await gateway.workers.at(-1)?.kill("SIGTERM");
  };
  const env = {
    DATABASE_URL: gateway.db.url,
    REDIS_URL: gateway.redis.url,
  };
  const drift = async () => JSON.parse((await cli(["drift", "--json"], env)).stdout) as unknown;
  await users(60, "known");
  expect(await drift()).toMatchObject({ findings: [] });

  await gateway.startWorker({ WORKER_POOLS: "social" });
  const changed = { id: "x", created: 1, badge_count: 7, about: "I am", submitted: [1, 2] };
  simulator.play("*", { faults: [], rest: { kind: "status", status: 200, json: changed } });
  await users(20, "changed");
  const common = { operation: "news_aggregator.users.get", upstream: "hackernews", ended: null };
  expect(await drift()).toMatchObject({
    findings: [
      {
        ...common,
        path: "karma",
        change: "gone",
        now: "absent in 20 answers",
        read_by: [expect.stringContaining("worker/areas/news-aggregator/items.map.ts:")],
      },
      { ...common, path: "badge_count", change: "new", read_by: [] },
    ],
  });
});

test("the gateway logged no fault", async () => {
  expect(await gateway.violations()).toEqual([]);
});
