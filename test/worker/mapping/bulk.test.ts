import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Envelope, type ErrorEnvelope, Gateway } from "../../gateway.ts";
import { dataforseo } from "../../upstream/dataforseo.ts";
import { type Simulator, startSimulator } from "../../upstream/simulator.ts";

interface Bulk {
  results: { target: string; rank?: number; url?: string }[];
  missing_targets?: string[];
  unprocessed_targets?: string[];
}

const login = "operator@host.example";
const password = "sample-password";
const ranksPath = "/v3/backlinks/bulk_ranks/live";
const pagesPath = "/v3/backlinks/bulk_pages_summary/live";

let simulator: Simulator;
let gateway: Gateway;
beforeAll(async () => {
  simulator = await startSimulator([dataforseo({ login, password })]);
  gateway = await Gateway.start({
    pools: "seo,seo-bulk",
    env: {
      DATAFORSEO_BASE_URL: simulator.url,
      DATAFORSEO_LOGIN: login,
      DATAFORSEO_PASSWORD: password,
    },
  });
});
beforeEach(() => simulator.reset());
afterAll(async () => {
  await gateway.stop();
  await simulator.stop();
});

const hosts = (count: number) => Array.from({ length: count }, (_, at) => `site-${at}.example`);

/** The targets of every request to a path, in the order of arrival. */
function requestedTargets(path: string): string[][] {
  return simulator
    .calls(path)
    .map(({ body }) => (body as { targets: string[] }[])[0]?.targets ?? []);
}

async function bulk(key: string, name: string, targets: readonly string[]) {
  const path = `/seo/backlinks/${name}`;
  const answer = await gateway.call<Envelope<Bulk>>(key, "POST", path, { body: { targets } });
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  return answer.body;
}

test("1000 targets are one upstream call, answered in order and charged one by one", async () => {
  const { key, accountId } = await gateway.key({ credits: 1500 });
  const targets = hosts(1000);
  const { data, billing } = await bulk(key, "bulk-ranks", targets);
  expect(data.results.map(({ target }) => target)).toEqual(targets);
  expect(data.missing_targets).toBeUndefined();
  expect(data.unprocessed_targets).toBeUndefined();
  expect(requestedTargets(ranksPath).map((piece) => piece.length)).toEqual([1000]);
  expect(billing).toEqual({
    credits_charged: 1000,
    records_charged: 1000,
    balance_remaining: 500,
    truncated_due_to_balance: false,
  });
  expect(await gateway.balance(accountId)).toEqual({ balance: 500, held: 0 });
});

test("1000 hosts of page summaries are ten calls, three at a time, answered in order", async () => {
  const { key } = await gateway.key({ credits: 1000 });
  simulator.play(pagesPath, { faults: [], rest: { kind: "delay", ms: 200 } });
  const targets = hosts(1000);
  const { data, billing } = await bulk(key, "bulk-pages-summary", targets);
  expect(data.results.map(({ target }) => target)).toEqual(targets);
  expect(requestedTargets(pagesPath).map((piece) => piece.length)).toEqual(Array(10).fill(100));
  expect(simulator.most()).toBe(3);
  expect(billing).toMatchObject({ credits_charged: 1000, balance_remaining: 0 });
});

test("one chunk of a split call fails: the rest is delivered and charged, the lost targets are named", async () => {
  const { key, accountId } = await gateway.key({ credits: 1000 });
  const targets = hosts(350).with(150, "fails.example");
  const { data, billing } = await bulk(key, "bulk-pages-summary", targets);
  const lost = targets.slice(100, 200);
  expect(data.results.map(({ target }) => target)).toEqual(
    targets.filter((target) => !lost.includes(target)),
  );
  expect(data.unprocessed_targets).toEqual(lost);
  expect(data.missing_targets).toBeUndefined();
  expect(billing).toEqual({
    credits_charged: 250,
    records_charged: 250,
    balance_remaining: 750,
    truncated_due_to_balance: false,
  });
  expect(await gateway.balance(accountId)).toEqual({ balance: 750, held: 0 });
});

