import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { setCredential } from "../../db/credentials.ts";
import { revokeKey } from "../../db/keys.ts";
import { sealStored } from "../../runtime/own-credentials.ts";
import { type Collector, startCollector } from "../collector.ts";
import { type Answer, type ErrorEnvelope, Gateway, pepper, until } from "../gateway.ts";
import { requestOf } from "../operations/inputs.ts";
import { type Process, startProcess } from "../process.ts";
import { freePort } from "../redis-server.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { seeded } from "../random.ts";
import { share } from "../share.ts";
import { full } from "./full.ts";
import { type TextLocation, databaseRows, redisHistory, redisKeys, search } from "./places.ts";

const credentials = {
  TIKHUB_API_KEY: "tikhub-credential-1f0c77d2",
  DATAFORSEO_LOGIN: "dataforseo-login-82bb41ce",
  DATAFORSEO_PASSWORD: "dataforseo-password-0e6d93aa",
  TICKETMASTER_API_KEY: "ticketmaster-credential-5a19",
  RAPIDAPI_KEY: "rapidapi-credential-c2d8e7",
  X_BEARER_TOKEN: "x-bearer-credential-94ab31",
  X_API_KEY: "x-key-credential-7730fe",
  X_API_SECRET: "x-secret-credential-d41c05",
};
/** Own credentials of one account. */
const own = {
  TIKHUB_API_KEY: "own-tikhub-credential-e19a3d",
  DATAFORSEO_LOGIN: "own-dataforseo-login-6b20f4",
  DATAFORSEO_PASSWORD: "own-dataforseo-password-c83e",
  TICKETMASTER_API_KEY: "own-ticketmaster-credential-07",
  RAPIDAPI_KEY: "own-rapidapi-credential-fa52",
};
const credentialsKey = "credentials-key-of-this-test-47ae90";
const fetchedToken = "x-token-fetched-51e0c4";
const cursorSecret = "cursor-secret-of-this-test-3b7f25d0";
const password = "dashboards-password-6c1e";
const metricsToken = "metrics-token-a8f2b0";
const malformed = "svc_live_not-a-key-but-pasted-by-somebody";

let upstream: SpawnedSimulator;
let gateway: Gateway;
let redis: Redis;
let dashboards: { url: string; process: Process };
let collector: Collector;
let recordings: string;

beforeAll(async () => {
  [upstream, collector, recordings] = await Promise.all([
    spawnSimulator(),
    startCollector(),
    mkdtemp(join(tmpdir(), "recordings-")),
  ]);
  const bases = [
    "TIKHUB",
    "DATAFORSEO",
    "TICKETMASTER",
    "TWITTER283",
    "X",
    "HACKERNEWS",
    "YOUTUBE",
  ];
  gateway = await Gateway.start({
    pools: "seo,seo-bulk,serp,social",
    env: {
      ...Object.fromEntries(bases.map((name) => [`${name}_BASE_URL`, upstream.url])),
      ...credentials,
      CURSOR_SECRET: cursorSecret,
      CREDENTIALS_KEY: credentialsKey,
      FAILED_ANSWERS_KEY: "failed-answers-key-of-this-test-9d",
      RECORD_DIR: recordings,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.2",
      // Operators raise the log level to find a fault; even then no secret may show.
      LOG_LEVEL: "trace",
    },
  });
  // One process uses a bearer token, the other fetches one with key and secret.
  [dashboards] = await Promise.all([
    startDashboards(gateway.redis.url),
    gateway.startWorker({ WORKER_POOLS: "social", X_BEARER_TOKEN: "" }),
    upstream.play("/oauth2/token", {
      faults: [],
      rest: { kind: "status", status: 200, json: { access_token: fetchedToken } },
    }),
  ]);
  redis = new Redis(gateway.redis.url);
});
afterAll(async () => {
  redis?.disconnect();
  await dashboards?.process.kill();
  await gateway?.stop();
  await upstream?.stop();
  await collector?.stop();
  await rm(recordings, { recursive: true, force: true });
});

