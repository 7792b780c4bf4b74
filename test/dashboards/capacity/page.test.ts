import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { heartbeatKey } from "../../../runtime/redis/keys.ts";
import { createMetrics } from "../../../runtime/metrics.ts";
import { publishMetrics } from "../../../runtime/metrics-publisher.ts";
import { noteCapacity } from "../../../db/capacity.ts";
import { type TestDatabase, testDatabase } from "../../database.ts";
import { cliJson } from "../../cli/cli.ts";
import { startRedis } from "../../redis.ts";
import { type TestRedis } from "../../redis-server.ts";
import { type Dashboards, basic, dashboards, eventually } from "../services.ts";
import { Recording } from "./samples.ts";

let redis: TestRedis;
let db: TestDatabase;
let board: Dashboards;
let client: Redis;
let published: ReturnType<typeof publishMetrics>;

beforeAll(async () => {
  [redis, db] = await Promise.all([startRedis({ own: true }), testDatabase()]);
  client = new Redis(redis.url);
  const [earlier] = new Recording("serp").steps(1, { perSecond: 0 });
  const seen = { ...earlier, at: Date.now() - 60_000 };
  await client.lpush("gateway:capacity:samples", JSON.stringify(seen));
  const beat = { at: Date.now(), slots: 4, running: 2, mean_run_ms: 900 };
  await client.hset(heartbeatKey("serp"), "one", JSON.stringify(beat));
  const metrics = createMetrics();
  const labels = { pool: "serp", operation: "geo.serp" };
  metrics.count("gateway_jobs_added_total", { pool: "serp" }, 300);
  metrics.count("gateway_operation_runs_total", labels, 300);
  metrics.count("gateway_operation_run_seconds_total", labels, 270);
  metrics.count("gateway_operation_run_seconds_squared_total", labels, 500);
  const upstreamLabels = { upstream: "dataforseo", operation: "geo.serp" };
  metrics.count("gateway_upstream_calls_total", upstreamLabels, 300);
  metrics.count("gateway_upstream_cost_dollars_total", upstreamLabels, 0.6);
  published = publishMetrics(client, metrics, "worker", "worker-1");
  board = await dashboards(redis.url, { databaseUrl: db.url });
});
afterAll(async () => {
  await board?.app.close();
  await published?.stop();
  client?.disconnect();
  await Promise.all([redis?.stop(), db?.drop()]);
});

const people = { authorization: basic, accept: "text/html" };
const text = async (path: string) => (await board.get(path, people)).text();

test("the page shows each pool with its sentence and the earlier demand", async () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  for (let minutes = 1; minutes < 200; minutes += 15) {
    await noteCapacity(db, ago(minutes), [
      {
        pool: "serp",
        workers: 1,
        desired: minutes > 100 ? 3 : 1,
        slots: 4,
        callsPerSecond: 2,
        p95WaitMs: 30,
        targetMs: 500,
        wall: "slots",
        failed: null,
        failedLive: null,
      },
    ]);
  }
  const html = await eventually(async () => {
    const found = await text("/capacity");
    expect(found).toMatch(/Erlang C \(Allen-Cunneen/);
    return found;
  });
  for (const pool of ["browser", "seo", "seo-bulk", "serp", "social"]) {
    expect(html).toContain(`<a href="/pools/${pool}">${pool}</a>`);
  }
  expect(html).toMatch(
    /data-kind="desired"[\s\S]*<th scope="row" data-at="\d+">[^<]+<\/th><td>1<\/td><td>3<\/td>/,
  );
  expect(html).toContain("needed and running: at most 3");
  expect(html).not.toMatch(/<script(?! src="\/(?:live|uplot|charts)\.js" defer>)/);
  expect(html).not.toMatch(/ style=/);
  // Linked from the first page.
  expect(await text("/")).toContain('href="/capacity"');
});

test("while no process publishes, the page says so and keeps the history", async () => {
  // The other database of this Redis has no process.
  const quiet = await dashboards(`${redis.url}/1`, { databaseUrl: db.url });
  try {
    const answer = await quiet.get("/capacity", people);
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(html).toMatch(/role="alert">No present figures: no API or worker process has published/);
    expect(html).toContain("needed and running: at most 3");
    expect(html).toContain('href="/capacity?hours=168"');
    expect((await quiet.get("/capacity")).status).toBe(503);
  } finally {
    await quiet.app.close();
  }
});

test("what if: the form holds the measured values, and answers", async () => {
  const form = await text("/capacity/what-if?pool=serp");
  expect(form).toContain('name="service_ms" inputmode="decimal" value="900"');
  expect(form).toContain("<option selected>serp</option>");
  const answer = await text(
    "/capacity/what-if?pool=serp&per_second=10&service_ms=1000&service_scv=1&arrival_scv=1&target_ms=500&slots_per_worker=4",
  );
  expect(answer).toContain("<strong>4 workers</strong> with 16 slots");
  const unmeasured = await text("/capacity/what-if?pool=social");
  expect(unmeasured).not.toContain('role="alert"');
  const half = await board.get("/capacity/what-if?pool=social&per_second=40", people);
  expect(await half.text()).toContain("service_ms: was not measured yet and must be given");
  const unknown = await board.get("/capacity/what-if?pool=serps", people);
  expect(unknown.status).toBe(400);
  expect(await unknown.text()).toContain("pool: Invalid option");
  const wrong = await board.get('/capacity/what-if?pool=serp&per_second="><script>', people);
  expect(wrong.status).toBe(400);
  const page = await wrong.text();
  expect(page).toContain("per_second: must be a number");
  expect(page).not.toContain("<script");
});

test("history and cost are written once a minute and read as JSON and as a page", async () => {
  await eventually(async () => {
    const cost = (await (await board.get("/capacity/cost")).json()) as { rows: unknown[] };
    expect(cost.rows).toEqual([
      expect.objectContaining({
        upstream: "dataforseo",
        operation: "geo.serp",
        calls: 300,
        dollars: 0.6,
      }),
    ]);
  });
  expect(await text("/capacity/cost")).toContain("$ 0.6000");
  const history = (await (await board.get("/capacity/history?hours=1")).json()) as {
    points: { pool: string; desired: number }[];
  };
  expect(new Set(history.points.map(({ pool }) => pool)).size).toBe(5);
});

test("gateway capacity plan: next month from the usage of the last", async () => {
  const account = await db.sql<
    { id: number }[]
  >`insert into accounts (name) values ('planner') returning id`;
  await db.sql`
    insert into usage (request_id, account_id, mode, operation, status, credits, records, duration_ms, at)
    select 'svc_' || n, ${account[0]?.id ?? 0}, 'live', 'seo.backlinks.summary', 200, 2, 2, 1000, now() - interval '3 days'
    from generate_series(1, 600) n`;
  interface Planned {
    rows: Record<string, unknown>[];
    days_with_calls: number;
    settings_from: string;
  }
  const { json } = await cliJson<Planned>(
    ["capacity", "plan", "--from", "usage", "--growth", "2"],
    {
      DATABASE_URL: db.url,
    },
  );
  expect(json.rows.find((row) => row["operation"] === null)).toMatchObject({
    calls: 600,
    // Six hundred in three days, doubled.
    calls_next_month: expect.closeTo(12_000, -2),
    peak_per_second: 20,
    mean_ms: 1000,
    mean_of: "answers",
    busy_slots: 20,
    workers: 1,
    credits: 1200,
  });
  expect(json).toMatchObject({ days_with_calls: 1, settings_from: "defaults" });
});
