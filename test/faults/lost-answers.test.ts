import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { BatchData } from "../../contract/batches.ts";
import { changeAccount } from "../../db/accounts.ts";
import { result, submit as submitJob, unserved } from "../api/jobs/caller.ts";
import { queueOf, queuePrefix } from "../../runtime/redis/keys.ts";
import { type Envelope, Gateway, until } from "../gateway.ts";
import { clientOf } from "../redis.ts";
import { type Relay, startRelay } from "../relay.ts";

/** Work and credits that Postgres has assigned without an answer to the process. */

let gateway: Gateway;
let relay: Relay;
beforeAll(async () => {
  gateway = await Gateway.start({
    pools: "social,serp",
    env: { WEBHOOK_ALLOW: "127.0.0.1:9" },
    between: async ({ database }) => {
      relay = await startRelay(Number(new URL(database).port));
      return { DATABASE_URL: relay.through(database) };
    },
  });
});
afterEach(async () => expect(await gateway.violations()).toEqual([]));
afterAll(async () => {
  await gateway?.stop();
  relay?.stop();
});

const caller = () => gateway.key({ mode: "test", credits: 1000 });

async function submit(
  key: string,
  word: string,
  count: number,
  {
    operation = "shortclip.search",
    scenario,
    url,
  }: { operation?: string; scenario?: string; url?: string } = {},
) {
  const items = Array.from({ length: count }, (_, index) => ({
    custom_id: `item-${index}`,
    operation,
    input:
      operation === "shortclip.search"
        ? { q: `${word} ${index}`, limit: 3 }
        : { url: `https://${word}.example/` },
  }));
  const answer = await gateway.call<Envelope<BatchData>>(key, "POST", "/batches", {
    ...(url === undefined ? {} : { url }),
    body: { items },
    headers: scenario === undefined ? {} : { "svc-test-scenario": scenario },
  });
  expect(answer.status, answer.text).toBe(202);
  return answer.body.data.id;
}

const stateOf = async (key: string, id: string): Promise<BatchData> =>
  (await gateway.call<Envelope<BatchData>>(key, "GET", `/batches/${id}`)).body.data;

const isOver = ({ state }: BatchData) => ["ended", "cancelled"].includes(state);

async function endOf(key: string, id: string): Promise<BatchData> {
  let data: BatchData | undefined;
  await until(async () => isOver((data = await stateOf(key, id))), 30_000);
  return data as BatchData;
}

test("items whose start had no answer are carried out", async () => {
  const { key } = await caller();
  const lost = relay.loseAnswer(/pear 0/);
  const id = await submit(key, "pear", 5);
  await lost;
  expect(await endOf(key, id)).toMatchObject({ state: "ended", items: { succeeded: 5 } });
  expect(await gateway.results(key, id)).toHaveLength(5);
});

test("a batch is cancelled although the start of its items had no answer", async () => {
  const { key, accountId } = await caller();
  const lost = relay.loseAnswer(/plum 0/);
  const id = await submit(key, "plum", 5, { scenario: "slow" });
  await lost;
  expect((await gateway.call(key, "DELETE", `/batches/${id}`)).status).toBe(200);
  expect((await endOf(key, id)).state).toBe("cancelled");
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 1000, held: 0 });
});

test("jobs are carried out although their take-over had no answer", async () => {
  const { key } = await caller();
  const doomed = await gateway.startApi();
  const { url } = doomed;
  gateway.apis.pop();
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => submitJob(gateway, key, { url, scenario: "slow" })),
  );
  const ids = answers.map(({ body }) => body.data.request_id);
  await doomed.process.kill("SIGKILL");
  await relay.loseAnswer(new RegExp(ids.join("|")));
  for (const id of ids) {
    const answer = await result(gateway, key, id, 30);
    expect(answer.status, answer.text).toBe(200);
  }
});

