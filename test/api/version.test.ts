import { afterAll, beforeAll, expect, test } from "vitest";
import { createAuthenticate } from "../../api/auth.ts";
import { Doubts } from "../../api/doubts.ts";
import { Dispatcher } from "../../api/queue/dispatch.ts";
import { PartialReadLimit } from "../../api/admission/partial-read-limit.ts";
import { Unread } from "../../api/edge/slow-readers.ts";
import { createSealer } from "../../api/webhooks/signing.ts";
import { Webhooks } from "../../api/webhooks/webhooks.ts";
import { createServer } from "../../api/server.ts";
import { areas } from "../../contract/index.ts";
import { createMetrics } from "../../runtime/metrics.ts";
import type { OlderVersion } from "../../contract/version.ts";
import { budgetStore } from "../../db/budgets.ts";
import { CallStore } from "../../db/calls.ts";
import { type Envelope, type ErrorEnvelope, Gateway, type Line, pepper } from "../gateway.ts";

/** Invented changes: until then a video's author was called its owner, and a query of AI answers a question. */
const madeUp: OlderVersion = {
  deprecatedAt: new Date("2026-07-01T00:00:00Z"),
  sunsetAt: new Date("2027-01-01T00:00:00Z"),
  upgrade: (operation, { question, ...body }) =>
    operation === "geo.serp" ? { ...body, query: question } : { ...body },
  downgrade: (operation, envelope) =>
    operation === "shortclip.search"
      ? {
          ...envelope,
          data: (envelope.data as { author: unknown }[]).map(({ author, ...video }) => ({
            ...video,
            owner: author,
          })),
        }
      : envelope,
};

let gateway: Gateway;
let url: string;
let stop: () => Promise<void>;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social,serp" });
  const { db } = gateway;
  const metrics = createMetrics();
  const dispatcher = new Dispatcher(gateway.redis.url, metrics, () => undefined);
  const { app, jobs, batches } = createServer({
    areas,
    olderVersions: new Map([["2025-01-01", madeUp]]),
    db,
    metrics,
    draining: () => false,
    authenticate: createAuthenticate(db, pepper, () => undefined),
    services: {
      calls: new CallStore(db),
      budgets: budgetStore(db),
      dispatcher,
      metrics,
      cursorSecret: "test-cursor-secret-test-cursor-secret",
      running: new Set(),
      claims: new Map(),
      doubts: new Doubts(() => undefined),
      unread: new Unread(),
      partialReads: new PartialReadLimit(),
      webhooks: new Webhooks(db, createSealer(pepper), {
        allow: [],
        deny: [],
        resolver: undefined,
      }),
      keptBytesLimit: Infinity,
      log: () => undefined,
    },
  });
  await dispatcher.start();
  await jobs.start();
  await batches.scheduler.start();
  url = await app.listen({ host: "127.0.0.1", port: 0 });
  stop = async () => {
    await app.close();
    await batches.scheduler.stop();
    await jobs.stop();
    await dispatcher.close();
  };
});
afterAll(async () => {
  await stop();
  await gateway.stop();
});

test("an older version is a transformation at the edge, announced as deprecated", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const path = "/shortclip/search?q=tea&limit=2";
  const older = await gateway.call<Envelope<{ owner?: object; author?: object }[]>>(
    key,
    "GET",
    path,
    {
      url,
      headers: { "Svc-Version": "2025-01-01" },
    },
  );
  expect(older.status, older.text).toBe(200);
  expect(older.headers.get("svc-version")).toBe("2025-01-01");
  expect(older.headers.get("deprecation")).toBe("@1782864000");
  expect(older.headers.get("sunset")).toBe("Fri, 01 Jan 2027 00:00:00 GMT");
  expect(older.body.data[0]).toHaveProperty("owner");
  expect(older.body.data[0]).not.toHaveProperty("author");

  const current = await gateway.call<Envelope<{ author?: object }[]>>(key, "GET", path, { url });
  expect(current.headers.get("svc-version")).toBe("2026-07-01");
  expect(current.headers.get("deprecation")).toBeNull();
  expect(current.body.data[0]).toHaveProperty("author");
});

test("an unknown version is refused and answered in the current one", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const answer = await gateway.call<ErrorEnvelope>(key, "GET", "/account", {
    url,
    headers: { "Svc-Version": "2024-01-01" },
  });
  expect(answer.status).toBe(400);
  expect(answer.headers.get("svc-version")).toBe("2026-07-01");
  expect(answer.body.error.issues).toMatchObject([{ in: "header", path: "Svc-Version" }]);
});

test("a cursor belongs to its version", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const first = await gateway.call<Envelope>(key, "GET", "/shortclip/search?q=tea&limit=2", {
    url,
  });
  const cursor = first.body.pagination?.next_cursor as string;
  const answer = await gateway.call<ErrorEnvelope>(
    key,
    "GET",
    `/shortclip/search?q=tea&cursor=${cursor}`,
    {
      url,
      headers: { "Svc-Version": "2025-01-01" },
    },
  );
  expect(answer.status).toBe(400);
  expect(answer.headers.get("svc-version")).toBe("2025-01-01");
});

test("the items of a batch are calls of its version, and so are their results", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const older = { "Svc-Version": "2025-01-01" };
  const body = {
    items: [
      { custom_id: "videos", operation: "shortclip.search", input: { q: "tea", limit: 2 } },
      { custom_id: "answers", operation: "geo.serp", input: { question: "tea" } },
    ],
  };
  const refused = await gateway.call<ErrorEnvelope>(key, "POST", "/batches", { url, body });
  expect(refused.body.error.issues).toMatchObject([
    { path: "items[1].input.query" },
    { path: "items[1].input.question" },
  ]);
  const path = "/batches";
  const sent = await gateway.call<Envelope<{ id: string }>>(key, "POST", path, {
    url,
    body,
    headers: older,
  });
  expect(sent.status, sent.text).toBe(202);
  const results = `/batches/${sent.body.data.id}/results?follow=true`;
  const read = await gateway.call(key, "GET", results, { url });
  expect(read.headers.get("svc-version")).toBe("2025-01-01");
  const lines = read.text.split("\n").filter(Boolean);
  const byId = new Map(
    lines
      .map((line) => JSON.parse(line) as Line & { data: Record<string, unknown>[] })
      .map((line) => [line.custom_id, line]),
  );
  for (const line of byId.values()) gateway.record(line);
  const { data, pagination, billing } = byId.get("videos") ?? {};
  expect(data?.[0]).toHaveProperty("owner");
  expect(data?.[0]).not.toHaveProperty("author");
  expect(pagination?.has_more).toBe(true);
  expect(billing?.credits_charged).toBe(2);
  expect(byId.get("answers")).toMatchObject({ status: 200, data: { query: "tea" } });
});
