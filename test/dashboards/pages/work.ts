import { expect, test } from "vitest";
import { accountNamed } from "../../../db/accounts.ts";
import { basic, eventually } from "../services.ts";
import type { Stage } from "./stage.ts";

async function showsWebhooks(stage: Stage): Promise<void> {
  const { gateway, board, text } = stage;
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
}

async function showsBatches(stage: Stage): Promise<void> {
  const { gateway, text } = stage;
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
  expect(await text("/work/jobs?account=busy&operation=seo.backlinks.list")).toMatch(
    / svc_job1 busy test seo.backlinks.list queued [\d.]+ m?s svc_job2 /,
  );
  await cancelsABatch(stage, "/work/batches/bat_half");
  await sql`delete from jobs where owner = 'elsewhere'`;
  await sql`delete from batches where owner = 'nobody'`;
  await sql`update accounts set disabled = false where id = ${account}`;
}

async function cancelsABatch({ board, text }: Stage, page: string): Promise<void> {
  const send = (why: string) => board.send("POST", page, { why });
  expect(await text(page)).toMatch(
    / The 100 items that wait are dropped.* The 55 credits charged so far stay charged\./,
  );
  const refused = await send(" ");
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("Not done: give a reason"),
  ]);
  expect((await send("their program loops")).headers.get("location")).toBe(page);
  const after = await text(page);
  expect(after).toMatch(/State cancelled .*Cancelled 100 Credits charged 55 /);
  expect(after).not.toContain("Cancel the batch");
  expect(await (await send("once more")).text()).toContain("the batch is cancelled already");
  expect(await text("/changes?kind=batch")).toMatch(
    / operator page batch bat_half – state cancelled, charged 55 their program loops /,
  );
  expect((await board.get("/work/batches/bat_none")).status).toBe(404);
}

/** No worker serves the pool of the job, so it waits until it is cancelled. */
async function cancelsAJob({ gateway, board, text }: Stage): Promise<void> {
  const { key } = await gateway.key({ account: "waiting", mode: "test" });
  const { status, body } = await gateway.call<{ request_id: string }>(
    key,
    "POST",
    "/browser/markdown",
    { headers: { prefer: "respond-async" }, body: { url: "https://example.com/" } },
  );
  const id = body.request_id;
  expect(status).toBe(202);
  const page = `/work/jobs/${id}`;
  expect(await text("/work/jobs?account=waiting")).toContain(` ${id} waiting test `);
  expect(await text(page)).toMatch(/State queued .* costs nothing\..* Cancel the job /);
  await eventually(async () => expect(await text(`/calls/${id}`)).toContain(" Cancel it "));
  const foreign = await fetch(board.url + page, {
    method: "POST",
    headers: { authorization: basic, origin: "https://elsewhere.example" },
    body: new URLSearchParams({ why: "forged" }),
  });
  expect(foreign.status).toBe(403);
  expect((await board.send("POST", page, { why: "submitted twice" })).status).toBe(303);
  expect(await text(page)).toMatch(/State cancelled /);
  expect(await text("/changes?kind=job")).toContain(
    ` operator page job ${id} – state cancelled submitted twice `,
  );
  const again = await board.send("POST", page, { why: "once more" });
  expect([again.status, await again.text()]).toEqual([
    400,
    expect.stringContaining("the job is cancelled already"),
  ]);
}

/** The pages of webhooks, batches and jobs of all accounts. */
export function testWork(stage: Stage): void {
  test("webhooks of all accounts: the failing first, their deliveries, and one sent again", () =>
    showsWebhooks(stage));
  test("batches with their progress and probable end, one cancelled with a reason, and unfinished jobs by account", () =>
    showsBatches(stage));
  test("a job is cancelled with a reason, from its page only", () => cancelsAJob(stage));
}