test("items taken over while their account is disabled run once it is enabled", async () => {
  const { key, accountId } = await caller();
  const { sql } = gateway.db;
  const others = await sql<{ id: string }[]>`select id from job_owners`;
  const doomed = await gateway.startApi();
  gateway.apis.pop();
  // Processes look for left items while any enabled account has a batch.
  const other = (await caller()).key;
  const waiting = await submit(other, "lime", 1, { operation: "browser.markdown" });
  const batch = () => submit(key, "fig", 6, { scenario: "slow", url: doomed.url });
  let id = await batch();
  const owners = async () => {
    const rows = await sql<{ owner: string }[]>`
      select distinct i.owner from batch_items i join batches b on b.id = i.batch_id
      where b.public_id = ${id} and i.owner is not null`;
    return rows.map(({ owner }) => owner);
  };
  // Not by its lease: on a busy machine a living process may have lost its own for a moment.
  let carrier: string | undefined;
  await until(async () => {
    const found = await owners();
    carrier = found.find((owner) => others.every((other) => other.id !== owner));
    // The other process may take all items of a batch.
    if (found.length === 0 && isOver(await stateOf(key, id))) id = await batch();
    return carrier !== undefined;
  });
  await doomed.process.kill("SIGKILL");
  await changeAccount(gateway.db, accountId, { disabled: true });
  await until(async () => !(await owners()).includes(carrier as string));
  await changeAccount(gateway.db, accountId, { disabled: false });
  expect(await endOf(key, id)).toMatchObject({ state: "ended", items: { succeeded: 6 } });
  expect(await gateway.results(key, id)).toHaveLength(6);
  await gateway.call(other, "DELETE", `/batches/${waiting}`);
});

/** Part of the statement that reserves a call's credits. */
const reserved = /"most":/;

/** The answer comes only after 3 s. */
const serp = (key: string, url: string, idempotencyKey?: string) =>
  gateway.call<Envelope>(key, "POST", "/seo/serp", {
    url,
    body: { query: "coffee", location: "us", language: "en", limit: 2 },
    headers: {
      "svc-test-scenario": "slow",
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
  });

test("the hold of a call that was refused is released once its database answers", async () => {
  const { key, accountId } = await caller();
  const { stalled, goOn } = relay.stallBehind(reserved);
  const refused = await serp(key, gateway.url);
  await stalled;
  expect(refused.status, refused.text).toBe(503);
  expect((await gateway.balance(accountId, "test")).held).toBeGreaterThan(0);
  goOn();
  // Long before the hold expires.
  await until(async () => (await gateway.balance(accountId, "test")).held === 0, 20_000);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 1000, held: 0 });
});

test("so is that of a call with a key that nobody repeats, and its key is free", async () => {
  const { key, accountId } = await caller();
  const { stalled, goOn } = relay.stallBehind(reserved);
  const refused = await serp(key, gateway.url, "left");
  await stalled;
  expect(refused.status, refused.text).toBe(503);
  expect((await gateway.balance(accountId, "test")).held).toBeGreaterThan(0);
  goOn();
  await until(async () => (await gateway.balance(accountId, "test")).held === 0, 20_000);
  const other = await gateway.call(key, "POST", "/seo/serp", {
    body: { query: "tea", location: "us", language: "en", limit: 2 },
    headers: { "idempotency-key": "left" },
  });
  expect(other.status, other.text).toBe(200);
});

test("a call that was refused and repeated by its key meanwhile is carried out", async () => {
  const { key, accountId } = await caller();
  const { url } = await gateway.startApi({ DATABASE_URL: gateway.db.url });
  gateway.apis.pop();
  const { stalled, goOn } = relay.stallBehind(reserved);
  const refused = await serp(key, gateway.url, "again");
  await stalled;
  expect(refused.status, refused.text).toBe(503);
  const again = serp(key, url, "again");
  const redis = clientOf(gateway.redis.url);
  const jobs = `${queuePrefix}:${queueOf("serp")}:svc_*`;
  await until(async () => (await redis.keys(jobs)).length > 0);
  redis.disconnect();
  goOn();
  const answer = await again;
  expect(answer.status, answer.text).toBe(200);
  const { credits_charged: charged } = answer.body.billing;
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 1000 - charged, held: 0 });
});

