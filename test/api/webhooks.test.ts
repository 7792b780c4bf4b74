import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { emitWebhooks, eventIdOf } from "../../db/webhooks.ts";
import type { WebhookEvent } from "../../db/webhooks.ts";
import { WebhookDispatcher } from "../../api/webhooks/dispatch.ts";
import { createSealer } from "../../api/webhooks/signing.ts";
import {
  type Answer,
  type Envelope,
  type ErrorEnvelope,
  Gateway,
  pepper,
  until,
} from "../gateway.ts";
import { type Receiver, startReceiver, verified } from "../receiver.ts";
import { clientOf } from "../redis.ts";

interface Endpoint {
  id: string;
  url: string | null;
  secret: string;
  off: { since: string; reason: string } | null;
  pending: number;
  former_secret_until: string | null;
}
interface Delivery {
  id: string;
  event_id: string;
  event_type: string;
  state: string;
  attempts: number;
  answers: { attempt: number; status?: number; fault?: string; body?: string }[];
}

let gateway: Gateway;
let receiver: Receiver;
let key: string;
let accountId: number;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await Gateway.start({
    pools: "webhooks",
    env: { WEBHOOK_ALLOW: receiver.address, WEBHOOK_PAUSES: "0.1,0.2,0.4,0.8" },
  });
});
afterAll(async () => {
  expect(await gateway.violations()).toEqual([]);
  await gateway.stop();
  await receiver.stop();
});
beforeEach(async () => {
  receiver.answers(() => 204);
  receiver.received.length = 0;
  ({ key, accountId } = await gateway.key({ mode: "test", credits: 100 }));
});

type Method = "GET" | "POST" | "PATCH" | "DELETE";
const ask = <D>(method: Method, path: string, body?: unknown): Promise<Answer<Envelope<D>>> =>
  gateway.call<Envelope<D>>(key, method, path, body === undefined ? {} : { body });
const refused = async (method: Method, path: string, body?: unknown) =>
  (await gateway.call<ErrorEnvelope>(key, method, path, body === undefined ? {} : { body })).body
    .error;

async function register(path = "/hook", events = ["job.ended"]): Promise<Endpoint> {
  const { status, body, text } = await ask<Endpoint>("POST", "/webhooks", {
    url: `${receiver.url}${path}`,
    events,
  });
  expect(status, text).toBe(201);
  return body.data;
}

const ended = (subject: string, more: Partial<WebhookEvent> = {}): WebhookEvent => ({
  accountId,
  mode: "test",
  type: "job.ended",
  subject,
  data: { request_id: subject, state: "succeeded" },
  ...more,
});

const log = async (id: string, query = "") =>
  (await ask<Delivery[]>("GET", `/webhooks/${id}/deliveries${query}`)).body;

/** Polls the endpoint's one delivery until it is in this state. */
async function settled(id: string, state: string): Promise<Delivery> {
  await until(async () => (await log(id)).data[0]?.state === state);
  return (await log(id)).data[0] as Delivery;
}

test("an event arrives once, signed, with ids and states; the receiver's answer is in the log", async () => {
  const endpoint = await register();
  expect(endpoint.secret).toMatch(/^whsec_[\w+/]{43}=$/);
  const event = ended("svc_1");
  await emitWebhooks(gateway.db, [event, event]);
  await emitWebhooks(gateway.db, [event]);
  const delivery = await settled(endpoint.id, "delivered");
  expect(delivery).toMatchObject({
    event_id: eventIdOf(event),
    event_type: "job.ended",
    attempts: 1,
    answers: [{ attempt: 1, status: 204 }],
  });
  expect(receiver.received).toHaveLength(1);
  const [request] = receiver.received as [(typeof receiver.received)[0]];
  expect(request.headers).toMatchObject({
    "content-type": "application/json",
    "webhook-id": eventIdOf(event),
  });
  expect(verified(request, endpoint.secret)).toMatchObject({
    type: "job.ended",
    data: { request_id: "svc_1", state: "succeeded" },
  });
  expect(() => verified({ ...request, body: `${request.body} ` }, endpoint.secret)).toThrow();
});

