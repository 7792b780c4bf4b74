import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileCache, startProcess } from "../process.ts";
import { freePort } from "../redis-server.ts";
import { type Envelope, type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { type Received, type Receiver, startReceiver, verified } from "../receiver.ts";

let gateway: Gateway;
let receiver: Receiver;
let key: string;
/** Port of the documentation's receiver. */
let port: number;

beforeAll(async () => {
  receiver = await startReceiver();
  port = await freePort();
  gateway = await Gateway.start({
    pools: "social,webhooks",
    env: { WEBHOOK_ALLOW: `${receiver.address},127.0.0.1:${port}` },
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

async function deliveriesAt(path: string, count = 1): Promise<Received[]> {
  const of = () => receiver.received.filter((request) => request.path === path);
  await until(() => of().length >= count);
  return of();
}

test("the end of a job is reported to the endpoints registered for it, and to its own address", async () => {
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
  const [atAll] = (await deliveriesAt("/all")) as [Received];
  const [atOwn] = (await deliveriesAt("/own")) as [Received];
  expect(verified(atAll, body.data.secret)).toMatchObject({ type: "job.ended", data });
  expect(verified(atOwn, direct.body.data.secret)).toMatchObject({ type: "job.ended", data });
  expect(atOwn.event).toBe(atAll.event);

  const failed = await asJob({ "svc-test-scenario": "upstream_error" });
  const [, second] = (await deliveriesAt("/all", 2)) as [Received, Received];
  expect(verified(second, body.data.secret).data).toMatchObject({
    request_id: failed.body.request_id,
    state: "failed",
  });
  expect(receiver.received.filter(({ path }) => path === "/own")).toHaveLength(1);
});

test("a forbidden address is refused before anything runs, and so is one without a job", async () => {
  const inside = await asJob({ "svc-webhook-url": "https://10.0.0.1/" });
  expect(inside.body.error.issues).toMatchObject([
    { in: "header", path: "Svc-Webhook-Url", code: "destination_not_allowed" },
  ]);
  const waits = await search({ "svc-webhook-url": `${receiver.url}/own` });
  expect(waits.body.error.issues).toMatchObject([
    { in: "header", path: "Svc-Webhook-Url", code: "not_a_job" },
  ]);
});

test("the end of a batch is reported to its own address, item failures to the endpoints registered for them", async () => {
  const caller = await gateway.key({ mode: "test", credits: 100 });
  const ask = async <D>(path: string, body?: unknown, headers: Record<string, string> = {}) =>
    (await gateway.call<Envelope<D>>(caller.key, "POST", path, { body, headers })).body.data;
  const endpoint = await ask<{ secret: string }>("/webhooks", {
    url: `${receiver.url}/items`,
    events: ["batch.item_failed"],
  });
  const direct = await ask<{ secret: string }>("/webhooks/direct/rotate-secret");
  const items = ["a", "b"].map((custom_id) => ({
    custom_id,
    operation: "shortclip.search",
    input: { q: custom_id },
  }));
  const { id } = await ask<{ id: string }>(
    "/batches",
    { items },
    { "svc-test-scenario": "upstream_error", "svc-webhook-url": `${receiver.url}/batch` },
  );
  const [end] = (await deliveriesAt("/batch")) as [Received];
  expect(verified(end, direct.secret)).toMatchObject({
    type: "batch.ended",
    data: { batch_id: id, mode: "test", state: "ended" },
  });
  const failures = await deliveriesAt("/items", 2);
  const failed = failures.map((one) => verified(one, endpoint.secret).data);
  expect(failed).toContainEqual(
    expect.objectContaining({ batch_id: id, custom_id: "a", mode: "test" }),
  );
  expect(receiver.received.filter(({ path }) => path === "/batch")).toHaveLength(1);

  // The address may stand in the body as well, but not in both.
  const inBody = { items, webhook_url: `${receiver.url}/in-body` };
  const other = await ask<{ id: string }>("/batches", inBody);
  const [ended] = (await deliveriesAt("/in-body")) as [Received];
  expect(verified(ended, direct.secret)).toMatchObject({ data: { batch_id: other.id } });
  const refused = async (body: unknown, headers: Record<string, string> = {}) => {
    const answer = await gateway.call<ErrorEnvelope>(caller.key, "POST", "/batches", {
      body,
      headers,
    });
    expect(answer.status, answer.text).toBe(400);
    return answer.body.error.issues;
  };
  const issue = { in: "body", path: "webhook_url" };
  const own = { "svc-webhook-url": `${receiver.url}/batch` };
  expect(await refused(inBody, own)).toMatchObject([{ ...issue, code: "duplicate" }]);
  expect(await refused({ items, webhook_url: "https://10.0.0.1/" })).toMatchObject([
    { ...issue, code: "destination_not_allowed" },
  ]);
});

test("every command and the program of docs/webhooks.md work unchanged", async () => {
  const text = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");
  const blocks = (kind: string) =>
    [...text.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, "gms"))].map(
      (found) => found[1] as string,
    );
  const [program] = blocks("ts") as [string];
  const [create, sendTest, direct, balance, log, replay, rotate] = blocks("sh") as string[];
  const reader = await gateway.key({ mode: "test", credits: 100 });
  const env: Record<string, string> = {
    PATH: process.env["PATH"] as string,
    NODE_COMPILE_CACHE: compileCache,
    GATEWAY_URL: gateway.url,
    GATEWAY_KEY: reader.key,
    HOOK_URL: `http://127.0.0.1:${port}/hook`,
  };
  const run = async <D>(command = "") => {
    const { stdout } = await promisify(execFile)("bash", ["-ec", command], { env });
    const answers = stdout.split(/(?<=\}\})(?=\{)/).map((line) => JSON.parse(line) as Envelope<D>);
    for (const one of answers) expect(one.billing, stdout).toBeDefined();
    return answers.at(-1) as Envelope<D>;
  };

  const { data } = await run<{ id: string; secret: string }>(create);
  env["ENDPOINT"] = data.id;
  const file = fileURLToPath(new URL("../../docs/.receiver.ts", import.meta.url));
  writeFileSync(file, program);
  const listener = startProcess(file, { PORT: String(port), WEBHOOK_SECRET: data.secret });
  try {
    await until(() =>
      fetch(env["HOOK_URL"] as string).then(
        () => true,
        () => false,
      ),
    );
    await run(sendTest);
    await until(() => listener.log().includes("webhook.test"));
    await run(direct);
    await until(() => listener.log().includes("job.ended"));
    await run(balance);
    await until(async () => {
      const [first] = (await run<{ id: string; state: string }[]>(log)).data;
      env["DELIVERY"] = first?.id as string;
      return first?.state === "delivered";
    });
    await run(replay);
    await run(rotate);
  } finally {
    await listener.kill();
    rmSync(file);
  }
});
