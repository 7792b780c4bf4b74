import { afterAll, beforeAll, expect, test } from "vitest";
import type { BatchData } from "../../contract/batches.ts";
import type { BudgetData } from "../../contract/budget.ts";
import type { DryRunData } from "../../contract/pricing.ts";
import { setBudget } from "../../db/budgets.ts";
import { cliJson } from "../cli/cli.ts";
import { full } from "../faults/full.ts";
import { type Envelope, type ErrorEnvelope, Gateway, until } from "../gateway.ts";

/** The price of a call before it runs, and caps on it. */

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social,serp,seo,seo-bulk" });
  await gateway.startApi();
});
afterAll(async () => {
  expect(await gateway?.violations()).toEqual([]);
  await gateway?.stop();
});

type DryRunAnswer = Envelope<DryRunData> & ErrorEnvelope;
type Listed = Envelope<{ id: string }[]> & ErrorEnvelope;
const dry = { "Svc-Dry-Run": "true" };
const search = "/shortclip/search?q=tea&limit=7";
const serp = { query: "how do heat pumps work", target: "example.com" };

const booked = async (accountId: number) =>
  (
    await gateway.db.sql`
      select 1 from holds where account_id = ${accountId}
      union all select 1 from replays where account_id = ${accountId}
      union all select 1 from jobs where account_id = ${accountId}
      union all select 1 from batches where account_id = ${accountId}`
  ).length;

test("a dry run is validated and priced, and leaves nothing behind", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 5 });
  const list = await gateway.call<DryRunAnswer>(key, "GET", search, { headers: dry });
  expect(list.status, list.text).toBe(200);
  expect(list.headers.get("svc-dry-run")).toBe("true");
  expect(list.body.billing).toMatchObject({ credits_charged: 0, balance_remaining: 5 });
  expect(list.body.data).toMatchObject({
    dry_run: true,
    credits: { least: 1, most: 7 },
    covered: { least: true, most: false, by: 5 },
  });
  expect(list.body.data.why).toContain("at most 7");
  const one = await gateway.call<DryRunAnswer>(key, "GET", "/shortclip/users/cook", {
    headers: dry,
  });
  expect(one.body.data.credits).toEqual({ least: 1, most: 1 });

  const keyed = { ...dry, "Idempotency-Key": "priced", Prefer: "respond-async" };
  const post = { body: serp, headers: keyed };
  const minimum = await gateway.call<DryRunAnswer>(key, "POST", "/geo/serp", post);
  expect(minimum.status, minimum.text).toBe(200);
  expect(minimum.body.data.credits.least).toBe(10);
  expect(minimum.body.data.covered).toMatchObject({ least: false, most: false });
  expect(await booked(accountId)).toBe(0);
  // The key is unused, so another call may take it.
  const other = { body: { query: "coffee", limit: 1 }, headers: { "Idempotency-Key": "priced" } };
  const real = await gateway.call<Listed>(key, "POST", "/maps/search", other);
  expect(real.status, real.text).not.toBe(422);
});

test("a dry run reports the faults of its call, and of a malformed header", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const fault = await gateway.call<DryRunAnswer>(key, "GET", "/shortclip/search", { headers: dry });
  expect(fault.body.error).toMatchObject({ type: "validation_error", issues: [{ path: "q" }] });
  const id = await gateway.call<DryRunAnswer>(key, "GET", "/shortclip/videos/x", { headers: dry });
  expect(id.body.error.type).toBe("invalid_id");
  for (const [name, value] of [
    ["Svc-Dry-Run", "yes"],
    ["Svc-Max-Credits", "0"],
    ["Svc-Max-Credits", "1.5"],
    ["Svc-Max-Credits", "99999999999999999"],
  ] as const) {
    const refused = await gateway.call<DryRunAnswer>(key, "GET", search, {
      headers: { [name]: value },
    });
    expect(refused.status, value).toBe(400);
    expect(refused.body.error.issues?.[0]).toMatchObject({ in: "header", path: name });
  }
  const elsewhere = await gateway.call<DryRunAnswer>(key, "PATCH", "/account", {
    body: { balance_alert_below: 3 },
    headers: dry,
  });
  expect(elsewhere.body.error.issues?.[0]?.code).toBe("not_a_call");
});

test("a dry run counts against the rate like any call", async () => {
  const { key } = await gateway.key({ mode: "test", rate: 2 });
  const all = await Promise.all(
    Array.from({ length: 30 }, () => gateway.call(key, "GET", search, { headers: dry })),
  );
  expect(all.map(({ status }) => status)).toContain(429);
});

