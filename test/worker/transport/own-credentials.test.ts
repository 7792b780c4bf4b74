import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import type { Call } from "../../../worker/connector.ts";
import { area, operation } from "../../../contract/operation.ts";
import { createMetrics } from "../../../runtime/metrics.ts";
import {
  namesOf,
  type OwnCredential,
  type SealedCredentials,
  sealForJob,
} from "../../../runtime/own-credentials.ts";
import { decodeOutcome, type JobData } from "../../../runtime/queue.ts";
import { run, type Services } from "../../../worker/run.ts";
import { createTransport, type Transport } from "../../../worker/transport/transport.ts";
import type { Upstream } from "../../../worker/transport/upstream.ts";
import { redisKeys, search } from "../../faults/places.ts";
import { startRedis } from "../../redis.ts";
import type { TestRedis } from "../../redis-server.ts";
import { type Simulator, startSimulator } from "../../upstream/simulator.ts";

/** The credentials that reach upstreams, whatever calls run beside each other. */

const credentialsKey = "key-of-this-test-with-enough-characters";
const names = ["ONE_KEY", "TWO_KEY"] as const;
const operator = { ONE_KEY: "operator-one-51c7a0", TWO_KEY: "operator-two-8de214" };
/** One fetches a token for its credential, the other sends it in the query. */
const tokenSource: Upstream = {
  name: "one-token",
  baseUrl: { env: "SIM_BASE_URL", default: "http://none.invalid" },
  credentials: ["ONE_KEY"],
  authorize: ({ ONE_KEY = "" }) => ({ authorization: `Bearer ${ONE_KEY}` }),
  judge: () => ({ ok: true }),
};
const one: Upstream = {
  ...tokenSource,
  name: "one",
  async authorize(_secrets, tokens) {
    const token = await tokens.get(async (send) => {
      const { body } = await send(tokenSource, { method: "POST", path: "/token" });
      return { value: String((body as { token: string }).token) };
    });
    return { authorization: `Bearer ${token}` };
  },
};
const two: Upstream = {
  name: "two",
  baseUrl: tokenSource.baseUrl,
  judge: () => ({ ok: true }),
  credentials: ["TWO_KEY"],
  credentialQuery: { key: "TWO_KEY" },
};
const upstreams = { ONE_KEY: one, TWO_KEY: two } as const;

let server: TestRedis;
let redis: Redis;
let simulator: Simulator;
let transport: Transport;
const logs: string[] = [];
const metrics = createMetrics();
/** Secrets as they arrived, by the account in the path. */
const arrived: { account: string; secret: string }[] = [];

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  simulator = await startSimulator();
  const bearer = (headers: Record<string, string>) =>
    (headers["authorization"] ?? "").replace("Bearer ", "");
  simulator.on("POST", "/token", ({ headers }) => ({
    body: { token: `token-for-${bearer(headers)}` },
  }));
  simulator.on("GET", "/of/{account}", ({ headers, query }, { account = "" }) => {
    const secret = query["key"] ?? bearer(headers).replace("token-for-", "");
    arrived.push({ account, secret });
    // Upstreams repeat what they were sent.
    return { body: { echo: [secret, `Bearer ${secret}`], url: `/?key=${secret}` } };
  });
  transport = createTransport({
    redis,
    env: { SIM_BASE_URL: simulator.url, ...operator },
    egressAllow: [],
    limitPrefix: `test:${randomUUID()}`,
    log,
    metrics,
  });
});
afterAll(async () => {
  await transport.close();
  await simulator.stop();
  redis.disconnect();
  await server.stop();
});

const log: Call["log"] = (level, message, fields) =>
  void logs.push(`${level} ${message} ${JSON.stringify(fields)}`);

/** An operation that passes on whatever the upstream answers. */
const reading = area({
  name: "test",
  summary: "Reads",
  pool: "social",
  operations: [
    operation({
      id: "test.read",
      method: "GET",
      path: "/test",
      summary: "Reads",
      input: z.strictObject({}),
      data: z.unknown(),
      records: { kind: "one" },
      example: {},
    }),
  ],
}).operations[0];

interface Job {
  account: string;
  variable: (typeof names)[number];
}

