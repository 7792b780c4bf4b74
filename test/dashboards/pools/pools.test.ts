import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import type { Page } from "puppeteer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { driftKey, driftOpenKey, encodeProfile, openFindings } from "../../../runtime/drift.ts";
import { grains, slotOf, timesKey } from "../../../runtime/latency-histograms.ts";
import { accountNamed } from "../../../db/accounts.ts";
import { setBudget } from "../../../db/budgets.ts";
import { beginCanary, endCanary } from "../../../db/canaries.ts";
import { decide } from "../../../db/controls.ts";
import { keepVerification } from "../../../db/verifications.ts";
import { backlinks, backlinksEnv, backlinksPath } from "../../faults/cases.ts";
import { Gateway } from "../../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../../upstream/spawn.ts";
import { type BareChromium, startBareChromium } from "../../worker/browser/shared-context.ts";
import { type Dashboards, basic, dashboards, eventually, password, user } from "../services.ts";

/** The pages of pools and operations on a busy gateway: their content and layout. */

const operation = "seo.backlinks.list";
let upstream: SpawnedSimulator;
let gateway: Gateway;
let redis: Redis;
let board: Dashboards;
let chromium: BareChromium;
beforeAll(async () => {
  upstream = await spawnSimulator();
  gateway = await Gateway.start({
    pools: "seo",
    env: { ...backlinksEnv(upstream), WORKER_SLOTS: "2" },
  });
  redis = new Redis(gateway.redis.url);
  board = await dashboards(gateway.redis.url, {
    databaseUrl: gateway.db.url,
    writable: true,
  });
  chromium = await startBareChromium();
});
afterAll(async () => {
  await chromium?.close();
  await board?.app.close();
  redis?.disconnect();
  await gateway?.stop();
  await upstream?.stop();
});

const text = async (path: string) => {
  const answer = await board.get(path);
  expect(answer.status, path).toBe(200);
  return (await answer.text()).replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
};

test("running and waiting calls, their durations, failures and reasons", async () => {
  const busy = await gateway.key({ account: "busy" });
  await upstream.play(backlinksPath, {
    faults: [502, 502, 502].map((status) => ({ kind: "status", status })),
    rest: { kind: "delay", ms: 300 },
  });
  const failed = await backlinks(gateway, busy.key, "failed");
  expect(failed.status).toBeGreaterThanOrEqual(502);
  for (let count = 0; count < 4; count++) {
    expect((await backlinks(gateway, busy.key, `slow${count}`)).status).toBe(200);
  }
  await eventually(async () => {
    const page = await text("/pools/seo");
    expect(page).toMatch(/Run, 5 min 5 jobs p50 [\d.]+ m?s p95 [\d.]+ m?s p99/);
    expect(page).toMatch(/dataforseo closed [\d.]+ \/s/);
  });
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "hold" } });
  const calls = Array.from({ length: 5 }, (_, count) => backlinks(gateway, busy.key, `b${count}`));
  // Two run, the others wait.
  await eventually(async () => {
    const page = await text("/pools/seo");
    expect(page).toMatch(/Oldest waiting [\d.]+ m?s Waiting 3 /);
    expect(page).toMatch(/busy live 2 3 /);
  });
  const [pool, one, other] = await Promise.all(
    ["/pools/seo", `/pools/seo/${operation}`, "/pools/seo/seo.backlinks.summary"].map(text),
  );
  for (const page of [pool, one]) {
    expect(page).toContain(failed.headers.get("svc-request-id"));
    expect(page).toContain("http_502");
    expect(page).toMatch(/upstream_\w+ 1 of the last 1/);
  }
  expect(pool).toContain(operation);
  expect(other).toContain("None within a day.");
  expect(other).toContain("Run, 24 h 0 jobs");
  expect((await board.get("/pools/nowhere")).status).toBe(404);
  expect((await board.get(`/pools/serp/${operation}`)).status).toBe(404);
  await upstream.play(backlinksPath, { faults: [] });
  await upstream.release();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(5).fill(200));
});

