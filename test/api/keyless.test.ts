import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newsAggregator } from "../../contract/areas/news-aggregator/index.ts";
import { videosite } from "../../contract/areas/videosite/index.ts";
import { type Operation, pathParameters } from "../../contract/operation.ts";
import { hackernews } from "../../worker/areas/news-aggregator/samples/answers.ts";
import { youtube, youtubeCharts } from "../../worker/areas/videosite/samples/answers.ts";
import { type Envelope, type ErrorEnvelope, Gateway } from "../gateway.ts";
import { fromSamples } from "../upstream/from-samples.ts";
import { type Simulator, startSimulator } from "../upstream/simulator.ts";

let simulator: Simulator;
let gateway: Gateway;
let key: string;
let testKey: string;

beforeAll(async () => {
  simulator = await startSimulator([hackernews, youtube, youtubeCharts].map(fromSamples));
  gateway = await Gateway.start({
    pools: "social",
    env: {
      HACKERNEWS_BASE_URL: `${simulator.url}/hackernews`,
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

test("the gateway logged no fault", async () => {
  expect(await gateway.violations()).toEqual([]);
});