/** Runs one call of an account at an upstream, through the worker's own code. */
async function work(
  { account, variable }: Job,
  ownOf: (requestId: string) => SealedCredentials | undefined,
): Promise<Buffer> {
  const requestId = `svc_${randomUUID()}`;
  const services: Services = {
    operations: new Map([["test.read", reading as never]]),
    handlers: new Map([
      [
        "test.read",
        async (_input, call) => {
          const request = { method: "GET", path: `/of/${account}` } as const;
          const { body } = await call.send(upstreams[variable], request);
          return { data: body };
        },
      ],
    ]),
    live: transport,
    test: transport,
    log,
    credentialsKeys: [credentialsKey],
    shapeFault: (report) => logs.push(JSON.stringify(report)),
    rowsDropped: () => undefined,
    now: Date.now,
  };
  const job: JobData = {
    operation: "test.read",
    input: {},
    mode: "live",
    tenant: account,
    account,
    own: ownOf(requestId),
    max_records: 10,
    deadline: Date.now() + 30_000,
    reply: "",
  };
  await redis.set(`job ${requestId}`, JSON.stringify(job));
  const { stored } = await run(requestId, job, new AbortController().signal, services);
  await redis.set(`outcome ${requestId}`, stored);
  return stored;
}

const accounts = ["a", "b", "c", "d"];
/** Which accounts have an own credential for which upstreams; it changes between rounds. */
const holdings = fc.dictionary(fc.constantFrom(...accounts), fc.subarray([...names]));
const jobs = fc.array(
  fc.record({ account: fc.constantFrom(...accounts), variable: fc.constantFrom(...names) }),
  { minLength: 1, maxLength: 12 },
);

test("no account's credential is sent for another's call, and none is left anywhere", async () => {
  const secrets = new Map<string, string>(Object.entries(operator));
  let issued = 0;
  const property = fc.asyncProperty(holdings, jobs, async (held, list) => {
    arrived.length = 0;
    const owned = new Map(
      Object.entries(held).map(([account, variables]) => [
        account,
        variables.map((variable): OwnCredential => {
          issued += 1;
          const secret = `own-${account}-${variable.toLowerCase()}-${randomUUID()}`;
          secrets.set(`${account} ${variable} ${issued}`, secret);
          const known = { [variable]: secret };
          return { id: issued, names: namesOf([variable]), secrets: known, pricePercent: 100 };
        }),
      ]),
    );
    const ofJob = ({ account }: Job) => owned.get(account) ?? [];
    const sealed = (job: Job) => (requestId: string) => {
      const own = ofJob(job);
      if (own.length === 0) return undefined;
      const ownNames = own.map((each) => each.names);
      return {
        names: ownNames,
        sealed: sealForJob(credentialsKey, requestId, job.account, own),
      };
    };
    await Promise.all(list.map((job) => work(job, sealed(job))));
    const expected = list.map((job) => {
      const own = ofJob(job).find((each) => each.names === job.variable);
      return `${job.account} ${own?.secrets[job.variable] ?? operator[job.variable]}`;
    });
    const seen = arrived.map(({ account, secret }) => `${account} ${secret}`);
    expect(seen.toSorted()).toEqual(expected.toSorted());
  });
  await fc.assert(property, { numRuns: 60 });

  const places = [
    ...(await redisKeys(redis)),
    { name: "logs", content: logs.join("\n") },
    { name: "metrics", content: JSON.stringify([...metrics.snapshot().totals]) },
  ];
  expect(places.filter(({ name }) => name.startsWith("redis outcome")).length).toBeGreaterThan(60);
  expect(search(places, Object.fromEntries(secrets))).toEqual([]);
});

test("an own credential that cannot be read is never replaced by the operator's", async () => {
  arrived.length = 0;
  const other = sealForJob(credentialsKey, "svc_another-job", "a", []);
  for (const sealed of [undefined, "", other]) {
    const own = { names: ["TWO_KEY"], sealed };
    const stored = await work({ account: "a", variable: "TWO_KEY" }, () => own);
    expect(decodeOutcome(stored).outcome).toMatchObject({
      ok: false,
      type: "upstream_unavailable",
    });
  }
  expect(arrived).toEqual([]);
});
