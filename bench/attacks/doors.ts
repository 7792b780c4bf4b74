import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { dial } from "../../test/raw.ts";
import type { Attacks, Target } from "./attack.ts";
import { aSecond, inLanes, send } from "./client.ts";

/** Attacks at the doors of the API and the dashboards. */

/** Below the account's rate of 60 a second, which both keys share: a refused call costs nothing. */
const atRate = 50;
const item = { path: "/news-aggregator/items/40000001", method: "GET" } as const;
const itemJob = { operation: "news_aggregator.items.get", input: { id: "40000001" } };
const keyOf = ({ live, test }: Target, index: number) => (index % 2 ? live : test);
const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `"k${index}":0`).join(",");
const crowd = (piece: string, count: number) => Array(count).fill(piece).join(",");
/** Above 14,000 texts that are half characters. */
const longName = `{"${"a".repeat(50_000)}":[${crowd(String.raw`"\ud800"`, 20_000)}]}`;
const tool = (name: string, args: unknown, id: number | string = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});
const mcp = { accept: "application/json, text/event-stream" };

/** A body with an item of 6,000 names, repeated. */
const crowdedBatch = () => {
  const one = `{"custom_id":"ID","operation":"geo.mentions.search","input":{${names(6000)}}}`;
  const items = Array.from({ length: 200 }, (_, index) => one.replace("ID", String(index)));
  return `{"items":[${items.join()}]}`;
};

/** Writes to a connection of its own until the attack is over, and opens it again whenever it is closed. */
async function onSockets(target: Target, count: number, write: (n: number) => string | undefined) {
  await Promise.all(
    Array.from({ length: count }, async (_, lane) => {
      while (!target.over.aborted) {
        const socket = await dial(target.url).catch(() => undefined);
        if (!socket) await sleep(100);
        else {
          socket.on("error", () => undefined).resume();
          for (let turn = lane; !socket.destroyed && !target.over.aborted; turn += 1) {
            const text = write(turn);
            if (text !== undefined && !socket.write(text)) {
              await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
            } else await sleep(text === undefined ? 250 : 1);
          }
          socket.destroy();
        }
      }
    }),
  );
}