test("the first line of the overview: a drained pool, a capped account and twenty failed calls", async () => {
  const { key } = await gateway.key({ account: "unlucky", inFlight: 100 });
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "status", status: 502 } });
  const calls = Array.from({ length: 20 }, (_, count) => backlinks(gateway, key, `u${count}`));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(Math.min(...statuses)).toBeGreaterThanOrEqual(502);
  const decision = { who: "operator", why: "their maintenance" };
  await decide(gateway.db, { ...decision, kind: "pool", target: "serp", effect: "drain" });
  const cap = { kind: "account", target: "unlucky", effect: "cap", perMinute: 60 };
  await decide(gateway.db, { ...decision, ...cap });
  await eventually(async () => {
    const html = await (await board.get("/")).text();
    const line = /<p class="status wrong" role="alert">(.*?)<\/p>/s.exec(html)?.[1] ?? "";
    const words = line.replaceAll(/<[^>]+>/g, "");
    expect(words).toMatch(/^Wrong: .*the pool serp is drained since \d\d:\d\dZ/);
    expect(words).toMatch(/the account unlucky is capped: at most 60 a minute since \d\d:\d\dZ/);
    // One call of an earlier test failed too.
    expect(words).toMatch(
      /2[01] of 3\d live calls of the last hour failed in seo \(upstream_\w+ \d+.*\) since \d\d:\d\dZ/,
    );
  });
  const page = await text("/");
  expect(page).toMatch(/pool serp drained \d\d:\d\dZ – operator their maintenance/);
  expect(page).toMatch(/Errors of the last hour live 2[01] of 3\d calls/);
  expect(page).toMatch(/webhooks no workers 0 – – 0 \/ 0 0/);
  expect(page).toMatch(/Live credits [1-9]\d* of [1-9]\d* calls/);
  expect(page).toMatch(/busy live [1-9]\d* /);
  await upstream.play(backlinksPath, { faults: [] });
});

test("the page of an account: its figures, and a decision with a reason", async () => {
  const [row] = await gateway.db.sql<{ id: string }[]>`
    select k.id from api_keys k join accounts a on a.id = k.account_id where a.name = 'busy'`;
  await setBudget(gateway.db, {
    accountId: (await accountNamed(gateway.db, "busy"))?.id ?? 0,
    mode: "live",
    period: "day",
    credits: 500,
    who: "test",
  });
  const page = await text("/accounts/busy");
  expect(page).toMatch(
    /Live credits left [\d,]+ Test credits left 1,000,000 Live calls in flight 0 of/,
  );
  expect(page).toMatch(/Errors of a day .*upstream_\w+ live 1 /);
  expect(page).toMatch(/Use by day .*\d{4}-\d\d-\d\d live 10 1 9 /);
  expect(page).toMatch(new RegExp(`Top operations of 7 days .*${operation} live 10 1 9 `));
  expect(page).toMatch(/Budgets .*all keys live day 9 of 500 /);
  expect(page).toMatch(new RegExp(`Keys .*${row?.id} live valid \\d{4}-`));
  expect(await text("/accounts?name=USY")).toMatch(/ busy open [\d,]+ 1,000,000 0 10 1 9 /);
  expect(await text("/accounts")).toMatch(/ unlucky at most 60 a minute /);
  const unknown = await board.get("/accounts/bus");
  expect(unknown.status).toBe(404);
  expect(await unknown.text()).toContain(`<a href="/accounts/busy">`);

  const decision = { kind: "account", target: "busy", why: "their loop" };
  const back = "/accounts/busy";
  const capped = await board.send("POST", "/controls", {
    ...decision,
    effect: "cap",
    per_minute: 600,
    back,
  });
  expect([capped.status, capped.headers.get("location")]).toEqual([303, back]);
  expect(await text(back)).toMatch(/In force .*account busy at most 600 a minute .* their loop /);
  const ended = await board.send("POST", "/controls", {
    ...decision,
    effect: "none",
    back: "//elsewhere.example",
  });
  expect([ended.status, ended.headers.get("location")]).toEqual([303, "/controls"]);
  expect(await text(back)).not.toContain("In force");

  const send = (values: Record<string, string>) =>
    fetch(board.url + back, {
      method: "POST",
      redirect: "manual",
      headers: { authorization: basic, origin: board.url },
      body: new URLSearchParams({ why: "they grow", ...values }),
    });
  const limits = { change: "limits", rate: "75", in_flight: "30", state: "open" };
  expect((await send(limits)).headers.get("location")).toBe(back);
  const budget = { change: "budget", mode: "live", period: "day", credits: "800", alert: "90" };
  expect((await send(budget)).status).toBe(303);
  const changed = await text(back);
  expect(changed).toMatch(/in flight 0 of 30 .* at most 75 /);
  expect(changed).toMatch(/Budgets .*all keys live day 9 of 800 /);
  expect(changed).toMatch(/operator page limits of busy .* rate per second 75.* they grow /);
  expect((await send({ ...budget, credits: "" })).status).toBe(303);
  expect(await text(back)).toMatch(/ budget busy live day credits 800, alert percent 90 removed /);
  for (const wrong of [{ rate: "0" }, { in_flight: "x" }, { state: "shut" }, { why: " " }]) {
    const refused = await send({ ...limits, rate: "76", ...wrong });
    expect(refused.status).toBe(400);
    const html = await refused.text();
    expect(html).toContain("Not done: ");
    expect(html).toContain(
      `name="rate" required inputmode="numeric" pattern="[0-9]{1,13}" value="${wrong.rate ?? "76"}"`,
    );
  }
  expect((await accountNamed(gateway.db, "busy"))?.ratePerSecond).toBe(75);
});

