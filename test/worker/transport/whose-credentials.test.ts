import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operationsOf } from "../../../contract/dependencies.ts";
import { operations } from "../../../contract/index.ts";
import { mostRecords, type Operation } from "../../../contract/operation.ts";
import { createMetrics } from "../../../runtime/metrics.ts";
import { namesOf, type OwnCredential, sealForJob } from "../../../runtime/own-credentials.ts";
import type { ProbeKind } from "../../../runtime/probe.ts";
import { decodeOutcome, type JobData } from "../../../runtime/queue.ts";
import { Abandoned, run } from "../../../worker/run.ts";
import type { Heard } from "../../../worker/transport/heard.ts";
import { createTransport, type Transport } from "../../../worker/transport/transport.ts";
import { upstreams } from "../../../worker/sandbox/upstreams.ts";
import { inputOf, preferences } from "../../areas/preferences.ts";
import { full } from "../../faults/full.ts";
import { handlers } from "../../operations/play.ts";
import { choices, seeded } from "../../random.ts";
import { startRedis } from "../../redis.ts";
import type { TestRedis } from "../../redis-server.ts";
import { type AllUpstreams, startAllUpstreams } from "../../upstream/all.ts";
import { operator, secretOf, secretsIn, Seen } from "./seen-credentials.ts";

/**
 * Every upstream, the second ones too, as accounts with and without own credentials send the same calls beside each
 * other: each request must carry the credential of its own call's account, or the operator's.
 */

const credentialsKey = "key-of-this-test-with-enough-characters";
const keyed = upstreams.filter(({ credentials }) => credentials.length > 0);
/** The operator's lanes have no own credentials: `gateway verify` and its daily calls. */
const lanes: Record<string, ProbeKind> = { verify: "record", canary: "call" };
const accounts = ["one", "two", "three", ...Object.keys(lanes)];
/** Operations of one round: those with credentials within what limits of upstreams let through at once. */
const atOnce = { keyed: 6, open: 40 };
/** Where no account has a credential, all share one limit, mostly of a request a second: one account is enough. */
const isKeyed = (op: Operation) =>
  keyed.some(({ name, optional }) => !optional && operationsOf(name).includes(op.id));
const accountsFor = (op: Operation) => (isKeyed(op) ? accounts : ["one"]);

let server: TestRedis;
let redis: Redis;
let all: AllUpstreams;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  all = await startAllUpstreams();
});
afterAll(async () => {
  await all?.stop();
  redis?.disconnect();
  await server?.stop();
});

/** Whatever the seed is, these receive the credentials of several accounts: the first one has its own for them. */
const several = ["dataforseo", "tikhub", "twitter283", "x", "reddit", "fresh-linkedin"];
const surelyHeld = new Set(
  keyed.filter(({ name }) => several.includes(name)).map((one) => namesOf(one.credentials)),
);

/** For some accounts, own credentials for some of the upstreams. */
function holdings(choose: (count: number) => number): Map<string, OwnCredential[]> {
  const sets = [...new Map(keyed.map((one) => [namesOf(one.credentials), one])).values()];
  let id = 0;
  const own = (account: string) =>
    sets
      .filter(
        ({ credentials }) =>
          choose(2) === 0 || (account === "one" && surelyHeld.has(namesOf(credentials))),
      )
      .map(({ credentials }): OwnCredential => {
        const secrets = credentials.map((name) => [name, secretOf(account, name)]);
        const names = namesOf(credentials);
        return { id: (id += 1), names, secrets: Object.fromEntries(secrets), pricePercent: 100 };
      });
  // The last account has none.
  return new Map(["one", "two"].map((account) => [account, own(account)]));
}

const log = () => undefined;

async function call(transport: Transport, op: Operation, account: string, own: OwnCredential[]) {
  const requestId = `svc_${account}_${randomUUID()}`;
  const input = op.input.parse(inputOf(op));
  const names = own.map((one) => one.names);
  const job: JobData = {
    operation: op.id,
    input,
    mode: "live",
    tenant: account,
    account,
    own:
      own.length === 0
        ? undefined
        : { names, sealed: sealForJob(credentialsKey, requestId, account, own) },
    max_records: mostRecords(op, input as never),
    deadline: Date.now() + 20_000,
    reply: "",
    probe: lanes[account],
  };
  const services = {
    operations,
    handlers,
    live: transport,
    test: transport,
    log,
    credentialsKeys: [credentialsKey],
    shapeFault: log,
    rowsDropped: log,
    replaced: (_operation: string, value: unknown) => value,
    now: Date.now,
  };
  const taken = { worker: "test", attempt: 1, queued: 0 };
  try {
    const { stored } = await run(requestId, job, new AbortController().signal, services, taken);
    return stored;
  } catch (error) {
    // It waited for an upstream's limit until its deadline.
    if (error instanceof Abandoned) return undefined;
    throw error;
  }
}

