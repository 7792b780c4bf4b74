import { afterAll, beforeAll, expect, test } from "vitest";
import { type Envelope, type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { type Received, type Receiver, startReceiver, verified } from "../receiver.ts";

let gateway: Gateway;
let receiver: Receiver;
let key: string;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await Gateway.start({
    pools: "social,webhooks",
    env: { WEBHOOK_ALLOW: receiver.address },
  });
  ({ key } = await gateway.key({ mode: "test", credits: 100 }));
});
afterAll(async () => {
  expect(await gateway.violations()).toEqual([]);
  await gateway.stop();
  await receiver.stop();
});

const search = (headers: Record<string, string>) =>
  gateway.call<Envelope & ErrorEnvelope>(key, "GET", "/shortclip/search?q=street&limit=2", {
    headers,
  });

const asJob = (headers: Record<string, string> = {}) =>
  search({ prefer: "respond-async", ...headers });

async function told(path: string, count = 1): Promise<Received[]> {
  const of = () => receiver.received.filter((request) => request.path === path);
  await until(() => of().length >= count, 30_000);
  return of();
}

test("the end of a job is told to the endpoints registered for it, and to its own address", async () => {
  const { body } = await gateway.call<Envelope<{ secret: string }>>(key, "POST", "/webhooks", {
    body: { url: `${receiver.url}/all`, events: ["job.ended"] },
  });
  const own = { "svc-webhook-url": `${receiver.url}/own` };
  expect((await asJob(own)).body.error.issues).toMatchObject([
    { in: "header", path: "Svc-Webhook-Url", code: "secret_required" },
  ]);
  const direct = await gateway.call<Envelope<{ secret: string }>>(
    key,
    "POST",
    "/webhooks/direct/rotate-secret",
  );

  const accepted = await asJob(own);
  expect(accepted.status, accepted.text).toBe(202);
  const data = {
    request_id: accepted.body.request_id,
    operation: "shortclip.search",
    mode: "test",
    state: "succeeded",
  };
  const [atAll] = (await told("/all")) as [Received];
  const [atOwn] = (await told("/own")) as [Received];
  expect(verified(atAll, body.data.secret)).toMatchObject({ type: "job.ended", data });
  expect(verified(atOwn, direct.body.data.secret)).toMatchObject({ type: "job.ended", data });
  expect(atOwn.event).toBe(atAll.event);

  const failed = await asJob({ "svc-test-scenario": "upstream_error" });
  const [, second] = (await told("/all", 2)) as [Received, Received];
  expect(verified(second, body.data.secret).data).toMatchObject({
    request_id: failed.body.request_id,
    state: "failed",
  });
  expect(receiver.received.filter(({ path }) => path === "/own")).toHaveLength(1);
});

test("an address that is not allowed is refused before anything runs, and so is one without a job", async () => {
  const inside = await asJob({ "svc-webhook-url": "https://10.0.0.1/" });
  expect(inside.body.error.issues).toMatchObject([
    { in: "header", path: "Svc-Webhook-Url", code: "destination_not_allowed" },
  ]);
  const waits = await search({ "svc-webhook-url": `${receiver.url}/own` });
  expect(waits.body.error.issues).toMatchObject([
    { in: "header", path: "Svc-Webhook-Url", code: "not_a_job" },
  ]);
});