test("webhooks of all accounts: the failing first, their deliveries, and one sent again", async () => {
  const { sql } = gateway.db;
  const id = `whe_${"a".repeat(32)}`;
  const account = (await accountNamed(gateway.db, "busy"))?.id ?? 0;
  const url = "https://hooks.example/in?token=s3cret";
  await sql`
    insert into webhook_endpoints (id, account_id, mode, url, events, secret, failing_since)
    values (${id}, ${account}, 'live', ${url}, '{job.ended}', '\\x00', now())`;
  await sql`
    insert into webhook_events (id, account_id, mode, type, body)
    values ('evt_1', ${account}, 'live', 'job.ended', '{}')`;
  await sql`
    insert into webhook_deliveries (id, event_id, endpoint_id, account_id, mode, lane, state, attempts, due_at, expires_at, answers, ended_at)
    values ('whd_1', 'evt_1', ${id}, ${account}, 'live', 'lane', 'failed', 9, now(), now(), '[{"status":500}]', now())`;
  expect(await text("/webhooks")).toMatch(
    / busy live https:\/\/hooks.example\/in fails since [\d: -]+Z 0 /,
  );
  const page = `/webhooks/${id}`;
  expect(await text(page)).toMatch(/ job.ended failed 9 500 – evt_1 /);
  expect(await (await board.get(page)).text()).not.toContain("s3cret");
  const send = (change: string, why = "they mended it") =>
    board.send("POST", page, { change, delivery: "whd_1", why });
  expect((await send("off")).status).toBe(303);
  expect(await text(page)).toContain("switched off");
  expect((await send("replay")).status).toBe(400);
  expect((await send("on")).status).toBe(303);
  expect((await send("replay", "")).status).toBe(400);
  expect((await send("replay")).status).toBe(303);
  expect(await text(page)).toMatch(/ job.ended (pending|sending) /);
  expect(await text("/changes?kind=webhook")).toMatch(
    / operator page webhook whe_a+ – sent again, delivery whd_1 they mended it /,
  );
  expect((await board.get("/webhooks/whe_unknown")).status).toBe(404);
});

test("batches with their progress and probable end, and unfinished jobs by account", async () => {
  const { sql } = gateway.db;
  const account = (await accountNamed(gateway.db, "busy"))?.id ?? 0;
  const batch = { account_id: account, mode: "test", key_id: "key", version: "2026-07-01" };
  const columns = sql`public_id, account_id, mode, key_id, version, owner, state, total, queued, succeeded, failed, cancelled, charged, began_at, ended_at`;
  const owned = sql`${batch.account_id}, ${batch.mode}, ${batch.key_id}, ${batch.version}`;
  // The first one takes a process: none carries out a batch whose account is disabled.
  await sql`update accounts set disabled = true where id = ${account}`;
  await sql`insert into batches (${columns})
    values ('bat_half', ${owned}, 'nobody', 'running', 200, 100, 97, 3, 0, 55, now() - interval '60 s', null)`;
  await sql`insert into batches (${columns})
    values ('bat_done', ${owned}, 'nobody', 'ended', 10, 0, 10, 0, 0, 10, now() - interval '90 s', now())`;
  await sql`insert into job_owners (id, until) values ('elsewhere', now() + interval '1 hour')`;
  await sql`
    insert into jobs (request_id, account_id, mode, key_id, operation, version, idempotency_key, owner, created_at)
    select 'svc_job' || i, ${account}, 'test', 'key', 'seo.backlinks.list', '2026-07-01', 'k' || i, 'elsewhere', now() - interval '90 s'
    from generate_series(1, 3) i`;
  const page = await text("/work");
  expect(page).toMatch(
    / bat_half busy test running 50 % 100 of 200 100 0 3 55 [\d: -]+Z in about [\d.]+ (s|min) /,
  );
  expect(page).toMatch(/ bat_done busy test ended 100 % 10 of 10 /);
  expect(page).toMatch(/ busy test seo.backlinks.list 3 0 [\d.]+ (s|min) /);
  expect(await text("/work?account=unlucky")).not.toContain("bat_");
  await sql`delete from jobs where owner = 'elsewhere'`;
  await sql`delete from batches where owner = 'nobody'`;
  await sql`update accounts set disabled = false where id = ${account}`;
});