test("a batch is priced as the sum of its items, and nothing of it is kept", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 100 });
  const items = [
    { custom_id: "a", operation: "shortclip.search", input: { q: "tea", limit: 7 } },
    { custom_id: "b", operation: "geo.serp", input: serp },
  ];
  const priced = (body: object) =>
    gateway.call<DryRunAnswer>(key, "POST", "/batches", { body, headers: dry });
  const whole = await priced({ items });
  expect(whole.status, whole.text).toBe(200);
  const { credits } = whole.body.data;
  expect(credits.least).toBe(11);
  expect(credits.most).toBeGreaterThanOrEqual(17);
  const capped = await priced({ items, max_credits: 12 });
  expect(capped.body.data.credits).toEqual({ least: 11, most: 12 });
  const broken = await priced({ items: [{ ...items[0], input: {} }] });
  expect(broken.body.error.issues?.[0]?.path).toBe("items[0].input.q");
  const refused = await gateway.call<DryRunAnswer>(key, "POST", "/batches", {
    body: { items },
    headers: { "Svc-Max-Credits": "3" },
  });
  expect(refused.body.error.message).toContain("max_credits");
  expect(await booked(accountId)).toBe(0);
});

test("Svc-Max-Credits cuts a list, whose cursor continues after it", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const all = await gateway.call<Listed>(key, "GET", search);
  const headers = { "Svc-Max-Credits": "3" };
  const first = await gateway.call<Listed>(key, "GET", search, { headers });
  expect(first.status, first.text).toBe(200);
  expect(first.body.billing).toMatchObject({
    credits_charged: 3,
    truncated_due_to_balance: true,
  });
  const { next_cursor: cursor } = first.body.pagination as { next_cursor: string };
  const rest = await gateway.call<Listed>(key, "GET", `${search}&cursor=${cursor}`);
  const ids = ({ body }: { body: Listed }) => body.data.map(({ id }) => id);
  expect([...ids(first), ...ids(rest)].slice(0, 7)).toEqual(ids(all));
  const wide = await gateway.call<Listed>(key, "GET", search, {
    headers: { "Svc-Max-Credits": "7" },
  });
  expect(wide.body.billing).toMatchObject({ credits_charged: 7, truncated_due_to_balance: false });
});

test("a cap below the least price is refused before any cost; a key is bound to its cap", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 500 });
  const call = (most: string) =>
    gateway.call<Listed>(key, "POST", "/geo/serp", {
      body: serp,
      headers: { "Svc-Max-Credits": most, "Idempotency-Key": "capped" },
    });
  const refused = await call("9");
  expect(refused.status).toBe(400);
  expect(refused.body.error.issues?.[0]).toMatchObject({
    in: "header",
    path: "Svc-Max-Credits",
    code: "too_small",
  });
  expect(await booked(accountId)).toBe(0);
  const paid = await call("10");
  expect(paid.status, paid.text).toBe(200);
  expect(paid.body.billing.credits_charged).toBe(10);
  expect((await call("11")).status).toBe(422);
  expect((await call("10")).text).toBe(paid.text);
});

test("a job is capped like a synchronous call", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const job = await gateway.call<Listed>(key, "GET", search, {
    headers: { "Svc-Max-Credits": "2", Prefer: "wait=60" },
  });
  expect(job.status, job.text).toBe(200);
  expect(job.body.billing.credits_charged).toBe(2);
});

test("the command line prints the price of a capped call", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const env = { GATEWAY_URL: gateway.url, GATEWAY_KEY: key };
  const args = ["call", "shortclip.search", "--q", "tea", "--limit", "7", "--max-credits", "3"];
  const price = await cliJson<DryRunData>([...args, "--dry-run"], env);
  expect(price.json.credits).toEqual({ least: 1, most: 3 });
});

const inUsage = async (accountId: number) =>
  (
    await gateway.db.sql<{ credits: number }[]>`
      select coalesce(sum(credits), 0)::int as credits from usage where account_id = ${accountId}`
  )[0]?.credits;