test("500, silence, a redirect and a reset are failures; the event is retried until it is accepted", async () => {
  const endpoint = await register();
  const reactions = [500, "redirect", "reset", 429, 200] as const;
  receiver.answers((_request, earlier) => reactions[Math.min(earlier, 4)] ?? 200);
  await emitWebhooks(gateway.db, [ended("svc_1")]);
  const { answers, attempts } = await settled(endpoint.id, "delivered");
  expect(attempts).toBe(5);
  expect(answers).toMatchObject([
    { status: 500, body: "answer 500" },
    { status: 307 },
    { fault: "reset" },
    { status: 429 },
    { status: 200 },
  ]);
  expect(receiver.received.map(({ path }) => path)).not.toContain("/elsewhere");
  expect(new Set(receiver.received.map(({ event }) => event)).size).toBe(1);
  for (const request of receiver.received) verified(request, endpoint.secret);
});

test("a receiver whose answer never ends has accepted the event", async () => {
  const endpoint = await register();
  receiver.answers(() => "drip");
  await emitWebhooks(gateway.db, [ended("svc_1")]);
  const { answers } = await settled(endpoint.id, "delivered");
  expect(answers[0]?.body?.length).toBeLessThanOrEqual(500);
});

test("an endpoint that hangs has few open requests and delays no other", async () => {
  await register("/hangs");
  receiver.answers(({ path }) => (path === "/hangs" ? "hang" : 204));
  const events = Array.from({ length: 40 }, (_, n) => ended(`svc_${n}`));
  await emitWebhooks(gateway.db, events);
  await until(() => receiver.mostOpen("/hangs") > 0);
  const good = await register("/good", ["batch.ended"]);
  await emitWebhooks(gateway.db, [ended("batch_1", { type: "batch.ended" })]);
  await settled(good.id, "delivered");
  expect(receiver.mostOpen("/hangs")).toBeLessThanOrEqual(8);
});

test("after a rotation both secrets verify, and only the new one after the overlap", async () => {
  const endpoint = await register();
  const path = `/webhooks/${endpoint.id}/rotate-secret`;
  const { body } = await ask<Endpoint>("POST", path, { overlap_hours: 1 });
  const { secret, former_secret_until } = body.data;
  expect(secret).not.toBe(endpoint.secret);
  expect(Date.parse(former_secret_until as string)).toBeGreaterThan(Date.now() + 50 * 60_000);
  await emitWebhooks(gateway.db, [ended("svc_1")]);
  await until(() => receiver.received.length === 1);
  const both = receiver.received[0] as (typeof receiver.received)[0];
  verified(both, secret);
  verified(both, endpoint.secret);

  await ask("POST", path, { overlap_hours: 0 });
  await emitWebhooks(gateway.db, [ended("svc_2")]);
  await until(() => receiver.received.length === 2);
  const one = receiver.received[1] as (typeof receiver.received)[0];
  expect(() => verified(one, secret)).toThrow();
  expect(one.headers["webhook-signature"]).not.toContain(" ");
});

test("a secret is shown once, at creation, and encrypted at rest", async () => {
  const endpoint = await register();
  const { text } = await ask("GET", `/webhooks/${endpoint.id}`);
  expect(text).not.toContain('secret":"whsec_');
  const [row] = await gateway.db.sql<{ secret: Buffer }[]>`
    select secret from webhook_endpoints where id = ${endpoint.id}`;
  const raw = Buffer.from(endpoint.secret.slice("whsec_".length), "base64");
  expect(row?.secret.includes(raw)).toBe(false);
  expect(row?.secret.includes(endpoint.secret)).toBe(false);
});

test("a replayed event arrives again under its id", async () => {
  const endpoint = await register();
  await emitWebhooks(gateway.db, [ended("svc_1")]);
  const { id } = await settled(endpoint.id, "delivered");
  const path = `/webhooks/${endpoint.id}/deliveries/${id}/replay`;
  expect((await ask("POST", path)).status).toBe(202);
  await until(() => receiver.received.length === 2);
  expect(receiver.received[1]?.event).toBe(receiver.received[0]?.event);
  expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
  const missing = `/webhooks/${endpoint.id}/deliveries/whd_${"0".repeat(32)}/replay`;
  expect((await ask("POST", missing)).status).toBe(404);
});

test("a test event is sent to its endpoint alone, whatever the endpoint is registered for", async () => {
  const endpoint = await register("/one");
  await register("/two");
  const { status, body } = await ask<Delivery>("POST", `/webhooks/${endpoint.id}/test`);
  expect(status).toBe(202);
  expect(body.data).toMatchObject({ event_type: "webhook.test" });
  await until(() => receiver.received.length > 0);
  expect(receiver.received.map(({ path }) => path)).toEqual(["/one"]);
});