test("the page of an upstream: its account, errors, spend, changed fields and dependent operations", async () => {
  const finding = {
    path: "tasks[].result[].items[].rank",
    change: "gone",
    was: "number in 100 % of 60 answers",
    now: "absent in 20 answers",
    first: Date.now() - 3_600_000,
    last: Date.now(),
  } as const;
  const about = { operation, upstream: "dataforseo", route: "POST /v3/backlinks" };
  const times = { answers: 80, since: 0, last: Date.now() };
  const profile = { ...about, ...times, findings: [finding], places: {} };
  const field = `${operation} dataforseo POST /v3/backlinks`;
  await redis.hset(driftKey, field, encodeProfile({ revision: 1, profile }));
  await redis.hset(driftOpenKey, field, openFindings(profile));
  await keepVerification(gateway.db, { operation, verdict: "fails", cause: "its funds are gone" });
  await keepVerification(gateway.db, { operation: "seo.backlinks.summary", verdict: "works" });
  const call = { callId: "one", dollars: 0.01 };
  const asked = { operation, upstreams: ["dataforseo"] };
  await beginCanary(gateway.db, { ...call, ...asked, routes: ["dataforseo POST /v3/backlinks"] });
  await endCanary(gateway.db, call, {
    ...asked,
    verdict: "fails",
    fault: "changed",
    cause: "dataforseo: its answer has changed",
    paths: ["items[].rank"],
    ms: 12,
    dollars: 0.002,
  });
  await eventually(async () => {
    const list = await text("/upstreams");
    expect(list).toMatch(
      / dataforseo present \d\d:\d\dZ (closed|open in 1 worker) \d+ % of \d+ – (none|unknown|\$).* 1 field 1 of 2 fail, \d\d:\d\dZ /,
    );
    // This worker serves no pool that asks it.
    expect(list).toMatch(/ tikhub no worker reports \d+ /);
  });
  const page = await text("/upstreams/dataforseo");
  expect(page).toMatch(/Its variables DATAFORSEO_ LOGIN, DATAFORSEO_ PASSWORD /);
  expect(page).toMatch(/Workers that have it 1 of 1 /);
  expect(page).toMatch(/Answers of the last hour since \d\d:\d\dZ .* 502 \d+ \d+ % /);
  expect(page).toContain("tasks[].result[].items[].rank gone number in 100 % of 60 answers");
  expect(page).toMatch(/80 answers of 1 route were seen/);
  expect(page).toMatch(
    new RegExp(`${operation} fails – fails, \\d{4}-\\d\\d-\\d\\d changed its funds are gone`),
  );
  expect(page).toMatch(/seo\.backlinks\.summary works \d\d:\d\dZ – – – /);
  expect(await text("/canaries")).toMatch(
    new RegExp(`${operation} dataforseo fails .* its answer has changed items\\[\\]\\.rank`),
  );
  const overview = await text("/");
  expect(overview).toContain("answers of dataforseo have changed (1 field of 1 operation)");
  expect(overview).toContain("the daily call of 1 operation failed (dataforseo)");
  expect((await board.get("/upstreams/nobody")).status).toBe(404);
  expect((await board.get("/upstreams/x-token")).headers.get("location")).toBe("/upstreams/x");
  expect(await text("/upstreams/reddit")).toContain("No live answer has been seen");
});