test("parallel calls by two API processes never exceed a budget by one credit, and use it up", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", rate: 100_000, inFlight: 2000 });
  await setBudget(gateway.db, { accountId, mode: "test", period: "day", credits: 40, who: "test" });
  const path = "/shortclip/search?q=tea&limit=1";
  let charged = 0;
  const statuses = new Set<number>();
  const ask = async (url: string) => {
    const { status, body, headers } = await gateway.call<Listed>(key, "GET", path, { url });
    statuses.add(status);
    if (status === 200) charged += body.billing.credits_charged;
    return { status, body, headers };
  };
  // The database's own test always runs 1,000 at once.
  const calls = full ? 1000 : 300;
  let begun = 0;
  const caller = async (_: unknown, index: number) => {
    while (begun < calls) {
      begun += 1;
      await ask(gateway.apis[index % 2]?.url as string);
    }
  };
  await Promise.all(Array.from({ length: 250 }, caller));
  // 429 and 503: a queue that is briefly full.
  expect([...statuses].filter((status) => ![200, 402, 429, 503].includes(status))).toEqual([]);
  expect(statuses.has(402)).toBe(true);
  let last = await ask(gateway.url);
  for (; last.status !== 402; last = await ask(gateway.url))
    expect(charged).toBeLessThanOrEqual(40);
  expect(charged).toBe(40);
  expect(await inUsage(accountId)).toBe(40);
  const { message, billing } = last.body.error;
  expect(message).toMatch(
    /^The budget of the account, 40 credits a day, .* it renews at \d{4}-\d\d-\d\dT00:00:00Z$/,
  );
  expect(billing).toEqual({ balance_remaining: 960, credits_required: 1 });
  expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(last.headers.get("svc-budget")).toMatch(/^"account-day";q=40;r=0;t=\d+$/);
});

test("a budget of a key is set by the operator, reported everywhere, and applies to jobs and batches", async () => {
  const { key, keyId, accountId } = await gateway.key({ mode: "test" });
  const args = ["keys", "budget", keyId, "--per", "month", "--credits", "5", "--alert", "50"];
  const set = await cliJson<{ budgets: object[]; changes: { who: string }[] }>(args, {
    DATABASE_URL: gateway.db.url,
  });
  expect(set.json.budgets).toMatchObject([{ key: keyId, period: "month", credits: 5, held: 0 }]);
  expect(set.json.changes[0]?.who).toContain("command line");
  const alerts = async () =>
    (await gateway.call<Envelope<{ budgets: BudgetData[] }>>(key, "GET", "/account")).body.data
      .budgets;
  expect(await alerts()).toMatchObject([{ of: "key", key_id: keyId, left: 5, alert_percent: 50 }]);

  const price = await gateway.call<DryRunAnswer>(key, "GET", search, { headers: dry });
  expect(price.body.data.covered).toEqual({ least: true, most: false, by: 5 });
  const cut = await gateway.call<Listed>(key, "GET", search);
  expect(cut.body.billing).toMatchObject({ credits_charged: 5, truncated_due_to_balance: true });
  expect(cut.headers.get("svc-budget")).toMatch(/^"key-month";q=5;r=0;t=\d+$/);
  expect(cut.body.pagination?.has_more).toBe(true);
  expect(await alerts()).toMatchObject([{ charged: 5, held: 0, left: 0 }]);

  const job = await gateway.call<Listed>(key, "GET", search, {
    headers: { Prefer: "respond-async" },
  });
  expect(job.status).toBe(402);
  expect(job.body.error.message).toContain(`The budget of the key ${keyId}, 5 credits a month`);
  const items = [{ custom_id: "a", operation: "shortclip.search", input: { q: "tea" } }];
  const batch = await gateway.call<Envelope<BatchData>>(key, "POST", "/batches", {
    body: { items },
  });
  const { id } = batch.body.data;
  const lookedAt = async () =>
    (await gateway.call<Envelope<BatchData>>(key, "GET", `/batches/${id}`)).body.data;
  await until(async () => (await lookedAt()).state === "ended");
  const [line] = await gateway.results(key, id);
  expect(line?.error?.message).toContain("budget");
  // The account's other key is not bound by it.
  const other = await gateway.secondKey(accountId, "test");
  expect((await gateway.call<Listed>(other, "GET", search)).body.billing.credits_charged).toBe(7);
});

