import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { addCredits } from "../../db/accounts.ts";
import { type Envelope, type ErrorEnvelope, Gateway } from "../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { concurrentSpend } from "./cases.ts";

type Video = { id: string };

let upstream: SpawnedSimulator;
let gateway: Gateway;
beforeAll(async () => {
  upstream = await spawnSimulator();
  gateway = await Gateway.start({
    pools: "social",
    env: { TIKHUB_BASE_URL: upstream.url, TIKHUB_API_KEY: "sample" },
  });
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const search = (key: string, query: string) =>
  gateway.call<Envelope<Video[]> & ErrorEnvelope>(key, "GET", `/shortclip/search?${query}`);

test("case 7: concurrent calls spend no more than the balance", () => concurrentSpend(gateway));

test("case 8: a balance of 7 returns 7 of 20, and the cursor continues at the 8th", async () => {
  const rich = await gateway.key({ credits: 1000 });
  const whole = await search(rich.key, "q=cut&limit=20");
  const { key, accountId } = await gateway.key({ credits: 7 });
  const first = await search(key, "q=cut&limit=20");
  expect(first.body.data).toHaveLength(7);
  expect(first.body.billing).toEqual({
    credits_charged: 7,
    records_charged: 7,
    balance_remaining: 0,
    truncated_due_to_balance: true,
  });
  expect(first.body.pagination?.has_more).toBe(true);
  expect((await search(key, "q=cut&limit=20")).status).toBe(402);

  await addCredits(gateway.db, accountId, "live", 100, "top-up");
  const rest = await search(key, `q=cut&limit=13&cursor=${first.body.pagination?.next_cursor}`);
  expect(rest.body.billing.truncated_due_to_balance).toBe(false);
  expect([...first.body.data, ...rest.body.data].map((video) => video.id)).toEqual(
    whole.body.data.map((video) => video.id),
  );
});

test("an empty result costs the minimum of its operation", async () => {
  const { key } = await gateway.key({ mode: "test", credits: 10 });
  const answer = await gateway.call<Envelope>(key, "GET", "/shortclip/search?q=none", {
    headers: { "Svc-Test-Scenario": "empty" },
  });
  expect(answer.body.data).toEqual([]);
  expect(answer.body.billing).toMatchObject({ credits_charged: 1, records_charged: 0 });
});

test("every scenario of test mode answers with its own type and charges no error", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 10 });
  const expected: Record<string, number> = {
    validation_error: 400,
    invalid_id: 400,
    insufficient_credits: 402,
    unauthorized: 401,
    not_found: 404,
    rate_limited: 429,
    internal_error: 500,
    response_shape_error: 502,
    upstream_error: 502,
    upstream_unavailable: 503,
  };
  for (const [scenario, status] of Object.entries(expected)) {
    const answer = await gateway.call<ErrorEnvelope>(key, "GET", "/shortclip/search?q=x", {
      headers: { "Svc-Test-Scenario": scenario },
    });
    expect(answer.status, scenario).toBe(status);
    expect(answer.body.error.type).toBe(scenario);
    expect("issues" in answer.body.error).toBe(scenario === "validation_error");
  }
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 10, held: 0 });
  const truncated = await gateway.call<Envelope>(key, "GET", "/shortclip/search?q=x", {
    headers: { "Svc-Test-Scenario": "truncated" },
  });
  expect(truncated.body.billing.truncated_due_to_balance).toBe(true);
  const second = await gateway.call<Envelope>(key, "GET", "/shortclip/search?q=x&limit=1", {
    headers: { "Svc-Test-Scenario": "second_page" },
  });
  expect(second.body.pagination?.has_more).toBe(true);
  const live = await gateway.key({ credits: 10 });
  const refused = await gateway.call<ErrorEnvelope>(live.key, "GET", "/shortclip/search?q=x", {
    headers: { "Svc-Test-Scenario": "empty" },
  });
  expect(refused.status).toBe(400);
  expect(refused.body.error.issues).toMatchObject([{ in: "header", path: "Svc-Test-Scenario" }]);
});

test("a key's own limits answer 429 with the standing headers", async () => {
  const { key } = await gateway.key({ credits: 1000, rate: 3 });
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => search(key, "q=rate&limit=1")),
  );
  const refused = answers.filter((answer) => answer.status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThanOrEqual(9);
  expect(refused[0]?.body.error.type).toBe("rate_limited");
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(refused[0]?.headers.get("ratelimit-policy")).toContain('"rate";q=3;w=1');

  const limited = await gateway.key({ credits: 1000, inFlight: 2 });
  const paths = Array.from({ length: 6 }, (_, index) =>
    search(limited.key, `q=flight${index}&limit=1`),
  );
  const statuses = (await Promise.all(paths)).map((answer) => answer.status);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
});