/** A plausible day, so that the charts have data. */
async function writeDay(subjects: string[]): Promise<void> {
  const now = Date.now();
  const commands = redis.multi();
  for (const subject of subjects) {
    for (const grain of ["fine", "coarse"] as const) {
      for (let ago = 1; ago < grains[grain].kept - 1; ago++) {
        const slot = slotOf(grain, now) - ago;
        const key = timesKey(subject, grain, slot);
        const load = 1 + Math.sin((slot * grains[grain].ms) / 7_000_000);
        if (ago % 23 === 5) continue;
        for (let count = 0; count < 12; count++) {
          commands.hincrby(key, `r${Math.round(30 + load * 5 + count / 2)}`, 3);
          commands.hincrby(key, `w${Math.round(load * 12 + count * 1.5)}`, 3);
        }
        commands.expire(key, 600);
      }
    }
  }
  await commands.exec();
}

async function logIn(page: Page): Promise<void> {
  await page.goto(`${board.url}/login`);
  await page.type("input[name=user]", user);
  await page.type("input[name=password]", password);
  await Promise.all([page.waitForNavigation(), page.click("button")]);
}

test("every page fits a desktop and a phone", async () => {
  await writeDay(["seo", `seo/${operation}`]);
  const why = "their maintenance, until noon";
  const decided = { who: "operator", why, minutes: 60 };
  await decide(gateway.db, { ...decided, kind: "upstream", target: "reddit", effect: "off" });
  await decide(gateway.db, {
    ...decided,
    kind: "operation",
    target: operation,
    effect: "cap",
    perMinute: 600,
  });
  const [logged] = await gateway.db.sql<{ request_id: string }[]>`
    select request_id from stories order by id limit 1`;
  const paths = {
    overview: "/",
    call: `/calls/${logged?.request_id}`,
    pool: "/pools/seo",
    operation: `/pools/seo/${operation}`,
    controls: "/controls",
    calls: "/calls",
    failed: "/calls?status=failed&hours=1",
    accounts: "/accounts",
    account: "/accounts/busy",
    changes: "/changes",
    webhooks: "/webhooks",
    work: "/work",
    endpoint: `/webhooks/whe_${"a".repeat(32)}`,
    workers: "/workers",
    upstreams: "/upstreams",
    upstream: "/upstreams/dataforseo",
    unknown: "/upstreams/reddit",
    canaries: "/canaries",
    login: "/login",
  };
  const folder = process.env["SCREENSHOTS"];
  if (folder) mkdirSync(folder, { recursive: true });
  const page = await chromium.openPersistent();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await logIn(page);
  for (const [name, path] of Object.entries(paths)) {
    for (const width of [1400, 390]) {
      await page.setViewport({ width, height: 900 });
      const answer = await page.goto(board.url + path);
      expect(answer?.status(), path).toBe(200);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide, `${path} at ${width}`).toBeLessThanOrEqual(width);
      if (folder)
        await page.screenshot({ path: join(folder, `${name}-${width}.png`), fullPage: true });
    }
  }
  // The content security policy allows everything on the page.
  expect(faults).toEqual([]);

  await page.goto(`${board.url}/controls`);
  await page.select("form.card select[name=target]", "social");
  await page.type("form.card input[name=why]", "by hand");
  await Promise.all([page.waitForNavigation(), page.click("form.card button")]);
  expect(page.url()).toBe(`${board.url}/controls`);
  expect(await page.content()).toContain("pool social");
  await page.close();
});

test("figures change without a reload: typed text, focus and open details stay", async () => {
  const page = await chromium.openPersistent();
  await logIn(page);
  await page.goto(`${board.url}/pools/seo`);
  await page.evaluate("window.mark = 'the same page'");
  await page.type("input[name=id]", "svc_typed");
  await decide(gateway.db, {
    who: "operator",
    why: "seen without a reload",
    kind: "pool",
    target: "seo",
    effect: "drain",
  });
  await page.waitForFunction("document.body.textContent.includes('seen without a reload')");
  const kept = "[window.mark, document.activeElement.name, document.activeElement.value]";
  expect(await page.evaluate(kept)).toEqual(["the same page", "id", "svc_typed"]);
  // Without scripts the page reloads.
  await page.setJavaScriptEnabled(false);
  await page.goto(`${board.url}/pools/seo`);
  expect(await page.$("meta[http-equiv=refresh]")).not.toBeNull();
  await page.close();
});