test("the log is read page by page, newest first, and by state", async () => {
  const endpoint = await register();
  for (let n = 0; n < 5; n += 1) await emitWebhooks(gateway.db, [ended(`svc_${n}`)]);
  await until(() => receiver.received.length === 5);
  const ids: string[] = [];
  let query = "?limit=2";
  for (let pages = 0; pages < 3; pages += 1) {
    const { data, pagination } = await log(endpoint.id, query);
    ids.push(...data.map(({ id }) => id));
    expect(pagination?.has_more).toBe(pages < 2);
    query = `?limit=2&cursor=${pagination?.next_cursor}`;
  }
  expect(new Set(ids).size).toBe(5);
  expect((await log(endpoint.id, "?state=failed")).data).toEqual([]);
  const other = await gateway.key({ mode: "test", credits: 0 });
  const foreign = await gateway.call(other.key, "GET", `/webhooks/${endpoint.id}/deliveries`);
  expect(foreign.status).toBe(404);
  expect(await refused("GET", `/webhooks/${endpoint.id}/deliveries?cursor=x.y`)).toMatchObject({
    issues: [{ in: "query", path: "cursor" }],
  });
});

test("an endpoint is changed, switched off and on, and removed", async () => {
  const { id, url } = await register();
  expect((await ask<Endpoint>("GET", `/webhooks/${id}`)).body.data).toMatchObject({ id, url });
  const changed = await ask<Endpoint>("PATCH", `/webhooks/${id}`, {
    events: ["batch.ended"],
    description: "mine",
  });
  expect(changed.body.data).toMatchObject({ events: ["batch.ended"], description: "mine" });

  const off = await ask<Endpoint>("PATCH", `/webhooks/${id}`, { enabled: false });
  expect(off.body.data.off?.reason).toBe("owner");
  const { body } = await ask<{ webhooks_off: unknown[] }>("GET", "/account");
  expect(body.data.webhooks_off).toMatchObject([{ id, url, reason: "owner" }]);
  expect(await refused("POST", `/webhooks/${id}/test`)).toMatchObject({
    issues: [{ code: "switched_off" }],
  });
  await ask("PATCH", `/webhooks/${id}`, { enabled: true });
  expect((await ask<Endpoint>("GET", `/webhooks/${id}`)).body.data.off).toBeNull();

  expect((await ask("DELETE", `/webhooks/${id}`)).status).toBe(200);
  expect((await ask("GET", `/webhooks/${id}`)).status).toBe(404);
  expect((await ask<Endpoint[]>("GET", "/webhooks")).body.data).toEqual([]);
});

test("an address that is not public https is refused, naming the field", async () => {
  const inside = [
    "https://127.0.0.1/",
    "https://10.0.0.1/",
    "https://localhost/",
    "https://[::1]/",
  ];
  for (const url of [
    ...inside,
    "https://169.254.169.254/",
    "http://127.0.0.1:1/",
    "https://1.1.1.1:22/",
  ]) {
    const error = await refused("POST", "/webhooks", { url, events: ["job.ended"] });
    const issue = { in: "body", path: "url", code: "destination_not_allowed" };
    expect(error, url).toMatchObject({ type: "validation_error", issues: [issue] });
  }
  for (const url of [
    "ftp://a.example/",
    "no url",
    "https://u:p@a.example/",
    "https://a.example/#x",
  ]) {
    const error = await refused("POST", "/webhooks", { url, events: ["job.ended"] });
    expect(error, url).toMatchObject({ issues: [{ in: "body", path: "url" }] });
  }
  expect(
    await refused("POST", "/webhooks", { url: `${receiver.url}/`, events: ["no.such"] }),
  ).toMatchObject({
    issues: [{ in: "body", path: "events[0]" }],
  });
  const { id } = await register();
  expect(await refused("PATCH", `/webhooks/${id}`, { url: "https://10.0.0.1/" })).toMatchObject({
    issues: [{ in: "body", path: "url", code: "destination_not_allowed" }],
  });
  expect(await refused("GET", "/webhooks/whe_1")).toMatchObject({ type: "invalid_id" });
});

test("at most 20 endpoints, each address once", async () => {
  for (let n = 0; n < 20; n += 1) await register(`/${n}`);
  const more = { url: `${receiver.url}/more`, events: ["job.ended"] };
  expect(await refused("POST", "/webhooks", more)).toMatchObject({
    issues: [{ code: "endpoint_limit" }],
  });
  const { id } = (await ask<Endpoint[]>("GET", "/webhooks")).body.data[0] as Endpoint;
  await ask("DELETE", `/webhooks/${id}`);
  const same = { url: `${receiver.url}/1`, events: ["job.ended"] };
  expect(await refused("POST", "/webhooks", same)).toMatchObject({
    issues: [{ path: "url", code: "duplicate" }],
  });
});

