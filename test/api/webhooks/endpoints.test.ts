import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { emitWebhooks } from "../../../db/webhooks.ts";
import { until } from "../../gateway.ts";
import { verified } from "../../receiver.ts";
import { type Delivery, type Endpoint, WebhookRig } from "./webhook-rig.ts";

let rig: WebhookRig;
beforeAll(async () => {
  rig = await WebhookRig.start();
});
afterAll(() => rig.stop());
beforeEach(() => rig.begin());

test("after a rotation both secrets verify, and only the new one after the overlap", async () => {
  const endpoint = await rig.register();
  const path = `/webhooks/${endpoint.id}/rotate-secret`;
  const { body } = await rig.ask<Endpoint>("POST", path, { overlap_hours: 1 });
  const { secret, former_secret_until } = body.data;
  expect(secret).not.toBe(endpoint.secret);
  expect(Date.parse(former_secret_until as string)).toBeGreaterThan(Date.now() + 50 * 60_000);
  await emitWebhooks(rig.gateway.db, [rig.ended("svc_1")]);
  await until(() => rig.receiver.received.length === 1);
  const both = rig.receiver.received[0] as (typeof rig.receiver.received)[0];
  verified(both, secret);
  verified(both, endpoint.secret);

  await rig.ask("POST", path, { overlap_hours: 0 });
  await emitWebhooks(rig.gateway.db, [rig.ended("svc_2")]);
  await until(() => rig.receiver.received.length === 2);
  const one = rig.receiver.received[1] as (typeof rig.receiver.received)[0];
  expect(() => verified(one, secret)).toThrow();
  expect(one.headers["webhook-signature"]).not.toContain(" ");
});

test("a secret is shown once, at creation, and encrypted at rest", async () => {
  const endpoint = await rig.register();
  const { text } = await rig.ask("GET", `/webhooks/${endpoint.id}`);
  expect(text).not.toContain('secret":"whsec_');
  const [row] = await rig.gateway.db.sql<{ secret: Buffer }[]>`
    select secret from webhook_endpoints where id = ${endpoint.id}`;
  const raw = Buffer.from(endpoint.secret.slice("whsec_".length), "base64");
  expect(row?.secret.includes(raw)).toBe(false);
  expect(row?.secret.includes(endpoint.secret)).toBe(false);
});

test("an endpoint is changed, switched off and on, and removed", async () => {
  const { id, url } = await rig.register();
  expect((await rig.ask<Endpoint>("GET", `/webhooks/${id}`)).body.data).toMatchObject({ id, url });
  const changed = await rig.ask<Endpoint>("PATCH", `/webhooks/${id}`, {
    events: ["batch.ended"],
    description: "mine",
  });
  expect(changed.body.data).toMatchObject({ events: ["batch.ended"], description: "mine" });

  const off = await rig.ask<Endpoint>("PATCH", `/webhooks/${id}`, { enabled: false });
  expect(off.body.data.off?.reason).toBe("owner");
  const { body } = await rig.ask<{ webhooks_off: unknown[] }>("GET", "/account");
  expect(body.data.webhooks_off).toMatchObject([{ id, url, reason: "owner" }]);
  expect(await rig.refused("POST", `/webhooks/${id}/test`)).toMatchObject({
    issues: [{ code: "switched_off" }],
  });
  await rig.ask("PATCH", `/webhooks/${id}`, { enabled: true });
  expect((await rig.ask<Endpoint>("GET", `/webhooks/${id}`)).body.data.off).toBeNull();

  expect((await rig.ask("DELETE", `/webhooks/${id}`)).status).toBe(200);
  expect((await rig.ask("GET", `/webhooks/${id}`)).status).toBe(404);
  expect((await rig.ask<Endpoint[]>("GET", "/webhooks")).body.data).toEqual([]);
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
    const error = await rig.refused("POST", "/webhooks", { url, events: ["job.ended"] });
    const issue = { in: "body", path: "url", code: "destination_not_allowed" };
    expect(error, url).toMatchObject({ type: "validation_error", issues: [issue] });
  }
  for (const url of [
    "ftp://a.example/",
    "no url",
    "https://u:p@a.example/",
    "https://a.example/#x",
  ]) {
    const error = await rig.refused("POST", "/webhooks", { url, events: ["job.ended"] });
    expect(error, url).toMatchObject({ issues: [{ in: "body", path: "url" }] });
  }
  expect(
    await rig.refused("POST", "/webhooks", { url: `${rig.receiver.url}/`, events: ["no.such"] }),
  ).toMatchObject({
    issues: [{ in: "body", path: "events[0]" }],
  });
  const { id } = await rig.register();
  expect(await rig.refused("PATCH", `/webhooks/${id}`, { url: "https://10.0.0.1/" })).toMatchObject(
    {
      issues: [{ in: "body", path: "url", code: "destination_not_allowed" }],
    },
  );
  expect(await rig.refused("GET", "/webhooks/whe_1")).toMatchObject({ type: "invalid_id" });
});

