import type { Queue, Worker } from "bullmq";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../database.ts";
import { dashboards, eventually, jobData, openQueue, openWorker } from "./services.ts";
import { redisServer, secretCursor, secretUrl } from "./services.ts";
import type { Dashboards, RedisServer } from "./services.ts";

let redis: RedisServer;
let board: Dashboards;
let writable: Dashboards;
let db: TestDatabase;
let browser: Queue;
let serp: Queue;
let worker: Worker;

beforeAll(async () => {
  redis = await redisServer();
  await redis.start();
  board = await dashboards(redis.url);
  db = await testDatabase();
  writable = await dashboards(redis.url, { writable: true, databaseUrl: db.url });
  browser = openQueue(redis.url, "browser");
  serp = openQueue(redis.url, "serp");
  worker = openWorker(redis.url, "browser", async (job) => {
    await job.log(`opening ${secretUrl}`);
    if (job.id === "svc_bad") throw new Error(`cannot open ${secretUrl}`);
    return { key: job.id, text: secretUrl };
  });
  await browser.add("browser.markdown", jobData(), { jobId: "svc_good" });
  await browser.add("browser.markdown", jobData(), { jobId: "svc_bad" });
  await serp.add("browser.markdown", jobData(), { jobId: "svc_waiting" });
  await eventually(async () =>
    expect(await browser.getJobCounts("completed", "failed")).toEqual({ completed: 1, failed: 1 }),
  );
});

afterAll(async () => {
  await worker.close();
  await Promise.all([browser.close(), serp.close()]);
  await Promise.all([board.app.close(), writable.app.close()]);
  await redis.stop();
  await db.drop();
});

test("the queues of all pools and of webhooks are shown", async () => {
  const answer = await board.get("/queues/api/queues");
  const { queues } = (await answer.json()) as { queues: { name: string; readOnlyMode: boolean }[] };
  expect(queues.map((queue) => queue.name)).toEqual([
    "browser",
    "seo",
    "seo-bulk",
    "serp",
    "social",
    "webhooks",
  ]);
  expect(queues.every((queue) => queue.readOnlyMode)).toBe(true);
});

test("the page of Bull Board names no other host", async () => {
  const html = await (await board.get("/queues")).text();
  expect(html).toContain("static/css/main");
  expect(html).not.toMatch(/(?:href|src)="(?:https?:)?\/\//);
});

test("no answer of Bull Board contains a caller's input, in either mode", async () => {
  const paths = [
    "/queues",
    "/queues/api/queues?activeQueue=browser",
    "/queues/api/queues?activeQueue=browser&status=failed",
    "/queues/api/queues?activeQueue=serp&status=waiting",
    ...["svc_good", "svc_bad"].flatMap((id) =>
      ["", "/logs", "/flow"].map((end) => `/queues/api/queues/browser/${id}${end}`),
    ),
    "/queues/api/queues/serp/svc_waiting",
  ];
  for (const path of paths) {
    for (const shown of [board, writable]) {
      const answer = await shown.get(path);
      expect(answer.status, path).toBe(200);
      const text = decodeURIComponent(encodeURI(await answer.text()));
      for (const secret of ["hidden.example", "patients", "Lovelace", secretCursor]) {
        expect(text, path).not.toContain(secret);
      }
    }
  }
});

test("an operator sees the needed details of a job", async () => {
  const answer = await board.get("/queues/api/queues/browser/svc_bad");
  const { job, status } = (await answer.json()) as { job: Record<string, unknown>; status: string };
  expect(status).toBe("failed");
  expect(job).toMatchObject({
    id: "svc_bad",
    name: "browser.markdown",
    failedReason: "cannot open [input]",
    data: {
      mode: "live",
      tenant: "account-7-live",
      input: { url: `string, ${secretUrl.length} characters`, timeout_ms: "number" },
      cursor: "object with 1 fields",
    },
  });
  const good = await board.get("/queues/api/queues/browser/svc_good");
  expect(await good.json()).toMatchObject({ job: { returnValue: "object with 2 fields" } });
});

test("read-only refuses every change", async () => {
  for (const path of [
    "serp/pause",
    "serp/empty",
    "serp/svc_waiting/clean",
    "browser/svc_bad/retry",
  ]) {
    expect((await board.send("PUT", `/queues/api/queues/${path}`)).status, path).toBe(403);
  }
  await board.send("PUT", "/queues/api/queues/pause");
  expect(await serp.isPaused()).toBe(false);
  expect(await serp.getJobCountByTypes("waiting")).toBe(1);
  expect(await browser.getJobCountByTypes("failed")).toBe(1);
});

test("an operator may not create, change or remove calls with waiting callers", async () => {
  const change = { jobData: { input: "mine" }, data: { input: "mine" } };
  const one = "/queues/api/queues/serp";
  const refused: [string, string][] = [
    ["PUT", "/queues/api/queues/pause"],
    ["PUT", "/queues/api/queues/resume"],
    ["PUT", `${one}/pause`],
    ["PUT", `${one}/resume`],
    ["PUT", `${one}/empty`],
    ["PUT", `${one}/obliterate`],
    ["PUT", `${one}/concurrency`],
    ["PUT", `${one}/rate-limit`],
    ["PUT", `${one}/rate-limit/release`],
    ["POST", `${one}/add`],
    ["PATCH", `${one}/svc_waiting/update-data`],
    ["PATCH", `${one}/svc_waiting/delay`],
    ["PATCH", `${one}/svc_waiting/priority`],
    ["PUT", `${one}/svc_waiting/remove-unprocessed-children`],
    ...["wait", "active", "delayed", "prioritized", "paused", "latest"].map(
      (status): [string, string] => ["PUT", `${one}/clean/${status}`],
    ),
  ];
  for (const [method, path] of refused) {
    const answer = await writable.send(method, path, { name: "x", ...change });
    expect(answer.status, path).toBe(405);
  }
  expect(await serp.isPaused()).toBe(false);
  expect(await serp.getJobCountByTypes("waiting")).toBe(1);
  expect((await serp.getJob("svc_waiting"))?.data).toMatchObject({ input: { url: secretUrl } });
});

test("retrying a failed job runs it with its own data", async () => {
  const answer = await writable.send("PUT", "/queues/api/queues/browser/svc_bad/retry");
  expect(answer.status).toBeLessThan(300);
  await eventually(async () => {
    const job = await browser.getJob("svc_bad");
    expect(job?.attemptsMade).toBe(2);
    expect(job?.data).toMatchObject({ input: { url: secretUrl } });
  });
  const [row] = await db.sql<{ who: string; effect: string; target: string }[]>`
    select who, effect, target from controls order by id desc limit 1`;
  expect(row).toEqual({ who: "operator", effect: "retry", target: "browser/svc_bad" });
});