test("a retry of a batch runs each failed item once although its answer was lost", async () => {
  const { key, accountId } = await caller();
  const id = await submit(key, "quince", 3, { scenario: "upstream_error" });
  expect((await endOf(key, id)).items).toMatchObject({ failed: 3 });
  await gateway.results(key, id);
  await gateway.db.sql`update batches set scenario = null where public_id = ${id}`;
  const lost = relay.loseAnswerTo(new RegExp(id));
  const path = `/batches/${id}/retry`;
  const headers = { "idempotency-key": "retry" };
  const retried = await gateway.call<Envelope<BatchData>>(key, "POST", path, { headers });
  await lost;
  expect(retried.status, retried.text).toBe(202);
  expect(await endOf(key, id)).toMatchObject({ state: "ended", items: { succeeded: 3 } });
  const lines = await gateway.results(key, id);
  await gateway.db.sql`update batches set scenario = 'upstream_error' where public_id = ${id}`;
  expect((await gateway.call(key, "POST", path, { headers })).status).toBe(202);
  expect(await gateway.results(key, id)).toEqual(lines);
  const charged = lines.reduce((sum, line) => sum + (line.billing?.credits_charged ?? 0), 0);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 1000 - charged, held: 0 });
});

test("a cancelled job and a cancelled batch are told so although the answer was lost", async () => {
  const { key, accountId } = await caller();
  const { body } = await submitJob(gateway, key, unserved);
  const batch = await submit(key, "medlar", 1, { operation: "browser.markdown" });
  for (const [id, path] of [
    [body.data.request_id, "/jobs/"],
    [batch, "/batches/"],
  ] as const) {
    const lost = relay.loseAnswerTo(new RegExp(id));
    const told = await gateway.call<Envelope<{ state: string }>>(key, "DELETE", path + id);
    await lost;
    expect(told.status, told.text).toBe(200);
    expect(told.body.data.state).toMatch(/^cancell/);
  }
  await until(async () => (await gateway.balance(accountId, "test")).held === 0);
});

interface Endpoint {
  id: string;
  secret: string;
  description: string;
}
const hook = (path: string) => ({ url: `http://127.0.0.1:9/${path}`, events: ["job.ended"] });
const endpointsOf = (accountId: number) =>
  gateway.db.sql<{ id: string; hasFormer: boolean }[]>`
    select id, former_secret is not null as "hasFormer" from webhook_endpoints
    where account_id = ${accountId}`;

test("a webhook endpoint is added, changed, given a secret and removed once although each answer was lost", async () => {
  const { key, accountId } = await caller();
  const send = async (
    method: "POST" | "PATCH" | "DELETE",
    path: string,
    { body, mark }: { body?: unknown; mark: RegExp },
  ) => {
    const lost = relay.loseAnswerTo(mark);
    const told = await gateway.call<Envelope<Endpoint>>(key, method, path, { body });
    await lost;
    expect(told.status, told.text).toBeLessThan(300);
    return told.body.data;
  };
  const { id, secret } = await send("POST", "/webhooks", { body: hook("once"), mark: /once/ });
  expect(secret).toMatch(/^whsec_/);
  expect(await endpointsOf(accountId)).toEqual([{ id, hasFormer: false }]);
  const path = `/webhooks/${id}`;
  const described = { body: { description: "described" }, mark: /described/ };
  expect((await send("PATCH", path, described)).description).toBe("described");
  // The statement has the overlap in milliseconds.
  const overlap = { body: { overlap_hours: 7 }, mark: /25200000/ };
  const rotated = await send("POST", `${path}/rotate-secret`, overlap);
  expect(rotated.secret).not.toBe(secret);
  expect(await endpointsOf(accountId)).toEqual([{ id, hasFormer: true }]);
  await send("DELETE", path, { mark: new RegExp(id) });
  expect(await endpointsOf(accountId)).toEqual([]);
});

test("a webhook endpoint whose secret its caller cannot receive is removed again", async () => {
  const { key, accountId } = await caller();
  const { stalled, goOn } = relay.stallBehind(/unheard/);
  const answer = gateway.call(key, "POST", "/webhooks", { body: hook("unheard") });
  await stalled;
  expect(await endpointsOf(accountId)).toHaveLength(1);
  const refused = await answer;
  expect(refused.status, refused.text).toBe(503);
  goOn();
  await until(async () => (await endpointsOf(accountId)).length === 0, 20_000);
  const again = await gateway.call(key, "POST", "/webhooks", { body: hook("unheard") });
  expect(again.status, again.text).toBe(201);
});