export const doorAttacks: Attacks = {
  "long-names": {
    about: "bodies with a long name above 20,000 faults, at five doors",
    victim: "social",
    run: (target) =>
      inLanes(target, 8, (lane) => {
        const path = ["/geo/mentions/search", "/browser/html", "/webhooks", "/jobs", "/mcp"][
          lane % 5
        ];
        return send(target, keyOf(target, lane), { path: path as string, body: longName });
      }),
  },
  "crowded-batches": {
    about: "eight bodies of POST /batches with 6,000 unknown names an item",
    victim: "social",
    run(target) {
      const body = crowdedBatch();
      return inLanes(target, 8, (lane) =>
        send(target, keyOf(target, lane), { path: "/batches", body }),
      );
    },
  },
  "refused-batches": {
    about: "batches of 10,000 items, each refused or only priced",
    victim: "social",
    run(target) {
      const bad = (n: number) => ({ custom_id: `c${n}`, operation: "no.such", input: { n } });
      const good = (n: number) => ({ custom_id: `c${n}`, ...itemJob });
      const bodies = [bad, good].map((one) =>
        JSON.stringify({ items: Array.from({ length: 10_000 }, (_, n) => one(n)) }),
      );
      return inLanes(target, 8, (lane) =>
        send(target, keyOf(target, lane), {
          path: "/batches",
          body: bodies[lane % 2],
          headers: { "svc-dry-run": "true" },
        }),
      );
    },
  },
  batches: {
    about: "batches of 10,000 items of its account, cancelled and sent again",
    victim: "social",
    run(target) {
      const items = Array.from({ length: 10_000 }, (_, n) => ({ custom_id: `c${n}`, ...itemJob }));
      const body = JSON.stringify({ items });
      return inLanes(target, 3, async (lane) => {
        const key = keyOf(target, lane);
        const answer = await send(target, key, { path: "/batches", body });
        const id = (JSON.parse(answer.text) as { data?: { id: string } }).data?.id;
        if (id === undefined) return answer;
        await send(target, key, { path: `/batches/${id}/results`, method: "GET" });
        return send(target, key, { path: `/batches/${id}`, method: "DELETE" });
      });
    },
  },
  descriptions: {
    about: "describe_operation at /mcp, at the account's rate, the largest one",
    victim: "social",
    run: (target) =>
      aSecond(target, atRate, (index) =>
        send(target, keyOf(target, index), {
          path: "/mcp",
          headers: mcp,
          body: tool("describe_operation", { operation: "seo.competitors.domain_intersection" }),
        }),
      ),
  },
  "held-tools": {
    about: "tool calls that wait a minute, and large messages beside them",
    victim: "social",
    run: (target) =>
      inLanes(target, 100, (lane) =>
        send(target, keyOf(target, lane), {
          path: "/mcp",
          headers: mcp,
          body: tool("job_status", { job: `svc_${"0".repeat(32)}`, wait: 60 }, "i".repeat(100_000)),
        }),
      ),
  },
  usage: {
    about: "40 usage reports at once, of an account with a year of all operations",
    victim: "social",
    run: (target) =>
      inLanes(target, 40, (lane) =>
        send(target, keyOf(target, lane), {
          path: "/account/usage?from=2025-11-30",
          method: "GET",
        }),
      ),
  },
  "slow-receivers": {
    about: "jobs whose webhooks go to hosts of a wildcard name that answer in 14.5 s",
    victim: "event",
    run: (target) =>
      aSecond(target, atRate, (index) => {
        const webhook_url = `http://n${index}.localhost:${target.sitePort}/slow`;
        return send(target, keyOf(target, index), {
          path: "/jobs",
          body: { ...itemJob, webhook_url },
        });
      }),
  },
  "bad-keys": {
    about: "16 pipelined connections with bad keys",
    victim: "social",
    run(target) {
      const one = (n: number) =>
        `GET /account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nonsense${n}\r\n\r\n`;
      return onSockets(target, 16, (turn) =>
        Array.from({ length: 50 }, (_, n) => one(turn + n)).join(""),
      );
    },
  },
  "refused-bodies": {
    about: "refused bodies of 4 MB at full speed on 16 connections",
    victim: "social",
    run(target) {
      const body = `{"filters":{"and":[${crowd("0", 19_990)}],"x":"${"x".repeat(4_000_000)}"}}`;
      return inLanes(target, 16, (lane) =>
        send(target, keyOf(target, lane), { path: "/geo/mentions/search", body }),
      );
    },
  },
  "pipelined-documents": {
    about: "/docs, /openapi.json and /health, pipelined on 16 connections without a key",
    victim: "social",
    run(target) {
      const paths = ["/openapi.json", "/docs", "/health/ready", "/no/such/path"];
      return onSockets(target, 16, (turn) =>
        paths.map((path) => `GET ${path}?${turn} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""),
      );
    },
  },
  guides: {
    about: "/client.tgz, the search of the guides and pages that are missing, on 16 connections",
    victim: "social",
    run(target) {
      const near = `/docs/${"search-of-videos-in-comments/".repeat(200)}`;
      const paths = ["/client.tgz", "/docs/search.json", near, "/docs/minisearch.js"];
      return onSockets(target, 16, (turn) =>
        paths
          .map((path) => `GET ${path}?${turn} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n`)
          .join(""),
      );
    },
  },
  "operation-searches": {
    about: "find_operations at /mcp, at the account's rate, with 500 characters of many operations",
    victim: "social",
    run(target) {
      const query = "search users videos comments posts items channels keywords ranks ".repeat(8);
      return aSecond(target, atRate, (index) =>
        send(target, keyOf(target, index), {
          path: "/mcp",
          headers: mcp,
          body: tool("find_operations", { query: query.slice(0, 500), limit: 20 }),
        }),
      );
    },
  },
  "slow-bodies": {
    about: "500 connections that send a byte each 250 ms",
    victim: "social",
    run(target) {
      const head = `POST /geo/mentions/search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${target.live}\r\nContent-Type: application/json\r\nContent-Length: 250000\r\n\r\n`;
      return Promise.all(
        Array.from({ length: 500 }, async () => {
          while (!target.over.aborted) {
            const socket = await dial(target.url).catch(() => undefined);
            socket?.on("error", () => undefined).resume();
            socket?.write(head);
            while (socket && !socket.destroyed && !target.over.aborted) {
              socket.write("[");
              await sleep(250);
            }
            socket?.destroy();
            await sleep(100);
          }
        }),
      );
    },
  },
  jobs: {
    about: "jobs submitted, listed by a hundred and cancelled, at the account's rate",
    victim: "social",
    run: (target) =>
      aSecond(target, atRate / 3, async (index) => {
        const key = keyOf(target, index);
        const got = await send(target, key, { path: "/jobs", body: itemJob });
        await send(target, key, { path: "/jobs?limit=100&state=succeeded", method: "GET" });
        const id = (JSON.parse(got.text) as { data?: { request_id: string } }).data?.request_id;
        await send(target, key, { path: `/jobs/${id}`, method: "DELETE" });
      }),
  },
  "large-answers": {
    about: "replays of an answer of 30 MB, whole and with Svc-Fields, on 24 connections",
    victim: "social",
    async run(target) {
      const headers = { "idempotency-key": `large-${randomUUID()}` };
      const body = {
        url: `http://attack.localhost:${target.sitePort}/large`,
        timeout_ms: 20_000,
      };
      const sent = { path: "/browser/html", body, headers };
      await send(target, target.live, sent);
      await inLanes(target, 24, (lane) =>
        send(target, target.live, {
          ...sent,
          headers: lane % 2 ? { ...headers, "svc-fields": "url,html" } : headers,
        }),
      );
    },
  },
  "webhook-tests": {
    about: "tests of ten webhook endpoints of one host, at the account's rate",
    victim: "event",
    async run(target) {
      const made = await Promise.all(
        Array.from({ length: 10 }, async (_, n) => {
          const body = {
            url: `http://t${n}.localhost:${target.sitePort}/hang`,
            events: ["job.ended"],
          };
          const { text } = await send(target, target.live, { path: "/webhooks", body });
          return (JSON.parse(text) as { data?: { id: string } }).data?.id;
        }),
      );
      await aSecond(target, atRate, (index) =>
        send(target, target.live, { path: `/webhooks/${made[index % made.length]}/test` }),
      );
    },
  },
  "concurrent-retries": {
    about: "concurrent retries of one key with a slow call, at the account's rate",
    victim: "social",
    run: (target) =>
      aSecond(target, atRate, (index) =>
        send(target, target.test, {
          ...item,
          headers: {
            "idempotency-key": `retry-${Math.floor(index / 100)}`,
            "svc-test-scenario": "slow",
          },
        }),
      ),
  },
  "long-queries": {
    about: "queries of 15 KB, and of 3,000 names, at the account's rate",
    victim: "social",
    run(target) {
      const many = Array.from({ length: 3000 }, (_, n) => `k${n}=`).join("&");
      const queries = [many, `q=${"%F0%9F%98%80".repeat(1200)}`, `cursor=${"A".repeat(15_000)}`];
      return aSecond(target, atRate, (index) =>
        send(target, keyOf(target, index), {
          path: `/shortclip/search?${queries[index % queries.length]}`,
          method: "GET",
        }),
      );
    },
  },
  logins: {
    about: "wrong passwords at the dashboards' login, on 32 connections",
    victim: "login",
    run: (target) =>
      inLanes(target, 32, (lane) =>
        send({ ...target, url: target.dashboards }, undefined, {
          path: "/login",
          body: `user=operator&password=${"x".repeat(1000)}${lane}`,
          headers: {
            "content-type": "application/x-www-form-urlencoded",
            origin: target.dashboards,
          },
        }),
      ),
  },
};