test("at most 20 endpoints, each address once", async () => {
  for (let n = 0; n < 20; n += 1) await rig.register(`/${n}`);
  const more = { url: `${rig.receiver.url}/more`, events: ["job.ended"] };
  expect(await rig.refused("POST", "/webhooks", more)).toMatchObject({
    issues: [{ code: "endpoint_limit" }],
  });
  const { id } = (await rig.ask<Endpoint[]>("GET", "/webhooks")).body.data[0] as Endpoint;
  await rig.ask("DELETE", `/webhooks/${id}`);
  const same = { url: `${rig.receiver.url}/1`, events: ["job.ended"] };
  expect(await rig.refused("POST", "/webhooks", same)).toMatchObject({
    issues: [{ path: "url", code: "duplicate" }],
  });
});

test("direct has its own secret, signs deliveries to per-job addresses, and cannot be removed", async () => {
  expect((await rig.ask("GET", "/webhooks/direct")).status).toBe(404);
  const made = await rig.ask<Endpoint>("POST", "/webhooks/direct/rotate-secret");
  expect(made.body.data).toMatchObject({ id: "direct", url: null });
  await emitWebhooks(rig.gateway.db, [rig.ended("svc_1", { url: `${rig.receiver.url}/own` })]);
  await rig.settled("direct", "delivered");
  const [request] = rig.receiver.received as [(typeof rig.receiver.received)[0]];
  expect(request.path).toBe("/own");
  verified(request, made.body.data.secret);
  const again = await rig.ask<Endpoint>("POST", "/webhooks/direct/rotate-secret");
  expect(again.body.data.secret).not.toBe(made.body.data.secret);
  expect(await rig.refused("DELETE", "/webhooks/direct")).toMatchObject({
    type: "validation_error",
  });
});

test("a balance that falls below the account's threshold is reported", async () => {
  const endpoint = await rig.register("/low", ["balance.low"]);
  const set = await rig.ask<{ balance_alert_below: number }>("PATCH", "/account", {
    balance_alert_below: 100,
  });
  expect(set.body.data.balance_alert_below).toBe(100);
  await rig.gateway.db.sql`
    update balances set balance = 99 where account_id = ${rig.accountId} and mode = 'test'`;
  await rig.settled(endpoint.id, "delivered");
  const [request] = rig.receiver.received as [(typeof rig.receiver.received)[0]];
  expect(verified(request, endpoint.secret).data).toEqual({
    mode: "test",
    balance: 99,
    threshold: 100,
  });
  // This test changed the books by hand.
  await rig.gateway.db.sql`
    update balances set balance = 100 where account_id = ${rig.accountId} and mode = 'test'`;
  await rig.ask("PATCH", "/account", { balance_alert_below: null });
});

