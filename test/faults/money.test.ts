import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../../contract/index.ts";
import { type Operation, countRecords } from "../../contract/operation.ts";
import { addCredits } from "../../db/accounts.ts";
import { audit } from "../../db/audit.ts";
import { DatabaseError } from "../../db/errors.ts";
import { type Envelope, type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { type Choices, choices, seeded } from "../random.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { type Attempt, type BookedCall, type TopUps, contradictions } from "./history.ts";

const seconds = Number(process.env["MONEY_SECONDS"] ?? 5);
/**
 * A call of this area may last 60 s, and so does the hold of a dead process; longer runs wait for
 * it.
 */
const waitsForDeadlines = seconds >= 60;
const graceMs = 1000;
const op = operations.get("seo.backlinks.list") as Operation;

interface Client {
  accountId: number;
  key: string;
  topUps: TopUps;
  /**
   * Its balance did not cover a call: it is topped up only then, so that balances stay near zero.
   */
  isShort: boolean;
}
interface Keyed {
  client: Client;
  key: string;
  body: object;
  done: boolean;
}

let upstream: SpawnedSimulator;
let gateway: Gateway;
let redis: Redis;
beforeAll(async () => {
  upstream = await spawnSimulator();
  gateway = await Gateway.start({
    pools: "seo",
    env: {
      DATAFORSEO_BASE_URL: upstream.url,
      DATAFORSEO_LOGIN: "sample",
      DATAFORSEO_PASSWORD: "sample",
      DATAFORSEO_CALLS_PER_MINUTE: "100000",
      HOLD_GRACE_MS: String(graceMs),
    },
  });
  await Promise.all([gateway.startWorker({ WORKER_POOLS: "seo" }), gateway.startApi()]);
  redis = new Redis(gateway.redis.url, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined);
});
afterAll(async () => {
  redis?.disconnect();
  await gateway?.stop();
  await upstream?.stop();
});

const history: Attempt[] = [];
const keyedCalls: Keyed[] = [];
/** A slow machine continues until it has seen all required events. */
const patienceMs = 120_000;
const seen = {
  snapshots: 0,
  truncated: 0,
  refused: 0,
  unknown: 0,
  replayed: 0,
  faults: 0,
  kills: 0,
};

interface Attempted {
  body: object;
  keyed?: Keyed | undefined;
  leaves?: boolean;
}

async function attempt(client: Client, pick: Choices, asked: Attempted): Promise<void> {
  const { body, keyed, leaves = false } = asked;
  const { accountId: account, key } = client;
  const one: Attempt = { account, status: "unknown", ...(keyed ? { key: keyed.key } : {}) };
  const { url } = gateway.apis[pick(gateway.apis.length)] as { url: string };
  try {
    const answer = await gateway.call<Envelope & ErrorEnvelope>(key, op.method, op.path, {
      body,
      url,
      ...(keyed ? { headers: { "Idempotency-Key": keyed.key } } : {}),
      ...(leaves ? { signal: AbortSignal.timeout(pick(1, 400)) } : {}),
    });
    one.status = answer.status;
    one.requestId = answer.headers.get("svc-request-id") as string;
    one.text = answer.text;
    if (answer.status === 200) {
      const { billing, data } = answer.body;
      one.charged = billing.credits_charged;
      one.records = billing.records_charged;
      one.remaining = billing.balance_remaining;
      one.delivered = countRecords(op, data);
      if (billing.truncated_due_to_balance) {
        seen.truncated += 1;
        client.isShort = true;
      }
      if (answer.headers.get("idempotency-replayed") === "true") seen.replayed += 1;
    }
    if (answer.status === 402) {
      seen.refused += 1;
      client.isShort = true;
    }
    if (keyed && (answer.status === 200 || answer.status === 404)) keyed.done = true;
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause;
    if (cause?.code === "ECONNREFUSED") {
      await sleep(100);
      return;
    }
    seen.unknown += 1;
  }
  history.push(one);
}

async function topUp(client: Client, pick: Choices): Promise<void> {
  const { accountId, topUps } = client;
  client.isShort = false;
  const credits = pick(10, 70);
  try {
    await addCredits(gateway.db, accountId, "live", credits, "top-up");
    topUps.sure += credits;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    topUps.unsure += credits;
  }
}

async function drive(client: Client, name: string, goesOn: () => boolean): Promise<void> {
  const pick = choices(name);
  for (let count = 0; goesOn(); count += 1) {
    const body = { target: `site${name}x${count}.example.com`, limit: pick(1, 16) };
    const chance = pick(20);
    const leaves = pick(10) === 0;
    if (chance < 3 && client.isShort) await topUp(client, pick);
    else if (chance < 9) await attempt(client, pick, { body, leaves });
    else if (chance < 12 && keyedCalls.length > 0) {
      const keyed = keyedCalls[keyedCalls.length - 1 - pick(Math.min(20, keyedCalls.length))];
      if (keyed) await attempt(keyed.client, pick, { body: keyed.body, keyed, leaves });
    } else {
      const keyed: Keyed = { client, key: `${name}-${count}`, body, done: false };
      keyedCalls.push(keyed);
      const retries = Array.from({ length: pick(1, 3) }, () =>
        attempt(client, pick, { body, keyed, leaves }),
      );
      await Promise.all(retries);
      for (let again = 0; again < 3 && !keyed.done; again += 1)
        await attempt(client, pick, { body, keyed });
    }
  }
}

const killOne = async (kind: "api" | "worker") => {
  seen.kills += 1;
  if (kind === "worker") {
    await gateway.workers.shift()?.kill("SIGKILL");
    await gateway.startWorker({ WORKER_POOLS: "seo" });
    return;
  }
  const doomed = gateway.apis[0];
  await doomed?.process.kill("SIGKILL");
  gateway.apis.shift();
  await gateway.startApi();
};
const cut = (type: string) => redis.call("CLIENT", "KILL", "TYPE", type, "SKIPME", "yes");
/** Simulates a long-dead process: the sweeper races with the call's settle. */
const ageOne = () => gateway.db.sql`
  update holds set deadline = now() - ${graceMs + 100} * interval '1 ms'
  where id in (select id from holds where state = 'open' order by random() limit 1)`;
const terminate = () => gateway.db.sql`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()
    and backend_type = 'client backend' and random() < 0.4`;

const faults: (() => Promise<unknown>)[] = [
  () => killOne("worker"),
  terminate,
  () => cut("normal"),
  ageOne,
  () => killOne("api"),
  () => cut("pubsub"),
  terminate,
];

async function nemesis(goesOn: () => boolean): Promise<void> {
  const pick = choices("faults");
  for (let count = 0; goesOn(); count += 1) {
    const fault = faults[count % faults.length] as () => Promise<unknown>;
    // A statement may meet the backend that an earlier one killed.
    await fault().catch((error: unknown) => {
      if (/did not start|not within/.test(String(error))) throw error;
    });
    seen.faults += 1;
    await sleep(pick(200, 700));
  }
}

async function watch(goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    try {
      expect(await audit(gateway.db)).toEqual([]);
      seen.snapshots += 1;
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
    }
    await sleep(250);
  }
}

