import { decide } from "../../../db/controls.ts";
import { migrate } from "../../../db/migrate.ts";
import { upstreamControlsKey } from "../../../runtime/controls.ts";
import { type Heartbeat, heartbeatEveryMs } from "../../../runtime/queue.ts";
import { heartbeatKey } from "../../../runtime/redis/keys.ts";
import { emptyDatabase, opened } from "../../database.ts";
import { until } from "../../gateway.ts";
import { clientOf } from "../../redis.ts";
import { serp } from "./call-flows.ts";
import { type Caller, claim } from "./caller.ts";
import type { Flow } from "./flow.ts";

/** Operators' decisions, and programs that end by themselves: the health check of a worker and the migration. */

/** A decision is in force by then, whatever becomes of a round trip. */
const inForceMs = 20_000;
/** The health check of a container ends by then. */
const healthMs = 15_000;
/** An operator gives up a migration that says nothing for this long. */
const migrationMs = 15_000;

async function within(ms: number, what: string, holds: () => Promise<boolean>): Promise<void> {
  await until(holds, ms).catch(() => claim(false, `${what} not within ${ms} ms`));
}

/** A paused pool takes no call until it is resumed; workers learn which upstream is off. */
async function controls(caller: Caller): Promise<void> {
  const { db, redis: server } = caller.lane.gateway;
  const decided = (kind: string, target: string, effect: string) =>
    decide(db, { who: "test", why: "test", kind, target, effect });
  const redis = clientOf(server.url);
  const upstreamIs = (state: string, text: string) =>
    within(inForceMs, `the upstream is ${state}`, async () =>
      Boolean((await redis.get(upstreamControlsKey))?.startsWith(text)),
    );
  caller.lane.watch();
  try {
    await Promise.all([decided("pool", "serp", "pause"), decided("upstream", "reddit", "off")]);
    // Calls that were queued before wait until the pool is resumed.
    await within(inForceMs, "the pool is paused", async () =>
      Boolean(await redis.hexists("gateway:serp:meta", "paused")),
    );
    // A call that loses a round trip is refused for that; the next one names the operators' decision.
    for (const end = Date.now() + inForceMs; ;) {
      const refused = await caller.ask(serp);
      const books = `${refused?.status}: ${refused?.text}`;
      claim(refused === undefined || refused.status === 503, books);
      if (refused === undefined || refused.text.includes("stopped")) break;
      claim(Date.now() < end, books);
    }
    await upstreamIs("off", '[{"upstream":"reddit"');
    await Promise.all([decided("pool", "serp", "none"), decided("upstream", "reddit", "none")]);
    const told = await caller.insist(serp);
    claim(told.status === 200, told.text);
    await upstreamIs("on", "[]");
    await caller.settled();
  } finally {
    redis.disconnect();
  }
}

/** The health check of a worker says within its time what it found, and the next one finds the worker. */
async function health(caller: Caller): Promise<void> {
  const check = () => caller.lane.program("health", "worker/health.ts", { withinMs: healthMs });
  caller.lane.watch();
  const { code, log } = await check();
  claim([0, 1, "SIGKILL"].includes(code), `the health check: ${code} ${log}`);
  caller.lane.relays.pause();
  const again = await check();
  claim(again.code === 0, `the next health check: ${again.code} ${again.log}`);
}

/** A worker goes on to report that it lives. */
async function heartbeat(caller: Caller): Promise<void> {
  const { lane } = caller;
  const redis = clientOf(lane.gateway.redis.url);
  const latest = async () =>
    Math.max(
      ...Object.values(await redis.hgetall(heartbeatKey("social"))).map(
        (json) => (JSON.parse(json) as Heartbeat).at,
      ),
    );
  try {
    lane.watch();
    await caller.idle(heartbeatEveryMs + 1000);
    await lane.recovered();
    const before = await latest();
    await within(inForceMs, "the next heartbeat", async () => (await latest()) > before);
  } finally {
    redis.disconnect();
  }
}

/** A migration that is repeated after a fault leaves the database that one without a fault leaves. */
async function migration(caller: Caller): Promise<void> {
  const database = await emptyDatabase();
  const db = opened(database);
  try {
    caller.lane.watch();
    await caller.lane.program("migration", "local/migrate.ts", {
      withinMs: migrationMs,
      stores: { database: database.url },
    });
    caller.lane.relays.pause();
    await migrate(database.url);
    const left = await migrate(database.url);
    claim(left.length === 0, `pending after a migration: ${left.join(", ")}`);
    const objects = ({ sql }: typeof db) => sql<{ objects: string }[]>`
      select md5(string_agg(what, ',' order by what)) as objects from (
        select 'column ' || table_name || ' ' || column_name || ' ' || data_type as what
          from information_schema.columns where table_schema = 'public'
        union all select 'index ' || indexdef from pg_indexes where schemaname = 'public'
        union all select 'function ' || md5(prosrc) from pg_proc
          where pronamespace = 'public'::regnamespace
        union all select 'version ' || name || ' ' || sha256 from schema_versions) every`;
    const [made] = await objects(db);
    const [usual] = await objects(caller.lane.gateway.db);
    claim(made?.objects === usual?.objects, "the migrated database differs from the usual one");
  } finally {
    await db.drop();
  }
}

export const programFlows: readonly Flow[] = [
  {
    name: "controls",
    also: [
      "api postgres from controls",
      "api redis get controls",
      "api redis hexists queue:meta",
      "worker redis get controls",
    ],
    run: controls,
  },
  { name: "health check of a worker", run: health },
  {
    name: "heartbeat of a worker",
    also: [
      "worker redis hgetall workers:queue",
      "worker redis hset workers:queue",
      "worker redis time *",
    ],
    run: heartbeat,
  },
  { name: "migration", run: migration },
];
