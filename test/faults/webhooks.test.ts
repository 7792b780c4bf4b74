import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emitWebhooks } from "../../db/webhooks.ts";
import { type Envelope, Gateway, until } from "../gateway.ts";
import {
  type Reaction,
  type Received,
  type Receiver,
  startReceiver,
  verified,
} from "../receiver.ts";
import { makeCertificate } from "../worker/browser/certificate.ts";
import { type NameServer, startNameServer } from "../worker/browser/name-server.ts";
import { full } from "./full.ts";

/** Deliveries for each of the six endpoints. */
const eachGets = full ? 167 : 10;
/** Duration of the receivers' faults. */
const badMs = full ? 20_000 : 1500;

let gateway: Gateway;
let receiver: Receiver;
let decoy: Receiver;
let secure: Receiver;
let names: NameServer;
let folder: string;
let key: string;
let accountId: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gateway-webhooks-"));
  const certificate = makeCertificate("hooks.test");
  writeFileSync(join(folder, "cert.pem"), certificate.cert);
  receiver = await startReceiver();
  // The same port on another inside address, so that only the address differs.
  const port = Number(new URL(receiver.url).port);
  decoy = await startReceiver({ host: "127.0.0.2", port });
  secure = await startReceiver({ tls: certificate });
  names = await startNameServer({
    // The first look-up belongs to the registration.
    "rebound.test": (lookup) => [lookup === 1 ? "127.0.0.1" : "127.0.0.2"],
    "mixed.test": () => ["127.0.0.1", "127.0.0.2"],
    "hooks.test": () => ["127.0.0.1"],
    "other.test": () => ["127.0.0.1"],
  });
  gateway = await Gateway.start({
    pools: "webhooks",
    shorter: full ? [] : ["locks", "webhooks"],
    env: {
      WEBHOOK_ALLOW: `${receiver.address},${secure.address}`,
      WEBHOOK_PAUSES: full ? "0.2,0.5,1,2" : "0.2,0.5,1",
      WEBHOOK_ATTEMPT_MS: "1000",
      RESOLVER: names.address,
      NODE_EXTRA_CA_CERTS: join(folder, "cert.pem"),
    },
  });
  ({ key, accountId } = await gateway.key({ mode: "test", credits: 100 }));
});
afterAll(async () => {
  expect(await gateway.violations()).toEqual([]);
  await gateway.stop();
  await Promise.all([receiver.stop(), decoy.stop(), secure.stop(), names.close()]);
  rmSync(folder, { recursive: true });
});

interface Endpoint {
  id: string;
  secret: string;
}