test("every chunk fails: an error, and nothing is charged", async () => {
  const { key, accountId } = await gateway.key({ credits: 1000 });
  const targets = hosts(150).with(0, "fails.example").with(120, "fails.other.example");
  const answer = await gateway.call<ErrorEnvelope>(
    key,
    "POST",
    "/seo/backlinks/bulk-pages-summary",
    {
      body: { targets },
    },
  );
  expect(answer.status).toBe(502);
  expect(answer.body.error.type).toBe("upstream_error");
  expect(await gateway.balance(accountId)).toEqual({ balance: 1000, held: 0 });
});

test("a balance of 137 requests, returns and charges exactly 137", async () => {
  const { key, accountId } = await gateway.key({ credits: 137 });
  const targets = hosts(1000);
  const { data, billing } = await bulk(key, "bulk-ranks", targets);
  expect(requestedTargets(ranksPath)).toEqual([targets.slice(0, 137)]);
  expect(data.results.map(({ target }) => target)).toEqual(targets.slice(0, 137));
  expect(data.unprocessed_targets).toEqual(targets.slice(137));
  expect(billing).toEqual({
    credits_charged: 137,
    records_charged: 137,
    balance_remaining: 0,
    truncated_due_to_balance: true,
  });
  expect(await gateway.balance(accountId)).toEqual({ balance: 0, held: 0 });
});

test("unknown targets are named and free, duplicates are requested and charged once", async () => {
  const { key } = await gateway.key({ credits: 10 });
  const targets = ["b.example", "blog.a.example", "B.Example", "a.example", "https://a.example/"];
  const { data, billing } = await bulk(key, "bulk-ranks", targets);
  expect(requestedTargets(ranksPath)).toEqual([["b.example", "blog.a.example", "a.example"]]);
  expect(data.results.map(({ target }) => target)).toEqual(["b.example", "a.example"]);
  expect(data.missing_targets).toEqual(["blog.a.example"]);
  expect(billing).toMatchObject({ credits_charged: 2, truncated_due_to_balance: false });
});

test("a balance of two delivers two, even after an unknown target", async () => {
  const { key, accountId } = await gateway.key({ credits: 2 });
  const targets = ["blog.a.example", "b.example", "c.example"];
  const { data, billing } = await bulk(key, "bulk-ranks", targets);
  expect(requestedTargets(ranksPath)).toEqual([["blog.a.example", "b.example"], ["c.example"]]);
  expect(data.results.map(({ target }) => target)).toEqual(["b.example", "c.example"]);
  expect(data.missing_targets).toEqual(["blog.a.example"]);
  expect(data.unprocessed_targets).toBeUndefined();
  expect(billing).toMatchObject({ credits_charged: 2, truncated_due_to_balance: false });
  expect(await gateway.balance(accountId)).toEqual({ balance: 0, held: 0 });
});

test("malformed targets are named by their index and nothing is sent", async () => {
  const { key } = await gateway.key({ credits: 10 });
  const answer = await gateway.call<ErrorEnvelope>(key, "POST", "/seo/backlinks/bulk-ranks", {
    body: { targets: ["a.example", "b.example", "c.example", "no host"] },
  });
  expect(answer.status).toBe(400);
  expect(answer.body.error.issues).toMatchObject([{ in: "body", path: "targets[3]" }]);
  expect(simulator.calls()).toEqual([]);
});

test("a field that only the upstream refuses is the caller's fault", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const task = { status_code: 40501, status_message: "Invalid Field: 'date_from'.", cost: 0 };
  const json = { status_code: 20000, tasks: [task] };
  simulator.play("*", { faults: [{ kind: "status", status: 200, json }] });
  const answer = await gateway.call<ErrorEnvelope>(
    key,
    "POST",
    "/seo/backlinks/bulk-new-lost-backlinks",
    { body: { targets: ["a.example"], date_from: "2020-01-01" } },
  );
  expect(answer.status).toBe(400);
  expect(answer.body.error).toMatchObject({
    type: "validation_error",
    issues: [{ in: "body", path: "date_from" }],
  });
  expect(await gateway.balance(accountId)).toEqual({ balance: 10, held: 0 });
});
