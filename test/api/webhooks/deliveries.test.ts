import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { emitWebhooks, eventIdOf } from "../../../db/webhooks.ts";
import { WebhookDispatcher } from "../../../api/webhooks/dispatch.ts";
import { createSealer } from "../../../api/webhooks/signing.ts";
import { pepper, until } from "../../gateway.ts";
import { type Receiver, startReceiver, verified } from "../../receiver.ts";
import { clientOf } from "../../redis.ts";
import { type Delivery, WebhookRig } from "./webhook-rig.ts";

let rig: WebhookRig;
/** A receiver that no other test uses. */
let crowded: Receiver;
beforeAll(async () => {
  crowded = await startReceiver();
  rig = await WebhookRig.start([crowded]);
});
afterAll(async () => {
  await rig.stop();
  await crowded.stop();
});
beforeEach(() => rig.begin());

test("an event arrives once, signed, with ids and states; the receiver's answer is in the log", async () => {
  const endpoint = await rig.register();
  expect(endpoint.secret).toMatch(/^whsec_[\w+/]{43}=$/);
  const event = rig.ended("svc_1");
  await emitWebhooks(rig.gateway.db, [event, event]);
  await emitWebhooks(rig.gateway.db, [event]);
  const delivery = await rig.settled(endpoint.id, "delivered");
  expect(delivery).toMatchObject({
    event_id: eventIdOf(event),
    event_type: "job.ended",
    attempts: 1,
    answers: [{ attempt: 1, status: 204 }],
  });
  expect(rig.receiver.received).toHaveLength(1);
  const [request] = rig.receiver.received as [(typeof rig.receiver.received)[0]];
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
  const endpoint = await rig.register();
  const reactions = [500, "redirect", "reset", 429, 200] as const;
  rig.receiver.answers((_request, earlier) => reactions[Math.min(earlier, 4)] ?? 200);
  await emitWebhooks(rig.gateway.db, [rig.ended("svc_1")]);
  const { answers, attempts } = await rig.settled(endpoint.id, "delivered");
  expect(attempts).toBe(5);
  expect(answers).toMatchObject([
    { status: 500, body: "answer 500" },
    { status: 307 },
    { fault: "reset" },
    { status: 429 },
    { status: 200 },
  ]);
  expect(rig.receiver.received.map(({ path }) => path)).not.toContain("/elsewhere");
  expect(new Set(rig.receiver.received.map(({ event }) => event)).size).toBe(1);
  for (const request of rig.receiver.received) verified(request, endpoint.secret);
});

test("a receiver whose answer never ends has accepted the event", async () => {
  const endpoint = await rig.register();
  rig.receiver.answers(() => "drip");
  await emitWebhooks(rig.gateway.db, [rig.ended("svc_1")]);
  const { answers } = await rig.settled(endpoint.id, "delivered");
  expect(answers[0]?.body?.length).toBeLessThanOrEqual(500);
});

test("an endpoint that hangs has few open requests and delays no other", async () => {
  await rig.register("/hangs");
  rig.receiver.answers(({ path }) => (path === "/hangs" ? "hang" : 204));
  const events = Array.from({ length: 40 }, (_, n) => rig.ended(`svc_${n}`));
  await emitWebhooks(rig.gateway.db, events);
  await until(() => rig.receiver.mostOpen("/hangs") > 0);
  const good = await rig.register("/good", ["batch.ended"]);
  await emitWebhooks(rig.gateway.db, [rig.ended("batch_1", { type: "batch.ended" })]);
  await rig.settled(good.id, "delivered");
  expect(rig.receiver.mostOpen("/hangs")).toBeLessThanOrEqual(8);
});

test("a replayed event arrives again under its id", async () => {
  const endpoint = await rig.register();
  await emitWebhooks(rig.gateway.db, [rig.ended("svc_1")]);
  const { id } = await rig.settled(endpoint.id, "delivered");
  const path = `/webhooks/${endpoint.id}/deliveries/${id}/replay`;
  expect((await rig.ask("POST", path)).status).toBe(202);
  await until(() => rig.receiver.received.length === 2);
  expect(rig.receiver.received[1]?.event).toBe(rig.receiver.received[0]?.event);
  expect(rig.receiver.received[1]?.body).toBe(rig.receiver.received[0]?.body);
  const missing = `/webhooks/${endpoint.id}/deliveries/whd_${"0".repeat(32)}/replay`;
  expect((await rig.ask("POST", missing)).status).toBe(404);
});