interface Round {
  ops: readonly Operation[];
  /** Upstreams that are out of order, so that the others of their pairs answer. */
  out: readonly string[];
}

const rounds = (ops: readonly Operation[], size: number, out: readonly string[] = []): Round[] =>
  Array.from({ length: Math.ceil(ops.length / size) }, (_, at) => ({
    ops: ops.slice(at * size, (at + 1) * size),
    out,
  }));

const pairs = await preferences();
/** Two groups, so that one upstream of each pair is in order. */
const groups = [
  ["x", "x-app", "nominatim", "crossref", "npm", "weibo"],
  ["twitter283", "tikhub"],
];

/** Operations that together ask every upstream, and second upstreams; at full length all of them. */
function chosen(choose: (count: number) => number): Round[] {
  const some = <T>(all: readonly T[], most: number): T[] =>
    all
      .map((one) => ({ one, at: choose(2 ** 30) }))
      .toSorted((a, b) => a.at - b.at)
      .slice(0, full ? all.length : most)
      .map(({ one }) => one);
  const ids = upstreams.flatMap(({ name, credentials }) =>
    some(operationsOf(name), credentials.length > 0 ? 4 : 1),
  );
  const mixed = some([...new Set(ids)], ids.length).map((id) => operations.get(id) as Operation);
  const turning = groups.flatMap((out) => {
    const all = [...pairs].flatMap(([id, [first]]) =>
      first.forms.some(({ name }) => out.includes(name)) ? [operations.get(id) as Operation] : [],
    );
    return rounds(some(all, 12), atOnce.keyed, out);
  });
  const open = mixed.filter((op) => !isKeyed(op));
  return [...rounds(mixed.filter(isKeyed), atOnce.keyed), ...rounds(open, atOnce.open), ...turning];
}

test(seeded("each request carries the credential of its own account"), async () => {
  const choose = choices("whose credentials");
  const seen = new Seen();
  all.arrived = (request) => seen.arrived(request);
  all.token = (request) => `token-for-${secretsIn(request).join("-and-")}`;
  const inRounds = chosen(choose);
  let [good, bad, turned] = [0, 0, 0];
  for (const { ops, out } of inRounds) {
    const held = holdings(choose);
    // Each round has limits, breakers and rests of its own.
    const transport = open((answer) => seen.hear(answer));
    const status = choose(2) === 0 ? 503 : 401;
    all.change = (name) => (out.includes(name) ? { status, body: {} } : undefined);
    const calls = ops.flatMap((op) =>
      accountsFor(op).map(async (account) => ({
        account,
        stored: await call(transport, op, account, held.get(account) ?? []),
      })),
    );
    for (const { account, stored } of await Promise.all(calls)) {
      const outcome = stored && decodeOutcome(stored).outcome;
      turned += outcome?.work?.turns?.length ?? 0;
      // Verify does not turn to the second upstream.
      if (outcome?.ok) good += 1;
      else if (out.length === 0 || !(account in lanes)) bad += 1;
      expect(stored?.toString() ?? "").not.toMatch(/cred-[a-z0-9-]+?-end/);
    }
    await transport.close();
    seen.check(held);
  }
  const both = keyed.filter(({ name }) => (seen.owners.get(name)?.size ?? 0) > 1);
  console.info(
    `${seen.count} requests (${good} calls well, ${bad} not) of ${inRounds.flatMap(({ ops }) => ops).length} operations to ${seen.owners.size} upstreams, ${turned} turns, credentials of several at ${both.length}`,
  );
  expect(bad).toBeLessThan(good / 20);
  expect(turned).toBeGreaterThan(20);
  expect(seen.owners.size).toBeGreaterThan(60);
  expect(both.map(({ name }) => name)).toEqual(expect.arrayContaining(several));
});

function open(heard: (answer: Heard) => void): Transport {
  return createTransport({
    redis,
    env: { ...all.env, ...operator },
    egressAllow: [],
    limitPrefix: `test:${randomUUID()}`,
    log,
    metrics: createMetrics(),
    heard,
  });
}
