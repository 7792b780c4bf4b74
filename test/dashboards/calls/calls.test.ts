import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CallLogEntry, encodeLogEntry, refusedKey } from "../../../runtime/call-log.ts";
import { createAccount } from "../../../db/accounts.ts";
import { type TestDatabase, testDatabase } from "../../database.ts";
import { besideMs, full } from "../../faults/full.ts";
import { type Dashboards, type RedisServer, dashboards, redisServer } from "../services.ts";

/** The list of calls over a week of many calls: every call on one page, filters, and the time of a page. */

const calls = full ? 100_000 : 5_000;
const refusals = 120;
let server: RedisServer;
let redis: Redis;
let db: TestDatabase;
let board: Dashboards;

beforeAll(async () => {
  server = await redisServer();
  [db] = await Promise.all([testDatabase(), server.start()]);
  redis = new Redis(server.url);
  const accounts: number[] = [];
  for (let n = 0; n < 10; n += 1) accounts.push(await createAccount(db, `account-${n}`));
  const [first = 0] = accounts;
  // Ten calls end in the same microsecond each.
  await db.sql`
    insert into usage (request_id, account_id, mode, key_id, operation, status, error_type, credits, records, duration_ms, at)
    select 'svc_' || n, ${first} + n % 10, case when n % 5 = 0 then 'test' else 'live' end, 'key' || n % 20,
      case when n % 3 = 0 then 'maps.search' else 'seo.backlinks.list' end,
      case when n % 50 = 0 then 502 else 200 end, case when n % 50 = 0 then 'upstream_error' end,
      1, 1, n % 1000, now() - (n / 10) * (interval '6 days' / (${calls}::int / 10)) - interval '3 minutes'
    from generate_series(1, ${calls}::int) as n`;
  await db.sql`analyze usage`;
  const now = Date.now();
  for (let n = 0; n < refusals; n += 1) {
    const at = now - n * 20_000;
    const entry: CallLogEntry = {
      fate: "refused",
      at,
      status: 429,
      method: "GET",
      operation: "maps.search",
      pool: "serp",
      mode: "live",
      account: first,
      key: "key-1",
      api: "api-1",
      stages: { edge: 1.5 },
      error: { type: "rate_limited" },
    };
    await redis.hset(refusedKey(Math.floor(at / 60_000)), `svc_refused${n}`, encodeLogEntry(entry));
  }
  board = await dashboards(server.url, { databaseUrl: db.url });
});

afterAll(async () => {
  await board?.app.close();
  redis?.disconnect();
  await db?.drop();
  await server?.stop();
});

interface Shown {
  ids: string[];
  next: string | undefined;
  html: string;
}

async function page(path: string): Promise<Shown> {
  const from = performance.now();
  const answer = await board.get(path);
  const html = await answer.text();
  expect(answer.status, `${path}: ${/role="alert">(.*?)</.exec(html)?.[1]}`).toBe(200);
  expect(performance.now() - from, path).toBeLessThan(300 + besideMs);
  const ids = [...html.matchAll(/<a href="\/calls\/(svc_\w+)">/g)].map(([, id = ""]) => id);
  const next = /<a href="([^"]+)" rel="next">/.exec(html)?.[1]?.replaceAll("&amp;", "&");
  return { ids, next, html };
}

async function everyPage(path: string): Promise<string[]> {
  const ids: string[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const shown: Shown = await page(next);
    ids.push(...shown.ids);
    next = shown.next;
  }
  return ids;
}

test("the pages of a day show each call and each refused request once, the newest first", async () => {
  const ids = await everyPage("/calls?hours=24");
  expect(new Set(ids).size).toBe(ids.length);
  const [row] = await db.sql<{ count: number }[]>`
    select count(*)::int as count from usage where at > now() - interval '24 hours'`;
  expect(ids.filter((id) => /^svc_\d/.test(id))).toHaveLength(row?.count ?? 0);
  expect(ids.filter((id) => id.startsWith("svc_refused"))).toHaveLength(refusals);
  // Nine refusals are younger than the youngest call.
  expect(ids.slice(0, 3)).toEqual(["svc_refused0", "svc_refused1", "svc_refused2"]);
});