async function startDashboards(redisUrl: string): Promise<typeof dashboards> {
  const port = await freePort();
  const started = startProcess("dashboards/main.ts", {
    REDIS_URL: redisUrl,
    DASHBOARDS_PORT: String(port),
    DASHBOARDS_PASSWORD: password,
    METRICS_TOKEN: metricsToken,
    LOG_LEVEL: "debug",
  });
  const url = `http://127.0.0.1:${port}`;
  await until(() =>
    fetch(`${url}/health`).then(
      (response) => response.ok,
      () => false,
    ),
  );
  return { url, process: started };
}

type Sent = Answer<ErrorEnvelope>;

/** An operation's own example, as HTTP. */
function send(op: Operation, key: string | undefined, headers: Record<string, string> = {}) {
  const { path, query, body } = requestOf(op, op.example as Record<string, unknown>);
  const filled = op.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] as string),
  );
  const options = body === undefined ? { headers } : { headers, body };
  return gateway.call<ErrorEnvelope>(key, op.method, `${filled}?${query.toString()}`, options);
}

let rounds = 0;

/** Sends requests in a few lanes, so that a slow one delays only its own lane; each round has keys of its own. */
async function sendAll(ops: readonly Operation[], key: string): Promise<Sent[]> {
  const left = [...ops];
  const answers: Sent[] = [];
  rounds += 1;
  const round = rounds;
  const lane = async () => {
    for (let op = left.pop(); op; op = left.pop()) {
      answers.push(await send(op, key, { "Idempotency-Key": `key-of-${op.id}-${round}` }));
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return answers;
}

const rendered = (op: Operation) => op.pool === "browser";
const everything = [...operations.values()].filter((op) => !rendered(op));
/** Few of each provider, whose rate limits are real; one area has four credentials. */
const live = ["shortclip", "photosite", "seo", "geo", "events", "microblog", "videosite"].flatMap(
  (area) =>
    everything
      .filter((op) => op.area === area)
      .slice(0, area === "microblog" ? undefined : full ? 4 : 2),
);

const ofOwner = [
  ...["shortclip", "seo", "events"].map((area) => live.find((op) => op.area === area) as Operation),
  operations.get("microblog.posts.liking_users") as Operation,
];

/** Gives an account the own credentials, as the command line does. */
async function giveOwn(accountId: number): Promise<void> {
  const sets = ["TIKHUB_API_KEY", "DATAFORSEO_LOGIN+DATAFORSEO_PASSWORD", "TICKETMASTER_API_KEY"];
  for (const names of [...sets, "RAPIDAPI_KEY"]) {
    const values = names.split("+").map((name) => [name, own[name as keyof typeof own]] as const);
    const sealed = sealStored(credentialsKey, accountId, names, Object.fromEntries(values));
    const terms = { perSecond: null, pricePercent: 50 };
    const actor = { who: "tester", via: "program" } as const;
    await setCredential(gateway.db, { accountId, names, sealed, ...terms }, actor);
  }
}

/** Every file that the workers recorded. */
async function recorded(): Promise<TextLocation[]> {
  const files = await readdir(recordings, { recursive: true, withFileTypes: true });
  return Promise.all(
    files
      .filter((file) => file.isFile())
      .map(async ({ parentPath, name }) => ({
        name: `recording ${name}`,
        content: await readFile(join(parentPath, name), "utf8"),
      })),
  );
}

test(seeded("case 38: secrets are only where they belong"), async () => {
  const tester = await gateway.key({ mode: "test", credits: 100_000, rate: 10_000 });
  const caller = await gateway.key({ credits: 10_000, rate: 10_000 });
  const owner = await gateway.key({ credits: 10_000, rate: 10_000 });
  await giveOwn(owner.accountId);
  const sendLive = async () => [
    ...(await sendAll(live, caller.key)),
    ...(await sendAll(ofOwner, owner.key)),
  ];
  const revoked = await gateway.key({ credits: 10 });
  await revokeKey(gateway.db, revoked.keyId);

  const answers = await sendAll(share("operations in test mode", everything, 8), tester.key);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  answers.push(...(await sendLive()));

  // Providers often echo a refused credential.
  const sentValues = [...Object.values(credentials), ...Object.values(own)];
  const echo = { ...credentials, sent: sentValues.join(" ") };
  for (const status of [400, 401, 403, 429]) {
    await upstream.play("*", { faults: [], rest: { kind: "status", status, json: echo } });
    answers.push(...(await sendLive()));
  }
  await upstream.play("*", { faults: [], rest: { kind: "status", status: 200, json: echo } });
  answers.push(...(await sendLive()));
  await upstream.play("*", { faults: [], rest: { kind: "reset", after: "request" } });
  answers.push(...(await sendLive()));
  // Each credential was really used: a provider received it.
  const sent: TextLocation = { name: "upstream", content: JSON.stringify(await upstream.calls()) };
  const ownNamed = Object.fromEntries(
    Object.entries(own).map(([name, value]) => [`own ${name}`, value]),
  );
  expect(search([sent], { ...credentials, ...ownNamed, fetchedToken })).toEqual(
    [...Object.keys(credentials), ...Object.keys(ownNamed), "fetchedToken"].map(
      (name) => `${name} in upstream`,
    ),
  );
  await upstream.stop();
  answers.push(...(await sendLive()));

  const [op] = everything as [Operation];
  // A caller who mistakes the key for a parameter.
  for (const path of [`/shortclip/search?q=x&api_key=${caller.key}`, `/${caller.key}`]) {
    for (const key of [undefined, caller.key]) answers.push(await gateway.call(key, "GET", path));
  }
  const unknown = `${caller.key.slice(0, 9)}00000000${caller.key.slice(17)}`;
  const basic = `Basic ${Buffer.from(`somebody:${caller.key}`).toString("base64")}`;
  const odd = ["/unknown/route", "/%zz", `/account/usage?format=csv`];
  for (const text of [revoked.key, unknown, malformed, `${caller.key}x`]) {
    answers.push(await send(op, text));
    for (const path of odd) answers.push(await gateway.call(text, "GET", path));
  }
  for (const headers of [
    { authorization: basic },
    { authorization: caller.key },
    { authorization: `Bearer ${caller.key}`, "Idempotency-Key": "", "Svc-Version": "1999-01-01" },
    { authorization: `Bearer ${caller.key}`, "Svc-Test-Scenario": "slow" },
    { authorization: `Bearer ${caller.key}`, "content-encoding": "gzip" },
  ]) {
    answers.push(await send(op, undefined, headers));
  }
  for (const scenario of ["internal_error", "response_shape_error", "upstream_unavailable"]) {
    answers.push(await send(op, tester.key, { "Svc-Test-Scenario": scenario }));
  }
  const errors = answers.filter((answer) => answer.status !== 200);
  const types = new Set(errors.map((answer) => answer.body?.error?.type));
  expect([...types].sort()).toEqual(
    expect.arrayContaining([
      "internal_error",
      "response_shape_error",
      "unauthorized",
      "upstream_error",
      "upstream_unavailable",
      "validation_error",
    ]),
  );

  const operator = `Basic ${Buffer.from(`operator:${password}`).toString("base64")}`;
  const page = (path: string, authorization: string): Promise<TextLocation> =>
    fetch(dashboards.url + path, { headers: { authorization } }).then(async (response) => ({
      name: `dashboards ${path} (${response.status})`,
      content: await response.text(),
    }));
  // Processes publish their counters every few seconds.
  await until(async () =>
    (await page("/metrics", `Bearer ${metricsToken}`)).content.includes("social"),
  );
  // Spans are sent every few seconds.
  const services = () => new Set(collector.spans().map(({ service }) => service));
  await until(() => services().size > 1);
  const locations: TextLocation[] = [
    ...gateway.apis.map(({ process }, at) => ({
      name: `log of API ${at}`,
      content: process.log(),
    })),
    ...gateway.workers.map((worker, at) => ({
      name: `log of worker ${at}`,
      content: worker.log(),
    })),
    ...answers.map(({ status, text, headers }) => ({
      name: `answer ${status}`,
      content: `${text}\n${[...headers].join("\n")}`,
    })),
    await page("/", operator),
    await page("/queues/api/queues?activeQueue=social&status=latest", operator),
    await page("/metrics", `Bearer ${metricsToken}`),
    await page("/metrics", `Bearer ${malformed}`),
    { name: "log of the dashboards", content: dashboards.process.log() },
    ...(await redisKeys(redis)),
    ...(await redisHistory(redis)),
    ...(await databaseRows(gateway.db.sql)),
    ...(await recorded()),
    { name: "traces", content: collector.text() },
  ];

  const keys = { tester, caller, owner, revoked };
  const secrets: Record<string, string> = {
    ...credentials,
    ...ownNamed,
    credentialsKey,
    fetchedToken,
    pepper,
    cursorSecret,
    password,
    metricsToken,
    malformed,
    "pair of DATAFORSEO": `${credentials.DATAFORSEO_LOGIN}:${credentials.DATAFORSEO_PASSWORD}`,
    "header Basic": basic,
    ...Object.fromEntries(
      Object.entries(keys).map(([name, { key }]) => [`key of ${name}`, secretOf(key)]),
    ),
  };
  console.log(
    `case 38: ${answers.length} answers, ${errors.length} of them errors, ${locations.length} places`,
  );
  expect(search(locations, secrets)).toEqual([]);

  // Public values are found in each kind of place, which proves that the search covers it.
  const requestId = answers[0]?.headers.get("svc-request-id") as string;
  const found = search(locations, { id: requestId }).join("\n");
  for (const kind of [
    "log of API",
    "answer 200",
    "redis gateway:",
    "append-only file",
    "table public.holds",
  ]) {
    expect(found).toContain(kind);
  }
  expect(search(locations, { role: '"role":"worker"' }).join("\n")).toContain("log of worker");
  expect(locations.some(({ name }) => name.startsWith("recording "))).toBe(true);
  expect(await gateway.violations()).toEqual([]);
});

/** The secret part of a key, without its checksum. */
const secretOf = (key: string): string => key.split("_")[3]?.slice(0, 43) as string;

test("case 38: the search finds a needle in whatever it is planted", async () => {
  const needle = "needle-that-was-planted-5d2f";
  const clean = [...(await redisKeys(redis)), ...(await databaseRows(gateway.db.sql))];
  expect(search(clean, { needle })).toEqual([]);
  await redis.set("planted:string", Buffer.from(`\xff${needle}`, "latin1"));
  await redis.hset("planted:hash", "field", needle);
  await redis.rpush("planted:list", "a", needle);
  await redis.sadd("planted:set", needle);
  await redis.zadd("planted:zset", 1, needle);
  await redis.xadd("planted:stream", "*", "field", Buffer.from(needle).toString("base64"));
  await redis.set(`planted:${needle}`, "in the name");
  await redis.set("planted:gone", needle);
  await redis.del("planted:gone");
  await gateway.db
    .sql`insert into bodies (request_id, body) values ('planted', ${Buffer.from(`x${needle}`)})`;
  await gateway.db.sql`insert into accounts (name) values (${encodeURIComponent(`${needle}/`)})`;
  const locations = [
    ...(await redisKeys(redis)),
    ...(await redisHistory(redis)),
    ...(await databaseRows(gateway.db.sql)),
    { name: "base64", content: Buffer.from(`ab${needle}yz`).toString("base64") },
  ];
  const found = search(locations, { needle });
  const kinds = ["string", "hash", "list", "set", "zset", "stream", needle];
  for (const location of [
    ...kinds.map((kind) => `redis planted:${kind}`),
    "table public.bodies",
    "table public.accounts",
    "base64",
  ]) {
    expect(found).toContain(`needle in ${location}`);
  }
  expect(found.some((line) => line.includes("append-only file"))).toBe(true);
});
