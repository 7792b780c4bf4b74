import type { Redis } from "ioredis";
import { operations } from "../contract/index.ts";
import { pools } from "../contract/operation.ts";
import { upstreamNames } from "../runtime/controls.ts";
import {
  type DriftFinding,
  driftKey,
  driftOpenKey,
  encodeProfile,
  openFindings,
} from "../runtime/drift.ts";
import { processKey, processesKey } from "../runtime/metrics-publisher.ts";
import { heartbeatKey } from "../runtime/redis/keys.ts";
import type { Database } from "../db/client.ts";
import { texts } from "../db/job-rows.ts";

/** A large installation, written to its stores at once: what the pages for operators then have to read. */

export const size = { accounts: 1_000, calls: 100_000, days: 365, workers: 200, canaryDays: 30 };

/** Accounts with keys, balances, a week of calls with their timelines, and a year of use by day. */
async function fillCalls({ sql }: Database, callId: string): Promise<void> {
  await sql`
    insert into accounts (name) select 'account-' || lpad(i::text, 4, '0') from generate_series(1, ${size.accounts}::int) i`;
  await sql`
    insert into balances (account_id, mode, balance)
    select a.id, m, 1000000 from accounts a, unnest(array['live', 'test']) m where a.name like 'account-%'`;
  await sql`
    insert into api_keys (id, account_id, mode, digest)
    select 'key_' || a.id || m, a.id, m, sha256((a.id || m)::bytea)
    from accounts a, unnest(array['live', 'test']) m where a.name like 'account-%'`;
  const ids = [...operations.keys()];
  // A few accounts make most of the calls, and one call in ten fails.
  await sql`
    insert into usage (request_id, account_id, mode, key_id, operation, status, error_type, credits, records, duration_ms, at)
    select 'svc_' || md5(i::text), a.id, case when i % 5 = 0 then 'test' else 'live' end,
      'key_' || a.id || case when i % 5 = 0 then 'test' else 'live' end,
      (${texts(sql, ids)})[1 + i % ${ids.length}::int],
      case when i % 10 = 3 then 502 else 200 end, case when i % 10 = 3 then 'upstream_error' end,
      case when i % 10 = 3 then 0 else 3 end, case when i % 10 = 3 then 0 else 3 end, 50 + i % 3000,
      now() - i * interval '6 s'
    from generate_series(1, ${size.calls}::int) i
      join accounts a on a.name = 'account-' || lpad((1 + (i::bigint * i % ${size.accounts}::int))::text, 4, '0')`;
  await sql`
    insert into holds (id, account_id, mode, key_id, operation, amount, state, deadline, created_at)
    select request_id, account_id, mode, key_id, operation, 3, 'settled', at, at - duration_ms * interval '1 ms' from usage
    on conflict do nothing`;
  await sql`
    insert into settlements (hold_id, credits, records, truncated, available, status, at)
    select request_id, credits, records, false, 1000, status, at from usage where request_id <> ${callId}
    on conflict do nothing`;
  await sql`
    insert into stories (request_id, call_id, account_id, at, story)
    select u.request_id, u.request_id, u.account_id, u.at, s.story
    from usage u, (select story from stories where request_id = ${callId} limit 1) s where u.request_id <> ${callId}`;
  await sql`
    insert into usage_days (account_id, mode, day, operation, calls, errors, credits, records)
    select a.id, 'live', (now() at time zone 'UTC')::date - d, 'maps.search', 10, 1, 30, 30
    from accounts a, generate_series(8, ${size.days}::int) d where a.name like 'account-%'`;
}