test.each([
  ["account=account-3", (n: number) => n % 10 === 3],
  ["key=key-none", undefined],
  ["operation=maps.search&mode=test", (n: number) => n % 3 === 0 && n % 5 === 0],
  ["area=maps&status=200", (n: number) => n % 3 === 0 && n % 50 !== 0],
  ["status=5xx", (n: number) => n % 50 === 0],
  ["type=upstream_error", (n: number) => n % 50 === 0],
])("%s: only such calls, over the whole week", async (query, matches) => {
  if (!matches) {
    const answer = await board.get(`/calls?${query}`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain("There is no key key-none.");
    return;
  }
  const expected = Array.from({ length: calls }, (_, at) => at + 1).filter(matches).length;
  if (expected <= 1000) {
    const ids = await everyPage(`/calls?hours=168&${query}`);
    expect(ids.filter((id) => /^svc_\d/.test(id))).toHaveLength(expected);
  }
  const { ids } = await page(`/calls?hours=168&${query}`);
  const ran = ids.filter((id) => /^svc_\d/.test(id)).map((id) => Number(id.slice(4)));
  expect(ran.filter((n) => !matches(n))).toEqual([]);
});

test("the slowest first, page by page", async () => {
  const first = await page("/calls?hours=168&order=slowest");
  const durations = (ids: string[]) => ids.map((id) => Number(id.slice(4)) % 1000);
  expect(first.ids).toHaveLength(50);
  const second = await page(first.next as string);
  const both = durations([...first.ids, ...second.ids]);
  expect(both).toEqual(both.toSorted((a, b) => b - a));
  expect(new Set([...first.ids, ...second.ids]).size).toBe(100);
});

test("a wrong filter keeps what was typed and offers near names", async () => {
  const answer = await board.get("/calls?account=acount-3&operation=maps.serch&hours=6&type=nope");
  expect(answer.status).toBe(400);
  const html = await answer.text();
  for (const text of [
    'value="acount-3"',
    'value="maps.serch"',
    '<option value="6" selected>',
    '<option value="nope" selected>',
    "Near names: maps.search",
  ]) {
    expect(html).toContain(text);
  }
  const account = await board.get("/calls?account=account");
  expect(account.status).toBe(404);
  expect(await account.text()).toContain("There is no account account. Near names: account-0");
});

test("a row narrows the list and leads to the timeline of its call", async () => {
  const { html } = await page("/calls?hours=168&status=502");
  expect(html).toContain('<a href="/calls?account=account-0&amp;status=502&amp;hours=168">');
  const redirected = await board.get("/calls/svc_refused0");
  expect(redirected.status).toBe(200);
  expect(await redirected.text()).toContain("Refused with 429 rate_limited");
});

test("the overview lists the busiest accounts of the hour, with errors and credits", async () => {
  const insert = async (name: string, mode: string, count: number, failEvery: number) => {
    const id = await createAccount(db, name);
    await db.sql`
      insert into usage (request_id, account_id, mode, operation, status, error_type, credits, records, duration_ms, at)
      select 'svc_' || left(${name}, 4) || n, ${id}, ${mode}, 'maps.search', case when n % ${failEvery}::int = 0 then 502 else 200 end,
        case when n % ${failEvery}::int = 0 then 'upstream_error' end, case when n % ${failEvery}::int = 0 then 0 else 3 end,
        1, 5, now() - interval '59 minutes'
      from generate_series(1, ${count}::int) as n`;
  };
  await insert("busy <b>", "live", 3_000, 1_500);
  await insert("failing", "live", 2_000, 2);
  await insert("trial", "test", 1_900, 1);
  const earlier = await createAccount(db, "earlier");
  await db.sql`
    insert into usage (request_id, account_id, mode, operation, status, credits, records, duration_ms, at)
    select 'svc_earlier' || n, ${earlier}, 'live', 'maps.search', 200, 1, 1, 5, now() - interval '61 minutes'
    from generate_series(1, 4000) as n`;
  const { html } = await page("/");
  const [, part = ""] = html.split("<h2>Busiest accounts");
  const rows = [...(part.split("</table>")[0] ?? "").matchAll(/<tr>(<td.*?)<\/tr>/g)].map(
    ([, row = ""]) => [...row.matchAll(/<td([^>]*)>(.*?)<\/td>/g)],
  );
  const words = rows.map((cells) =>
    cells.map(([, , text = ""]) => text.replaceAll(/<[^>]+>/g, "")),
  );
  expect(words.slice(0, 3)).toEqual([
    ["busy &lt;b&gt;", "live", "3,000", "2, under 1 %", "8,994"],
    ["failing", "live", "2,000", "1,000, 50 %", "3,000"],
    ["trial", "test", "1,900", "1,900, 100 %", "0"],
  ]);
  expect(rows.length).toBeLessThanOrEqual(10);
  expect(words.flat()).not.toContain("earlier");
  expect(rows.slice(0, 3).map((cells) => cells[3]?.[1]?.includes("bad"))).toEqual([
    false,
    true,
    false,
  ]);
  expect(part).toContain('href="/accounts/busy%20%3Cb%3E"');
  const failed = "/calls?account=failing&status=failed&mode=live&hours=1";
  expect(part).toContain(`<a href="${failed.replaceAll("&", "&amp;")}">1,000, 50 %</a>`);
  expect((await page(failed)).ids.length).toBeGreaterThan(0);
});