test("fields choose members of each record, at the same price, and a key keeps the whole answer", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const list = await gateway.call<Envelope<{ id: string; author: object }[]>>(
    key,
    "GET",
    `${search}&fields=id,author.username`,
  );
  expect(list.status, list.text).toBe(200);
  expect(list.body.billing.credits_charged).toBe(7);
  expect(list.body.pagination?.next_cursor).toBeTypeOf("string");
  for (const row of list.body.data) {
    expect(Object.keys(row).toSorted()).toEqual(["author", "id"]);
    expect(Object.keys(row.author)).toEqual(["username"]);
  }
  // A cursor is not bound to the chosen fields.
  const next = `${search}&cursor=${list.body.pagination?.next_cursor}`;
  expect((await gateway.call(key, "GET", next)).status).toBe(200);

  const keyed = (fields?: string) =>
    gateway.call<Envelope<{ results: object[]; query: string }>>(key, "POST", "/geo/serp", {
      body: serp,
      headers: { "Idempotency-Key": "fields", ...(fields ? { "Svc-Fields": fields } : {}) },
    });
  const some = await keyed("type");
  expect(some.status, some.text).toBe(200);
  const whole = await keyed();
  expect(whole.headers.get("idempotency-replayed")).toBe("true");
  expect(Object.keys(some.body.data)).toEqual(Object.keys(whole.body.data));
  expect(some.body.data.results).toEqual(
    (whole.body.data.results as { type?: string }[]).map(({ type }) => ({ type })),
  );
  expect((await keyed("type")).text).toBe(some.text);

  const job = await gateway.call<Listed>(key, "GET", `${search}&fields=id`, {
    headers: { Prefer: "wait=60" },
  });
  expect(Object.keys(job.body.data[0] ?? {})).toEqual(["id"]);
  // The stored result has all fields, so other fields can be chosen later.
  const same = await gateway.call<Listed>(key, "GET", `/jobs/${job.body.request_id}/result`);
  expect(same.body).toEqual(job.body);
  const result = await gateway.call<Listed>(key, "GET", `/jobs/${job.body.request_id}/result`, {
    headers: { "Svc-Fields": "author" },
  });
  expect(Object.keys(result.body.data[0] ?? {})).toEqual(["author"]);
  const path = `/jobs/${job.body.request_id}/result?fields=`;
  const chosen = await gateway.call<Listed>(key, "GET", `${path}id,title`);
  expect(Object.keys(chosen.body.data[0] ?? {}).toSorted()).toEqual(["id", "title"]);
  const wrong = await gateway.call<DryRunAnswer>(key, "GET", `${path}id,titel`);
  expect(wrong.body.error).toMatchObject({
    type: "validation_error",
    issues: [{ in: "query", path: "fields", code: "unknown_member" }],
  });
  expect(wrong.body.error.message).toContain("nearest is title");
});

test("each line of a batch has the chosen members, for each of its operations", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const items = [
    { custom_id: "list", operation: "shortclip.search", input: { q: "tea", limit: 3 } },
    {
      custom_id: "one",
      operation: "shortclip.videos.get",
      input: { video_id: "7300000000000000001" },
    },
  ];
  const hand = (body: object, headers: Record<string, string> = {}) =>
    gateway.call<Envelope<BatchData> & ErrorEnvelope>(key, "POST", "/batches", { body, headers });
  const lines = async (id: string) => {
    await until(
      async () =>
        (await gateway.call<Envelope<BatchData>>(key, "GET", `/batches/${id}`)).body.data.state ===
        "ended",
    );
    const lines = await gateway.results(key, id);
    return new Map(lines.map((line) => [line.custom_id, line as unknown as Line]));
  };
  type Line = { data: object | object[]; billing: { credits_charged: number } };

  const made = await hand({ items, fields: "id,author.username" });
  expect(made.status, made.text).toBe(202);
  const some = await lines(made.body.data.id);
  expect(some.get("list")).toMatchObject({ billing: { credits_charged: 3 } });
  const video = { id: expect.any(String), author: { username: expect.any(String) } };
  expect(some.get("list")?.data).toEqual([video, video, video]);
  expect(some.get("one")?.data).toEqual(video);

  const byHeader = await hand({ items }, { "Svc-Fields": "id" });
  const ids = await lines(byHeader.body.data.id);
  expect(ids.get("one")?.data).toEqual({ id: "7300000000000000001" });

  const both = await hand({ items, fields: "id" }, { "Svc-Fields": "id" });
  expect(both.body.error.issues?.[0]).toMatchObject({ path: "fields", code: "duplicate" });
  const user = { custom_id: "who", operation: "shortclip.users.get", input: { username: "cook" } };
  for (const headers of [{}, dry]) {
    const refused = await hand({ items: [...items, user], fields: "id,titel" }, headers);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({
      type: "validation_error",
      issues: [
        { in: "body", path: "fields", code: "unknown_member" },
        { in: "body", path: "fields", code: "unknown_member" },
        { in: "body", path: "fields", code: "unknown_member" },
      ],
    });
    expect(refused.body.error.message).toBe(
      "fields: titel is no member of a record; the nearest is title (shortclip.search)",
    );
  }
});

test("an unknown member name is refused, with the nearest known one", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const refused = await gateway.call<DryRunAnswer>(
    key,
    "GET",
    `${search}&fields=id,autor.username,x`,
  );
  expect(refused.status).toBe(400);
  expect(refused.body.error.message).toBe(
    "fields: autor.username is no member of a record; the nearest is author.username",
  );
  expect(refused.body.error.issues).toHaveLength(2);
  const twice = await gateway.call<DryRunAnswer>(key, "GET", `${search}&fields=id`, {
    headers: { "Svc-Fields": "id" },
  });
  expect(twice.body.error.issues?.[0]).toMatchObject({ path: "fields", code: "duplicate" });
});