test("a registration with a key has one effect, and its answer is repeated", async () => {
  const body = { url: `${rig.receiver.url}/once`, events: ["job.ended"] };
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => rig.keyed<Endpoint>("/webhooks", "register", body)),
  );
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  const [first] = answers as [(typeof answers)[0]];
  for (const { body: each } of answers) {
    expect(each.data).toEqual(first.body.data);
    expect(each.request_id).toBe(first.body.request_id);
  }
  const replayed = answers.filter(({ headers }) => headers.get("idempotency-replayed") === "true");
  expect(replayed).toHaveLength(3);
  expect((await rig.ask<Endpoint[]>("GET", "/webhooks")).body.data).toHaveLength(1);
  const other = await rig.keyed("/webhooks", "register", { ...body, description: "another" });
  expect(other.status).toBe(422);
  expect(other.body.error.issues).toMatchObject([{ path: "Idempotency-Key", code: "key_reused" }]);
  // A refused registration leaves its key free.
  expect((await rig.keyed("/webhooks", "taken", body)).body.error.issues?.[0]?.code).toBe(
    "duplicate",
  );
  const free = await rig.keyed<Endpoint>("/webhooks", "taken", {
    ...body,
    url: `${rig.receiver.url}/free`,
  });
  expect(free.status, free.text).toBe(201);
  // The secret that is repeated is encrypted at rest.
  const rows = await rig.gateway.db.sql<
    { text: string }[]
  >`select w::text as text from own_writes w`;
  const bytes = Buffer.from(first.body.data.secret).toString("hex");
  expect(rows.length).toBeGreaterThan(1);
  expect(JSON.stringify(rows)).not.toContain(first.body.data.secret);
  expect(JSON.stringify(rows)).not.toContain(bytes);
});

test("a rotation that is repeated after a lost answer leaves the receiver's secret valid", async () => {
  const { id, secret: former } = await rig.register("/rotated");
  const path = `/webhooks/${id}/rotate-secret`;
  const first = await rig.keyed<Endpoint>(path, "rotate");
  const again = await rig.keyed<Endpoint>(path, "rotate", {});
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(again.body.data).toEqual(first.body.data);
  await emitWebhooks(rig.gateway.db, [rig.ended("svc_1")]);
  await rig.settled(id, "delivered");
  const [request] = rig.receivedAt("/rotated") as [(typeof rig.receiver.received)[0]];
  for (const secret of [former, first.body.data.secret]) verified(request, secret);
  expect((await rig.keyed(path, "rotate", { overlap_hours: 1 })).status).toBe(422);
  const next = await rig.keyed<Endpoint>(path, "rotate-2");
  expect(next.body.data.secret).not.toBe(first.body.data.secret);
  // The first rotation of `direct` makes it.
  const made = await Promise.all(
    [1, 2, 3].map(() => rig.keyed<Endpoint>("/webhooks/direct/rotate-secret", "direct")),
  );
  expect(new Set(made.map(({ body }) => body.data.secret)).size, made[0]?.text).toBe(1);
});

test("a test message and a replay with a key are sent once", async () => {
  const { id } = await rig.register("/tested");
  const tests = await Promise.all(
    [1, 2, 3].map(() => rig.keyed<Delivery>(`/webhooks/${id}/test`, "test")),
  );
  expect(new Set(tests.map(({ body }) => body.data.id)).size, tests[0]?.text).toBe(1);
  const delivery = await rig.settled(id, "delivered");
  expect(rig.receivedAt("/tested")).toHaveLength(1);
  const path = `/webhooks/${id}/deliveries/${delivery.id}/replay`;
  expect((await rig.keyed(path, "test")).status).toBe(422);
  const replayed = await rig.keyed<Delivery>(path, "replay");
  expect(replayed.status, replayed.text).toBe(202);
  await until(() => rig.receivedAt("/tested").length === 2);
  await rig.settled(id, "delivered");
  const repeated = await rig.keyed<Delivery>(path, "replay");
  expect(repeated.headers.get("idempotency-replayed")).toBe("true");
  expect(repeated.body.data).toMatchObject({ id: delivery.id, state: "delivered", attempts: 2 });
});