test("a test event is sent to its endpoint alone, whatever the endpoint is registered for", async () => {
  const endpoint = await rig.register("/one");
  await rig.register("/two");
  const { status, body } = await rig.ask<Delivery>("POST", `/webhooks/${endpoint.id}/test`);
  expect(status).toBe(202);
  expect(body.data).toMatchObject({ event_type: "webhook.test" });
  await until(() => rig.receiver.received.length > 0);
  expect(rig.receiver.received.map(({ path }) => path)).toEqual(["/one"]);
});

test("the log is read page by page, newest first, and by state", async () => {
  const endpoint = await rig.register();
  for (let n = 0; n < 5; n += 1) await emitWebhooks(rig.gateway.db, [rig.ended(`svc_${n}`)]);
  await until(() => rig.receiver.received.length === 5);
  const ids: string[] = [];
  let query = "?limit=2";
  for (let pages = 0; pages < 3; pages += 1) {
    const { data, pagination } = await rig.log(endpoint.id, query);
    ids.push(...data.map(({ id }) => id));
    expect(pagination?.has_more).toBe(pages < 2);
    query = `?limit=2&cursor=${pagination?.next_cursor}`;
  }
  expect(new Set(ids).size).toBe(5);
  expect((await rig.log(endpoint.id, "?state=failed")).data).toEqual([]);
  const other = await rig.gateway.key({ mode: "test", credits: 0 });
  const foreign = await rig.gateway.call(other.key, "GET", `/webhooks/${endpoint.id}/deliveries`);
  expect(foreign.status).toBe(404);
  expect(await rig.refused("GET", `/webhooks/${endpoint.id}/deliveries?cursor=x.y`)).toMatchObject({
    issues: [{ in: "query", path: "cursor" }],
  });
});

test("an account whose receivers hang, each under a name of its own, delays no other account's event", async () => {
  const attacker = rig.accountId;
  crowded.answers(({ path }) => (path === "/hangs" ? "hang" : 204));
  await rig.register("/hangs", ["job.ended"], crowded);
  await emitWebhooks(
    rig.gateway.db,
    Array.from({ length: 300 }, (_, n) => rig.ended(`svc_${n}`)),
  );
  // Every delivery is to a host of its own, as a wildcard name has as many as one likes.
  await rig.gateway.db.sql`update webhook_deliveries set lane = endpoint_id || '/' || id
    where account_id = ${rig.accountId}`;
  // As many as a worker has open at one receiver, all but the slot for another account.
  await until(() => Promise.resolve(crowded.mostOpen("/hangs") >= 31));

  await rig.renewAccount();
  const endpoint = await rig.register("/good", ["job.ended"], crowded);
  await emitWebhooks(
    rig.gateway.db,
    Array.from({ length: 10 }, (_, n) => rig.ended(`svc_${n}`)),
  );
  const states = async () => (await rig.log(endpoint.id)).data.map(({ state }) => state);
  await until(async () => (await states()).filter((state) => state === "delivered").length === 10);

  const [open] = await rig.gateway.db.sql<{ ended: number; sending: number }[]>`
    select count(*) filter (where answers <> '[]')::int as ended,
      count(*) filter (where state = 'sending')::int as sending
    from webhook_deliveries where account_id = ${attacker}`;
  // A quarter of the 500 that are in flight at most, and none of them had ended.
  expect(open).toEqual({ ended: 0, sending: 125 });
  expect(crowded.mostOpen("/hangs")).toBe(31);
  await rig.gateway.db.sql`update webhook_deliveries set state = 'failed', leased_until = null
    where account_id = ${attacker}`;
});

test("a dispatcher that stands by stops at once, not after its pause", async () => {
  const redis = clientOf(rig.gateway.redis.url);
  const sealer = createSealer(pepper);
  const tookMs: number[] = [];
  // The gateway's own dispatcher is the leader. The shortest of several stops counts, as each may find a busy machine.
  for (let stop = 0; stop < 4; stop += 1) {
    const standby = new WebhookDispatcher({
      db: rig.gateway.db,
      redisUrl: rig.gateway.redis.url,
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