test("direct has its own secret, signs deliveries to per-job addresses, and cannot be removed", async () => {
  expect((await ask("GET", "/webhooks/direct")).status).toBe(404);
  const made = await ask<Endpoint>("POST", "/webhooks/direct/rotate-secret");
  expect(made.body.data).toMatchObject({ id: "direct", url: null });
  await emitWebhooks(gateway.db, [ended("svc_1", { url: `${receiver.url}/own` })]);
  await settled("direct", "delivered");
  const [request] = receiver.received as [(typeof receiver.received)[0]];
  expect(request.path).toBe("/own");
  verified(request, made.body.data.secret);
  const again = await ask<Endpoint>("POST", "/webhooks/direct/rotate-secret");
  expect(again.body.data.secret).not.toBe(made.body.data.secret);
  expect(await refused("DELETE", "/webhooks/direct")).toMatchObject({ type: "validation_error" });
});

test("a balance that falls below the account's threshold is reported", async () => {
  const endpoint = await register("/low", ["balance.low"]);
  const set = await ask<{ balance_alert_below: number }>("PATCH", "/account", {
    balance_alert_below: 100,
  });
  expect(set.body.data.balance_alert_below).toBe(100);
  await gateway.db.sql`
    update balances set balance = 99 where account_id = ${accountId} and mode = 'test'`;
  await settled(endpoint.id, "delivered");
  const [request] = receiver.received as [(typeof receiver.received)[0]];
  expect(verified(request, endpoint.secret).data).toEqual({
    mode: "test",
    balance: 99,
    threshold: 100,
  });
  // This test changed the books by hand.
  await gateway.db.sql`
    update balances set balance = 100 where account_id = ${accountId} and mode = 'test'`;
  await ask("PATCH", "/account", { balance_alert_below: null });
});

/** Without the late attempts of other tests. */
const receivedAt = (path: string) => receiver.received.filter((one) => one.path === path);

const keyed = <D>(path: string, name: string, body?: unknown) =>
  gateway.call<Envelope<D> & ErrorEnvelope>(key, "POST", path, {
    headers: { "Idempotency-Key": name },
    ...(body === undefined ? {} : { body }),
  });

test("a registration with a key has one effect, and its answer is repeated", async () => {
  const body = { url: `${receiver.url}/once`, events: ["job.ended"] };
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => keyed<Endpoint>("/webhooks", "register", body)),
  );
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  const [first] = answers as [(typeof answers)[0]];
  for (const { body: each } of answers) {
    expect(each.data).toEqual(first.body.data);
    expect(each.request_id).toBe(first.body.request_id);
  }
  const replayed = answers.filter(({ headers }) => headers.get("idempotency-replayed") === "true");
  expect(replayed).toHaveLength(3);
  expect((await ask<Endpoint[]>("GET", "/webhooks")).body.data).toHaveLength(1);
  const other = await keyed("/webhooks", "register", { ...body, description: "another" });
  expect(other.status).toBe(422);
  expect(other.body.error.issues).toMatchObject([{ path: "Idempotency-Key", code: "key_reused" }]);
  // A refused registration leaves its key free.
  expect((await keyed("/webhooks", "taken", body)).body.error.issues?.[0]?.code).toBe("duplicate");
  const free = await keyed<Endpoint>("/webhooks", "taken", {
    ...body,
    url: `${receiver.url}/free`,
  });
  expect(free.status, free.text).toBe(201);
  // The secret that is repeated is encrypted at rest.
  const rows = await gateway.db.sql<{ text: string }[]>`select w::text as text from own_writes w`;
  const bytes = Buffer.from(first.body.data.secret).toString("hex");
  expect(rows.length).toBeGreaterThan(1);
  expect(JSON.stringify(rows)).not.toContain(first.body.data.secret);
  expect(JSON.stringify(rows)).not.toContain(bytes);
});

