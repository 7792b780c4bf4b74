import { type IncomingMessage, type ServerResponse, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Gateway as Client } from "public-data-gateway-client";
import { dataforseo } from "../../worker/sandbox/dataforseo.ts";
import { Gateway } from "../gateway.ts";
import { type Simulator, startSimulator } from "../upstream/simulator.ts";

/** The client against real processes, with faults between them. */

const anchorsPath = "/v3/backlinks/anchors/live";
const total = 10_000;

interface Listing {
  tasks: [{ result: [{ total_count: number; items: Record<string, unknown>[] }] }];
}

/** The provider's list of `total` rows, each identified by its text. */
function rowsOf(body: unknown): Listing {
  const [{ offset = 0, limit = 0 }] = body as [{ offset?: number; limit?: number }];
  const sample = dataforseo.answers[`POST ${anchorsPath}`];
  // The sample's own list is short: its first row stands for all.
  const first = [{ ...(body as object[])[0], offset: 0, limit: 1 }];
  const sampleRequest = { method: "POST", path: anchorsPath, body: first, parts: {} } as const;
  const answer = sample?.({ ...sampleRequest, empty: false, secondPage: false }) as Listing;
  const [result] = answer.tasks[0].result;
  const [row] = result.items;
  result.total_count = total;
  result.items = Array.from({ length: Math.min(limit, total - offset) }, (_, index) => ({
    ...row,
    anchor: `text ${offset + index}`,
  }));
  return answer;
}