const enough = () =>
  Object.values(seen).every((count) => count > 0) &&
  seen.faults >= faults.length &&
  history.filter(({ status }) => status === 200).length > seconds * 3;

const booksOf = () => gateway.db.sql<
  (Omit<BookedCall, "settled"> & {
    credits: number | null;
    records: number;
    available: number;
  })[]
>`
  select h.id as "requestId", h.account_id as account, h.idempotency_key as key, h.state,
    (select coalesce(-sum(l.amount), 0)::int from ledger l
      where l.transaction_id = h.id and l.side = 'account') as taken,
    s.credits, s.records, s.available, u.credits as used
  from holds h left join settlements s on s.hold_id = h.id left join usage u on u.request_id = h.id`;

test(
  seeded(`history of money, ${seconds} s`),
  async () => {
    const clients: Client[] = [];
    for (let count = 0; count < 4; count += 1) {
      const { key, accountId } = await gateway.key({ credits: 60 });
      const topUps: TopUps = { account: accountId, sure: 60, unsure: 0, booked: 0 };
      clients.push({ accountId, key, topUps, isShort: false });
    }
    const pick = choices("mishaps");
    const mishaps = Array.from({ length: 5000 }, () => {
      const chance = pick(100);
      if (chance < 4) return { kind: "status", status: 500 } as const;
      if (chance < 7) return { kind: "reset", after: "headers" } as const;
      return { kind: "delay", ms: pick(10, chance < 15 ? 1500 : 200) } as const;
    });
    await upstream.play("*", { faults: mishaps, rest: { kind: "delay", ms: 50 } });

    const end = Date.now() + seconds * 1000;
    const goesOn = () => Date.now() < end || (!enough() && Date.now() < end + patienceMs);
    const driven = clients.flatMap((client, at) =>
      Array.from({ length: 5 }, (_, lane) => drive(client, `${at}${"abcde"[lane]}`, goesOn)),
    );
    await Promise.all([...driven, nemesis(goesOn), watch(goesOn)]);

    // Every keyed call is repeated until its outcome is known.
    await upstream.reset();
    for (const client of clients) {
      await addCredits(gateway.db, client.accountId, "live", 10_000, "enough");
      client.topUps.sure += 10_000;
    }
    const open = keyedCalls.filter((keyed) => !keyed.done);
    const asking = async () => {
      for (let keyed = open.pop(); keyed; keyed = open.pop()) {
        const { client, body } = keyed;
        for (let again = 0; again < 120 && !keyed.done; again += 1) {
          await attempt(client, pick, { body, keyed });
          if (!keyed.done) await sleep(500);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, asking));
    expect(keyedCalls.filter((keyed) => !keyed.done).map(({ key }) => key)).toEqual([]);
    if (!waitsForDeadlines) {
      await gateway.db.sql`update holds set deadline = now() where state = 'open'`;
    }
    await until(async () => {
      const [row] = await gateway.db.sql<
        { held: number }[]
      >`select sum(held)::int as held from balances`;
      return row?.held === 0;
    }, 180_000);

    for (const { accountId, topUps } of clients) {
      const [row] = await gateway.db.sql<{ sum: number }[]>`
      select sum(amount)::int as sum from ledger
      where account_id = ${accountId} and mode = 'live' and side = 'account' and amount > 0`;
      topUps.booked = row?.sum ?? 0;
    }
    const books = (await booksOf()).map(({ credits, records, available, ...call }) => ({
      ...call,
      ...(credits === null ? {} : { settled: { credits, records, available } }),
    })) as BookedCall[];
    const statuses = Object.groupBy(history, ({ status }) => String(status));
    console.log(
      `history of money: ${Object.entries(statuses)
        .map(([status, all]) => `${all?.length} x ${status}`)
        .join(", ")};`,
      JSON.stringify(seen),
    );
    expect(
      contradictions(
        history,
        books,
        clients.map(({ topUps }) => topUps),
      ),
    ).toEqual([]);
    expect(await gateway.violations()).toEqual([]);
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
    expect(statuses["200"]?.length ?? 0).toBeGreaterThan(seconds * 3);
  },
  (seconds + 600) * 1000,
);