test("a rotation that is repeated after a lost answer leaves the receiver's secret valid", async () => {
  const { id, secret: former } = await register("/rotated");
  const path = `/webhooks/${id}/rotate-secret`;
  const first = await keyed<Endpoint>(path, "rotate");
  const again = await keyed<Endpoint>(path, "rotate", {});
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(again.body.data).toEqual(first.body.data);
  await emitWebhooks(gateway.db, [ended("svc_1")]);
  await settled(id, "delivered");
  const [request] = receivedAt("/rotated") as [(typeof receiver.received)[0]];
  for (const secret of [former, first.body.data.secret]) verified(request, secret);
  expect((await keyed(path, "rotate", { overlap_hours: 1 })).status).toBe(422);
  const next = await keyed<Endpoint>(path, "rotate-2");
  expect(next.body.data.secret).not.toBe(first.body.data.secret);
  // The first rotation of `direct` makes it.
  const made = await Promise.all(
    [1, 2, 3].map(() => keyed<Endpoint>("/webhooks/direct/rotate-secret", "direct")),
  );
  expect(new Set(made.map(({ body }) => body.data.secret)).size, made[0]?.text).toBe(1);
});

test("a test message and a replay with a key are sent once", async () => {
  const { id } = await register("/tested");
  const tests = await Promise.all(
    [1, 2, 3].map(() => keyed<Delivery>(`/webhooks/${id}/test`, "test")),
  );
  expect(new Set(tests.map(({ body }) => body.data.id)).size, tests[0]?.text).toBe(1);
  const delivery = await settled(id, "delivered");
  expect(receivedAt("/tested")).toHaveLength(1);
  const path = `/webhooks/${id}/deliveries/${delivery.id}/replay`;
  expect((await keyed(path, "test")).status).toBe(422);
  const replayed = await keyed<Delivery>(path, "replay");
  expect(replayed.status, replayed.text).toBe(202);
  await until(() => receivedAt("/tested").length === 2);
  await settled(id, "delivered");
  const repeated = await keyed<Delivery>(path, "replay");
  expect(repeated.headers.get("idempotency-replayed")).toBe("true");
  expect(repeated.body.data).toMatchObject({ id: delivery.id, state: "delivered", attempts: 2 });
});

test("an account whose receivers hang, each under a name of its own, delays no other account's event", async () => {
  const attacker = { key, accountId };
  receiver.answers(({ path }) => (path === "/hangs" ? "hang" : 204));
  await register("/hangs");
  await emitWebhooks(
    gateway.db,
    Array.from({ length: 300 }, (_, n) => ended(`svc_${n}`)),
  );
  // Every delivery is to a host of its own, as a wildcard name has as many as one likes.
  await gateway.db.sql`update webhook_deliveries set lane = endpoint_id || '/' || id
    where account_id = ${accountId}`;
  // As many as a worker of 128 slots delivers at once for one account beside others.
  await until(() => Promise.resolve(receiver.mostOpen("/hangs") >= 48));

  ({ key, accountId } = await gateway.key({ mode: "test", credits: 100 }));
  const endpoint = await register("/good");
  await emitWebhooks(
    gateway.db,
    Array.from({ length: 10 }, (_, n) => ended(`svc_${n}`)),
  );
  const states = async () => (await log(endpoint.id)).data.map(({ state }) => state);
  await until(async () => (await states()).filter((state) => state === "delivered").length === 10);

  const [open] = await gateway.db.sql<{ ended: number; sending: number }[]>`
    select count(*) filter (where answers <> '[]')::int as ended,
      count(*) filter (where state = 'sending')::int as sending
    from webhook_deliveries where account_id = ${attacker.accountId}`;
  // A quarter of the 500 that are in flight at most, and none of them had ended.
  expect(open).toEqual({ ended: 0, sending: 125 });
  await gateway.db.sql`update webhook_deliveries set state = 'failed', leased_until = null
    where account_id = ${attacker.accountId}`;
});

test("a dispatcher that stands by stops at once, not after its pause", async () => {
  const redis = clientOf(gateway.redis.url);
  const sealer = createSealer(pepper);
  const tookMs: number[] = [];
  // The gateway's own dispatcher is the leader. The shortest of several stops counts, as each may find a busy machine.
  for (let stop = 0; stop < 4; stop += 1) {
    const standby = new WebhookDispatcher({
      db: gateway.db,
      redisUrl: gateway.redis.url,
      redis,
      sealer,
      warn: () => {},
    });
    standby.start();
    await redis.ping();
    await redis.ping();
    const from = performance.now();
    await standby.close();
    tookMs.push(performance.now() - from);
  }
  redis.disconnect();
  expect(Math.min(...tookMs)).toBeLessThan(250);
});