async function register(url: string, event: string): Promise<Endpoint> {
  const body = { url, events: [event] };
  const answer = await gateway.call<Envelope<Endpoint>>(key, "POST", "/webhooks", { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
}

/** Starts an API process with these variables and stops all others. */
async function replaceApis(env: Record<string, string>) {
  const others = gateway.apis.splice(0);
  const started = await gateway.startApi(env);
  for (const { process } of others) process.child.kill("SIGTERM");
  await Promise.all(others.map(({ process }) => process.ended));
  return started;
}

const emit = (type: string, subjects: string[]) =>
  emitWebhooks(
    gateway.db,
    subjects.map((subject) => ({ accountId, mode: "test", type, subject, data: { subject } })),
  );

const answersOf = async ({ id }: Endpoint) =>
  (
    await gateway.call<
      Envelope<{ state: string; answers: { fault?: string; status?: number }[] }[]>
    >(key, "GET", `/webhooks/${id}/deliveries`)
  ).body.data[0];

test("events reach receivers that answer 500, hang, redirect, reset or stall, once these recover, whichever processes are killed", async () => {
  const reactions: Record<string, Reaction> = {
    "/fails": 500,
    "/hangs": "hang",
    "/redirects": "redirect",
    "/resets": "reset",
    "/throttles": 503,
  };
  let bad = true;
  receiver.answers(({ path }) => (bad ? (reactions[path] ?? 204) : 204));
  const endpoints = new Map<string, Endpoint>();
  for (const path of [...Object.keys(reactions), "/good"])
    endpoints.set(path, await register(`${receiver.url}${path}`, "job.ended"));
  const [first] = gateway.workers;
  await Promise.all([gateway.startWorker({ WORKER_POOLS: "webhooks" }), gateway.startApi()]);

  const startedAt = Date.now();
  const subjects = Array.from({ length: eachGets }, (_, n) => `svc_${n}`);
  await emit("job.ended", subjects);
  const takenAt = (path: string) => {
    const of = receiver.received.filter((request) => request.path === path);
    return new Set(of.filter(({ reaction }) => reaction === 204).map(({ event }) => event)).size;
  };
  // A healthy receiver does not wait for failing ones.
  await until(() => takenAt("/good") === eachGets);
  const goodMs = Date.now() - startedAt;

  await until(() => receiver.received.some(({ path }) => path === "/hangs"));
  await first?.kill("SIGKILL");
  await gateway.apis[0]?.process.kill("SIGKILL");
  await sleep(Math.max(0, badMs - (Date.now() - startedAt)));
  bad = false;
  const recoveredAt = Date.now();
  await until(
    () => Object.keys(reactions).every((path) => takenAt(path) === eachGets),
    full ? 240_000 : 90_000,
  );
  const recoveryMs = Date.now() - recoveredAt;

  for (const request of receiver.received)
    verified(request, endpoints.get(request.path)?.secret ?? "");
  expect(receiver.received.some(({ path }) => path === "/elsewhere")).toBe(false);
  const again = receiver.received.filter(({ reaction }) => reaction === 204).length - 6 * eachGets;
  console.log(
    `${6 * eachGets} deliveries: the good one had its ${eachGets} after ${goodMs} ms, ` +
      `all others ${recoveryMs} ms after they recovered; ${again} came twice, ` +
      `${receiver.received.length} requests in all`,
  );
}, 400_000);

test("a name that resolves elsewhere after its registration is never dialled there", async () => {
  const port = new URL(receiver.url).port;
  const rebound = await register(`http://rebound.test:${port}/rebound`, "batch.ended");
  const body = { url: `http://mixed.test:${port}/`, events: ["batch.ended"] };
  const mixed = await gateway.call(key, "POST", "/webhooks", { body });
  expect(mixed.status).toBe(400);

  await emit("batch.ended", ["batch_1", "batch_2", "batch_3"]);
  await until(async () => ((await answersOf(rebound))?.answers.length ?? 0) >= 3);
  expect((await answersOf(rebound))?.answers).toContainEqual(
    expect.objectContaining({ fault: "blocked" }),
  );
  expect(decoy.received).toEqual([]);
  // The decoy listens.
  await fetch(`${decoy.url}/`, { method: "POST", body: "{}" });
  expect(decoy.received).toHaveLength(1);
  await gateway.call(key, "DELETE", `/webhooks/${rebound.id}`);
});

test("with https the certificate must match the name", async () => {
  const port = new URL(secure.url).port;
  const right = await register(`https://hooks.test:${port}/right`, "batch.item_failed");
  const wrong = await register(`https://other.test:${port}/wrong`, "batch.item_failed");
  await emit("batch.item_failed", ["item_1"]);
  await until(async () => (await answersOf(right))?.state === "delivered");
  // Any other fault comes from a machine that exceeded an attempt's time.
  await until(
    async () => (await answersOf(wrong))?.answers.some(({ fault }) => fault === "tls") === true,
  );
  expect((await answersOf(wrong))?.answers.map(({ status }) => status)).not.toContain(204);
  expect(new Set(secure.received.map(({ path }) => path))).toEqual(new Set(["/right"]));
  verified(secure.received[0] as (typeof secure.received)[0], right.secret);
  for (const { id } of [right, wrong]) await gateway.call(key, "DELETE", `/webhooks/${id}`);
});

test("receivers accept what a process signs whose clock is 400 s behind", async () => {
  receiver.answers(() => 204);
  const { id, secret } = await register(`${receiver.url}/behind`, "balance.low");
  await replaceApis({
    NODE_OPTIONS: `--import ${new URL("shifted-clock.ts", import.meta.url).href}`,
    CLOCK_SHIFT_MS: "-400000",
  });
  await emit("balance.low", ["behind_1"]);
  const arrived = () => receiver.received.find(({ path }) => path === "/behind");
  await until(() => arrived() !== undefined);
  verified(arrived() as Received, secret);
  await gateway.call(key, "DELETE", `/webhooks/${id}`);
});

test("a process killed between taking an event and queueing it delays the event by seconds", async () => {
  receiver.answers(() => 204);
  const { secret } = await register(`${receiver.url}/taken`, "balance.low");
  const doomed = await replaceApis({ FAULT_POINT: "webhooks_taken" });
  await emit("balance.low", ["taken_1"]);
  await doomed.process.ended;
  gateway.apis.pop();
  const [taken] = await gateway.db.sql<{ ms: number }[]>`
    select extract(epoch from leased_until - clock_timestamp())::float8 * 1000 as ms
    from webhook_deliveries d join webhook_events e on e.id = d.event_id
    where d.state = 'sending' and e.type = 'balance.low'`;
  expect(taken?.ms).toBeLessThan(full ? 10_000 : 5000);
  const from = Date.now();
  await gateway.startApi();
  const readyMs = Date.now() - from;
  const at = () => receiver.received.find(({ path }) => path === "/taken");
  await until(() => at() !== undefined);
  console.log(
    `delivered ${Date.now() - from} ms after the next process was started, which took ${readyMs} ms`,
  );
  verified(at() as NonNullable<ReturnType<typeof at>>, secret);
}, 300_000);
