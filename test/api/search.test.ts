import { afterAll, beforeAll, expect, test } from "vitest";
import { type Envelope, type ErrorEnvelope, Gateway } from "../gateway.ts";

type Video = { id: string; video_description: string };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social" });
});
afterAll(() => gateway.stop());

test("a search in test mode travels through the queue and is charged per record", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 100 });
  const answer = await gateway.call<Envelope<Video[]>>(
    key,
    "GET",
    "/shortclip/search?q=street%20food&limit=7",
  );
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.data).toHaveLength(7);
  expect(answer.body.request_id).toMatch(/^svc_/);
  expect(answer.headers.get("svc-request-id")).toBe(answer.body.request_id);
  expect(answer.headers.get("svc-mode")).toBe("test");
  expect(answer.body.pagination?.has_more).toBe(true);
  expect(answer.body.billing).toEqual({
    credits_charged: 7,
    records_charged: 7,
    balance_remaining: 93,
    truncated_due_to_balance: false,
  });
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 93, held: 0 });
});

test("a GET with a key runs and is charged once, and the key with another query is refused", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 100 });
  const get = (query: string) =>
    gateway.call<Envelope<Video[]> & ErrorEnvelope>(key, "GET", `/shortclip/search?${query}`, {
      headers: { "Idempotency-Key": "order-4711" },
    });
  const [first, joined] = await Promise.all([get("q=tea&limit=7"), get("q=tea&limit=7")]);
  expect([first.status, joined.status], joined.text).toEqual([200, 200]);
  const again = await get("q=tea&limit=7");
  expect(again.text).toBe(first.text);
  expect(joined.text).toBe(first.text);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  const other = await get("q=tea&limit=8");
  expect([other.status, other.body.error.issues?.[0]?.code]).toEqual([422, "key_reused"]);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 93, held: 0 });
});

test("a list pages to its end by its cursors without gap or repeat", async () => {
  const { key } = await gateway.key({ mode: "test", credits: 1000 });
  const seen: string[] = [];
  let cursor: string | null | undefined;
  let pages = 0;
  do {
    const more = cursor ? `&cursor=${cursor}` : "";
    const answer = await gateway.call<Envelope<Video[]>>(
      key,
      "GET",
      `/shortclip/search?q=tea&limit=${9 + pages}${more}`,
    );
    expect(answer.status, answer.text).toBe(200);
    seen.push(...answer.body.data.map((video) => video.id));
    cursor = answer.body.pagination?.next_cursor;
    expect(answer.body.pagination?.has_more).toBe(cursor !== null);
    pages += 1;
  } while (cursor !== null && pages < 20);
  const whole = await gateway.call<Envelope<Video[]>>(
    key,
    "GET",
    "/shortclip/search?q=tea&limit=50",
  );
  expect(seen).toEqual(whole.body.data.map((video) => video.id));
  expect(new Set(seen).size).toBe(seen.length);
  expect(pages).toBeGreaterThan(2);
});

test("a cursor of a test key fits no live key, nor the reverse", async () => {
  const test = await gateway.key({ mode: "test", credits: 1000 });
  const live = await gateway.key({ mode: "live", credits: 1000 });
  const first = await gateway.call<Envelope>(test.key, "GET", "/shortclip/search?q=tea&limit=3");
  const path = `/shortclip/search?q=tea&cursor=${first.body.pagination?.next_cursor}`;
  expect((await gateway.call(test.key, "GET", path)).status).toBe(200);
  const answer = await gateway.call<ErrorEnvelope>(live.key, "GET", path);
  expect(answer.status).toBe(400);
  expect(answer.body.error.issues?.[0]).toMatchObject({ in: "query", path: "cursor" });
});

test("a list continues under another name of its cursor, and a fault is reported under that name", async () => {
  const { key } = await gateway.key({ mode: "test", credits: 1000 });
  const path = "/microblog/communities/search?q=kites&limit=3";
  const first = await gateway.call<Envelope>(key, "GET", path);
  const cursor = first.body.pagination?.next_cursor;
  const pages = await Promise.all(
    ["cursor", "pagination_token", "next_token"].map(async (name) => {
      const page = await gateway.call<Envelope>(key, "GET", `${path}&${name}=${cursor}`);
      expect(page.status, page.text).toBe(200);
      return page.body.data;
    }),
  );
  expect(pages).toEqual([pages[0], pages[0], pages[0]]);
  expect(pages[0]).not.toEqual(first.body.data);
  const wrong = await gateway.call<ErrorEnvelope>(key, "GET", `${path}&next_token=x`);
  expect(wrong.body.error.issues).toMatchObject([
    { in: "query", path: "next_token", code: "invalid_cursor" },
  ]);
});

test("a cursor fits no other query", async () => {
  const { key } = await gateway.key({ mode: "test", credits: 1000 });
  const first = await gateway.call<Envelope>(key, "GET", "/shortclip/search?q=tea&limit=3");
  const cursor = first.body.pagination?.next_cursor as string;
  for (const query of [
    `q=coffee&cursor=${cursor}`,
    `q=tea&cursor=${cursor.slice(0, -2)}AA`,
    "q=tea&cursor=x",
  ]) {
    const answer = await gateway.call<ErrorEnvelope>(key, "GET", `/shortclip/search?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.error.issues?.[0]).toMatchObject({ in: "query", path: "cursor" });
  }
});

test("without a credential a live call is 503, uncharged, and the log names the variable for the operator", async () => {
  const { key, accountId } = await gateway.key({ mode: "live", credits: 10 });
  const answer = await gateway.call<ErrorEnvelope>(key, "GET", "/shortclip/search?q=tea");
  expect(answer.status).toBe(503);
  expect(answer.body.error).toMatchObject({
    type: "upstream_unavailable",
    message: "This gateway has no access to the data source",
  });
  expect(answer.headers.get("retry-after")).toBeNull();
  expect(await gateway.balance(accountId)).toEqual({ balance: 10, held: 0 });
  expect(gateway.workers[0]?.log()).toContain("TIKHUB_API_KEY");
});