/** Webhooks, batches, jobs, decisions with their log, verifications and daily calls. */
async function fillRest({ sql }: Database): Promise<void> {
  await sql`
    insert into webhook_endpoints (id, account_id, mode, url, events, secret, failing_since)
    select 'whe_' || md5(a.name), a.id, 'live', 'https://hooks.example/' || a.id, '{job.ended}', '\\x00',
      case when a.id % 10 = 0 then now() end from accounts a where a.name like 'account-%'`;
  await sql`
    insert into webhook_events (id, account_id, mode, type, body)
    select 'evt_' || request_id, account_id, 'live', 'job.ended', '{}' from usage order by request_id limit 20000`;
  await sql`
    insert into webhook_deliveries (id, event_id, endpoint_id, account_id, mode, lane, state, attempts, due_at, expires_at, answers)
    select 'whd_' || e.id, e.id, w.id, w.account_id, 'live', 'lane', 'pending', 2, now() + interval '1 hour',
      now() + interval '1 day', '[{"status":500}]'
    from webhook_events e join webhook_endpoints w on w.account_id = e.account_id`;
  await sql`
    insert into batches (public_id, account_id, mode, key_id, version, owner, state, total, queued, succeeded, failed, began_at, ended_at)
    select 'bat_' || a.id || '_' || i, a.id, 'test', 'key', '2026-07-01', 'nobody', 'ended', 200, 0, 197, 3,
      now() - interval '1 hour', now() - i * interval '1 min'
    from accounts a, generate_series(1, 10) i where a.name like 'account-%'`;
  await sql`insert into job_owners (id, until) values ('elsewhere', now() + interval '1 day')`;
  await sql`
    insert into jobs (request_id, account_id, mode, key_id, operation, version, idempotency_key, owner)
    select 'svc_job' || a.id || '_' || i, a.id, 'test', 'key', 'maps.search', '2026-07-01', 'k' || i, 'elsewhere'
    from accounts a, generate_series(1, 5) i where a.name like 'account-%'`;
  await sql`
    insert into controls (who, why, kind, target, effect, per_minute)
    select 'operator', 'their loop', 'account', 'account-' || lpad((1 + i % 300)::text, 4, '0'),
      case when i % 2 = 0 then 'cap' else 'none' end, case when i % 2 = 0 then 60 end
    from generate_series(1, 3000) i`;
  const ids = [...operations.keys()];
  await sql`
    insert into verifications (operation, at, verdict, cause)
    select id, now(), 'works', null from unnest(${texts(sql, ids)}) id`;
  await sql`
    insert into canaries (day, operation, at, upstreams, routes, verdict, fault, cause, paths, ms, dollars)
    select (now() at time zone 'UTC')::date - d, id, now() - d * interval '1 day', '["reddit"]', '["reddit GET /x"]',
      case when d = 0 then 'fails' else 'works' end, case when d = 0 then 'changed' end,
      case when d = 0 then 'its answer has changed' end, '[]', 300, 0.001
    from unnest(${texts(sql, ids)}) id, generate_series(0, ${size.canaryDays - 1}::int) d`;
  await sql`analyze`;
}

const finding: DriftFinding = {
  path: "tasks[].result[].items[].rank",
  change: "gone",
  was: "number in 100 % of 60 answers",
  now: "absent in 20 answers",
  first: 0,
  last: 0,
};

/** Worker processes with their heartbeats, and changed fields of every operation at one upstream. */
async function fillRedis(redis: Redis): Promise<void> {
  const now = Date.now();
  const commands = redis.multi();
  for (let number = 0; number < size.workers; number += 1) {
    const name = `machine-${number >> 2}-${number}`;
    const about = { version: "0.2.0", name, since: now - 3_600_000 };
    const gauges = Object.fromEntries(
      upstreamNames.map((one) => [JSON.stringify(["gateway_upstream_breaker_open", one]), 0]),
    );
    commands.zadd(processesKey, Math.round(now / 1000) + 600, name);
    commands.hset(processKey(name), {
      role: "worker",
      memory: 200e6,
      gauges: JSON.stringify(gauges),
      about: JSON.stringify(about),
    });
    const machine = {
      process: name,
      host: `machine-${number >> 2}`,
      busy_processors: 1,
      processors: 4,
      own_processors: 1,
      memory_used: 4e9,
      memory: 8e9,
      own_limits: false,
    };
    const beat = { at: now + 600_000, slots: 8, running: 4, mean_run_ms: 300, machine };
    const pool = pools[number % pools.length] as (typeof pools)[number];
    commands.hset(heartbeatKey(pool), name, JSON.stringify(beat));
  }
  for (const operation of operations.keys()) {
    const about = { operation, upstream: "reddit", route: "GET /x" };
    const places = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`items[].field${at}`, { n: 60 }]),
    ) as never;
    const profile = { ...about, answers: 80, since: 0, last: now, findings: [finding], places };
    const field = `${operation} reddit GET /x`;
    commands.hset(driftKey, field, encodeProfile({ revision: 1, profile }));
    commands.hset(driftOpenKey, field, openFindings(profile));
  }
  await commands.exec();
}

export async function fill(db: Database, redis: Redis, callId: string): Promise<void> {
  await fillCalls(db, callId);
  await fillRest(db);
  await fillRedis(redis);
}
