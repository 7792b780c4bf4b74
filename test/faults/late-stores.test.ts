import { once } from "node:events";
import { type AddressInfo, type Server, type Socket, createServer } from "node:net";
import { afterAll, beforeAll, expect, onTestFailed, test } from "vitest";
import { type TestDatabase, testDatabase } from "../database.ts";
import { pepper, until } from "../gateway.ts";
import { type Process, startProcess } from "../process.ts";
import { type TestRedis, freePort, startServer } from "../redis-server.ts";
import { type Relay, startRelay } from "../relay.ts";

/** Every process may start before its stores do. */

let redis: TestRedis;
let db: TestDatabase;
/** Accepts connections and answers nothing. */
let silent: Server;
/** Accepts connections and ends them a moment later, as a proxy without a server behind it does. */
let closing: Server;
const momentMs = 300;
beforeAll(async () => {
  [redis, db] = await Promise.all([startServer(), testDatabase()]);
  const accept = (socket: Socket) => socket.on("error", () => undefined).resume();
  silent = createServer(accept);
  closing = createServer((socket) => {
    accept(socket);
    setTimeout(() => socket.destroy(), momentMs);
  });
  for (const server of [silent, closing]) await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  silent.close();
  closing.close();
  await db.drop();
  await redis.stop();
});

const portOf = (url: string) => Number(new URL(url).port);

const scripts = ["api/main.ts", "worker/main.ts", "dashboards/main.ts"];

/** The processes of a gateway, whose stores have these addresses. */
async function startAll(urls: Record<"REDIS_URL" | "DATABASE_URL", string>) {
  const [api, dashboards] = [await freePort(), await freePort()];
  const env = {
    ...urls,
    KEY_PEPPER: pepper,
    CURSOR_SECRET: "test-cursor-secret-test-cursor-secret",
    WORKER_POOLS: "seo",
    DASHBOARDS_PASSWORD: "test-password",
    PORT: String(api),
    DASHBOARDS_PORT: String(dashboards),
  };
  const all: Process[] = scripts.map((script) => startProcess(script, env));
  const log = () => all.map((process) => process.log()).join("\n");
  onTestFailed(() => console.log(log()));
  /** A process that has ended would never become ready. */
  const checkAll = () => expect(all.flatMap((process) => process.complaints())).toEqual([]);
  const isHealthy = (path: string) =>
    fetch(`http://127.0.0.1:${path}`).then(
      ({ ok }) => ok,
      () => false,
    );
  return {
    all,
    log,
    checkAll,
    isReady: async () => {
      checkAll();
      return (
        log().includes('"msg":"working"') &&
        (await isHealthy(`${api}/health/ready`)) &&
        (await isHealthy(`${dashboards}/health`))
      );
    },
  };
}

const stores = {
  Redis: { name: "REDIS_URL", url: () => redis.url },
  Postgres: { name: "DATABASE_URL", url: () => db.url },
} as const;
const fates = {
  away: () => freePort(),
  silent: () => (silent.address() as AddressInfo).port,
  "behind a proxy that hangs up": () => (closing.address() as AddressInfo).port,
};

for (const store of Object.keys(stores) as (keyof typeof stores)[]) {
  for (const fate of Object.keys(fates) as (keyof typeof fates)[]) {
    test(`every process waits for a ${store} that is ${fate} when it starts, and says so`, async () => {
      const { name, url } = stores[store];
      const relay: Relay = await startRelay(await fates[fate]());
      const urls = { REDIS_URL: redis.url, DATABASE_URL: db.url, [name]: relay.through(url()) };
      const { all, log, checkAll, isReady } = await startAll(urls);
      try {
        const waiting = store === "Redis" ? ["API", "worker"] : ["API"];
        await until(() =>
          waiting.every((name) =>
            log().includes(`The ${name} waits for ${store}, and starts once it works.`),
          ),
        );
        checkAll();
        relay.switchTo(portOf(url()));
        await until(() => isReady());
      } finally {
        await Promise.all(all.map((process) => process.kill("SIGTERM")));
        relay.stop();
      }
      checkAll();
    });
  }
}
