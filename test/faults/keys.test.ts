import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { generateKey } from "../../db/key.ts";
import { type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { besideMs } from "./full.ts";

let gateway: Gateway;
let key: string;
let keyId: string;
beforeAll(async () => {
  gateway = await Gateway.start();
  ({ key, keyId } = await gateway.key({ mode: "test" }));
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(() => gateway.stop());

test("case 37: every refusal of a key has one body, and revocation is felt within a second", async () => {
  const [prefix, mode, id, secret] = key.split("_") as [string, string, string, string];
  const swapped = secret.startsWith("a") ? `b${secret.slice(1)}` : `a${secret.slice(1)}`;
  const revoked = await gateway.key({ mode: "test" });
  expect((await gateway.call(revoked.key, "GET", "/account")).status).toBe(200);
  await gateway.db.sql`update api_keys set revoked_at = now() where id = ${revoked.keyId}`;
  const revokedAt = Date.now();
  await until(async () => (await gateway.call(revoked.key, "GET", "/account")).status === 401);
  expect(Date.now() - revokedAt).toBeLessThan(1500 + besideMs);

  const bodies = new Set<string>();
  const headers = [
    undefined,
    "Basic abc",
    `Token ${key}`,
    "Bearer",
    "Bearer nonsense",
    `Bearer ${prefix}_${mode}_${id}_${swapped}`,
    `Bearer ${revoked.key}`,
  ];
  for (const authorization of headers) {
    const response = await fetch(`${gateway.url}/account`, {
      headers: authorization === undefined ? {} : { authorization },
    });
    expect(response.status, authorization).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    const body = (await response.json()) as ErrorEnvelope;
    bodies.add(JSON.stringify({ ...body.error, request_id: "" }));
  }
  expect(bodies.size).toBe(1);
  expect((await gateway.call(undefined, "GET", "/no/such/path")).status).toBe(401);
  expect((await gateway.call(key, "GET", "/account")).status).toBe(200);
  expect(keyId).toBe(id);
});

/** A proxy to Postgres that counts the executed statements. */
async function countingProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const to = { port: Number(target.port), host: target.hostname };
  let executed = 0;
  const server = createServer((client) => {
    const database = connect(to);
    client.on("error", () => database.destroy()).pipe(database);
    database.on("error", () => client.destroy()).pipe(client);
    let rest = Buffer.alloc(0);
    let started = false;
    client.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk as Buffer]);
      // The first message has no type byte.
      for (let at = started ? 1 : 0; rest.length >= at + 4; at = 1) {
        const length = at + rest.readUInt32BE(at);
        if (rest.length < length) return;
        if (started && (rest[0] === "E".charCodeAt(0) || rest[0] === "Q".charCodeAt(0))) {
          executed += 1;
        }
        started = true;
        rest = rest.subarray(length);
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  target.port = String((server.address() as AddressInfo).port);
  return { url: target.href, executed: () => executed, server };
}

test("case 37: a malformed key makes no database query, any other exactly one", async () => {
  const proxy = await countingProxy(gateway.db.url);
  const counted = await gateway.startApi({ DATABASE_URL: proxy.url, SWEEP_EVERY_MS: "600000" });
  const [prefix, mode, id, secret] = key.split("_") as [string, string, string, string];
  const other = await gateway.key({ mode: "test" });
  const gone = await gateway.key({ mode: "test" });
  const expired = await gateway.key({ mode: "test" });
  const disabled = await gateway.key({ mode: "test" });
  await gateway.db.sql`update api_keys set revoked_at = now() where id = ${gone.keyId}`;
  await gateway.db.sql`update api_keys set expires_at = now() where id = ${expired.keyId}`;
  await gateway.db.sql`update accounts set disabled = true where id = ${disabled.accountId}`;
  const otherMode = mode === "test" ? "live" : "test";
  const wrong = secret.startsWith("a") ? `b${secret.slice(1)}` : `a${secret.slice(1)}`;
  const none = {
    missing: undefined,
    "wrong scheme": `Basic ${key}`,
    malformed: "Bearer nonsense",
    "bad checksum": `Bearer ${prefix}_${mode}_${id}_${wrong}`,
    cut: `Bearer ${key.slice(0, -1)}`,
    long: `Bearer ${key}${"a".repeat(300)}`,
  };
  const once = {
    unknown: `Bearer ${prefix}_${mode}_${"0".repeat(id.length)}_${secret}`,
    // A secret with a valid checksum, under another key's id.
    "wrong secret": `Bearer ${prefix}_${mode}_${id}_${other.key.split("_")[3]}`,
    "other mode": `Bearer ${prefix}_${otherMode}_${id}_${secret}`,
    revoked: `Bearer ${gone.key}`,
    expired: `Bearer ${expired.key}`,
    "account disabled": `Bearer ${disabled.key}`,
  };
  const queriesOf = async (authorization: string | undefined) => {
    const before = proxy.executed();
    const response = await fetch(`${counted.url}/account`, {
      headers: authorization === undefined ? {} : { authorization },
    });
    expect(response.status).toBe(401);
    return proxy.executed() - before;
  };
  const statementCounts = async (headers: Record<string, string | undefined>, expected: number) => {
    const counts: Record<string, number> = {};
    for (const [name, header] of Object.entries(headers)) {
      counts[name] = await queriesOf(header);
      // A process runs statements of its own now and then, which may fall in between on a slow
      // machine.
      for (let again = 0; again < 3 && counts[name] > expected; again += 1)
        counts[name] = await queriesOf(header);
    }
    return counts;
  };
  const all = (headers: object, count: number) =>
    Object.fromEntries(Object.keys(headers).map((name) => [name, count]));
  expect(await statementCounts(none, 0)).toEqual(all(none, 0));
  expect(await statementCounts(once, 1)).toEqual(all(once, 1));
  await counted.process.kill("SIGTERM");
  gateway.apis.pop();
  proxy.server.close();
});

test("a valid key that the process has not seen is served while its address sends bad ones", async () => {
  const flood = async () => {
    const answers = Array.from({ length: 100 }, () =>
      gateway.call(generateKey("test").text, "GET", "/account").then(({ status }) => status),
    );
    return new Set(await Promise.all(answers));
  };
  const { key: unseen } = await gateway.key({ mode: "test" });
  // On a busy machine the limit may recover in between.
  await until(async () => (await flood()).has(429));
  expect((await gateway.call(unseen, "GET", "/account")).status).toBe(200);
  await until(async () => (await flood()).has(429));
});