let upstream: Simulator;
let gateway: Gateway;
beforeAll(async () => {
  upstream = await startSimulator();
  upstream.on("POST", anchorsPath, ({ body }) => ({ body: rowsOf(body) }));
  gateway = await Gateway.start({
    pools: "seo",
    env: {
      DATAFORSEO_BASE_URL: upstream.url,
      DATAFORSEO_LOGIN: "sample",
      DATAFORSEO_PASSWORD: "sample",
      DATAFORSEO_CALLS_PER_MINUTE: "100000",
    },
  });
  await gateway.startApi();
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

type FrontFault = (incoming: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Forwards requests to the living API processes in turn, except those with a fate of their own. */
async function startFront(frontFaults: Record<number, FrontFault>) {
  let count = 0;
  let nextApi = 0;
  const next = () => {
    const living = gateway.apis.filter(
      ({ process }) => process.child.exitCode === null && process.child.signalCode === null,
    );
    return living[(nextApi += 1) % living.length] as (typeof living)[number];
  };
  async function forward(incoming: IncomingMessage, response: ServerResponse, cutAt = Infinity) {
    const body = await buffer(incoming);
    const { hostname, port } = new URL(next().url);
    const { method = "", url = "", headers } = incoming;
    const onward = request({ hostname, port, method, path: url, headers });
    onward.on("error", () => response.destroy());
    onward.end(body);
    onward.on("response", (answer) => void answered(answer, response, cutAt));
  }
  async function answered(answer: IncomingMessage, response: ServerResponse, cutAt: number) {
    const text = await buffer(answer).catch(() => undefined);
    if (!text) return void response.destroy();
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    if (text.length <= cutAt) return void response.end(text);
    response.write(text.subarray(0, cutAt), () => response.destroy());
  }
  const server = createServer((incoming, response) => {
    count += 1;
    void (frontFaults[count] ?? forward)(incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forward,
    count: () => count,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function refuse(status: number, type: string): FrontFault {
  return async (incoming, response) => {
    await buffer(incoming);
    response.writeHead(status, { "retry-after": "1", "content-type": "application/json" });
    response.end(JSON.stringify({ error: { type, message: type, request_id: "svc_0" } }));
  };
}

test("10,000 records through 429, 503, cut answers and the death of a process: each once, each paid once", async () => {
  const { key, accountId } = await gateway.key({ credits: 2 * total });
  const frontFaults: Record<number, FrontFault> = {
    3: refuse(429, "rate_limited"),
    5: refuse(503, "upstream_unavailable"),
    // The gateway has charged and answered; the caller never received the whole answer.
    7: (incoming, response) => front.forward(incoming, response, 1000),
    12: async (incoming, response) => {
      const [dying] = gateway.apis;
      const passed = front.forward(incoming, response);
      await dying?.process.kill("SIGKILL");
      await passed;
    },
  };
  const front = await startFront(frontFaults);
  const client = new Client({ key, baseUrl: front.url });
  const seen: string[] = [];
  const list = client.seo.backlinks.anchors({ target: "example.com", limit: 500 });
  for await (const record of list) seen.push(String(record.anchor));
  front.close();
  expect(seen).toEqual(Array.from({ length: total }, (_, index) => `text ${index}`));
  expect(front.count()).toBeGreaterThanOrEqual(23);
  expect(await gateway.balance(accountId)).toEqual({ balance: total, held: 0 });
});

test("leaving the loop ends the paging, and aborting ends the call", async () => {
  const { key, accountId } = await gateway.key({ credits: 1000 });
  const client = new Client({ key, baseUrl: gateway.url });
  const input = { target: "example.com", limit: 10 };
  const some = await client.seo.backlinks.anchors(input).toArray({ limit: 15 });
  expect(some).toHaveLength(15);
  expect((await gateway.balance(accountId)).balance).toBe(980);
  const stop = new AbortController();
  const call = client.seo.backlinks.anchors(input, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
});

test("a call is submitted, polled and awaited; another process finds it by its id; one is cancelled", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 1000 });
  const client = new Client({ key, baseUrl: gateway.url });
  const input = { target: "example.com", limit: 10 };
  const job = await client.seo.backlinks.anchors(input).submit();
  expect(job.id).toMatch(/^svc_/);
  const answer = await job.result();
  expect(answer.request_id).toBe(job.id);
  expect(answer.data.results).toHaveLength(10);
  expect(await job.status()).toMatchObject({ state: "succeeded", status: 200 });
  expect(await new Client({ key, baseUrl: gateway.url }).job(job.id).result()).toEqual(answer);
  await expect(job.cancel()).rejects.toMatchObject({ status: 409 });

  const slim = await client.seo.backlinks.anchors(input, { fields: ["anchor"] }).submit();
  const [row] = (await slim.result()).data.results;
  expect(Object.keys(row ?? {})).toEqual(["anchor"]);

  const slow = await client.seo.backlinks.anchors(input, { scenario: "slow" }).submit();
  await expect(slow.result({ timeoutMs: 1 })).rejects.toMatchObject({ status: 409 });
  expect((await slow.cancel()).state).toBe("cancelled");
  await expect(slow.result()).rejects.toMatchObject({ type: "not_found" });
  expect((await gateway.balance(accountId, "test")).balance).toBe(980);
});

test("a batch is submitted as a list, its results followed through a cut connection, each once", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 1000 });
  const front = await startFront({
    // The first answer of results is cut in the middle.
    2: (incoming, response) => front.forward(incoming, response, 2000),
  });
  const client = new Client({ key, baseUrl: front.url });
  async function* items() {
    for (let n = 0; n < 20; n += 1) {
      const input = { target: `site${n}.example`, limit: 2 };
      yield { custom_id: `item ${n}`, operation: "seo.backlinks.anchors", input };
    }
  }
  const { batch, accepted } = await client.createBatch(items(), { maxCredits: 100 });
  expect(accepted.items.total).toBe(20);
  const names: string[] = [];
  for await (const line of batch.results()) {
    expect(line.status).toBe(200);
    names.push(line.custom_id);
  }
  front.close();
  expect(names.toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `item ${n}`).toSorted());
  const again = new Client({ key, baseUrl: gateway.url }).batch(batch.id);
  expect(await again.status()).toMatchObject({
    state: "ended",
    items: { total: 20, succeeded: 20 },
    credits: { charged: 40 },
  });
  expect((await gateway.balance(accountId, "test")).balance).toBe(960);
});
