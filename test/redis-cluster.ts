import { Redis } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { type TestRedis, freePort, startServer } from "./redis-server.ts";

/**
 * True where every Redis of the tests is a cluster: see the project "redis cluster" in
 * vitest.config.ts.
 */
export const clustered = process.env["TEST_REDIS_KIND"] === "cluster";

const slots = 16_384;

export interface TestCluster {
  url: string;
  nodes: TestRedis[];
  /** The node that holds this key's hash slot, and its replicas. */
  ownerOf(key: string): Promise<TestRedis>;
  stop(): Promise<void>;
}

const portOf = ({ url }: TestRedis) => Number(new URL(url).port);

/** Three nodes that share the hash slots, with so many replicas each. */
export async function startRedisCluster({ replicas = 0 } = {}): Promise<TestCluster> {
  const settings = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"];
  const ports = await Promise.all(Array.from({ length: 3 * (1 + replicas) }, () => freePort()));
  // By default 10,000 above the other port, which may not exist.
  const nodes = await Promise.all(
    ports.map((port) => startServer([...settings, "--cluster-port", String(port)])),
  );
  const clients = nodes.map(({ url }) => new Redis(url));
  const [first] = clients as [Redis];
  const masters = clients.slice(0, 3);
  await Promise.all(
    masters.map((client, index) =>
      client.call(
        "cluster",
        "addslotsrange",
        Math.floor((index * slots) / 3),
        Math.floor(((index + 1) * slots) / 3) - 1,
      ),
    ),
  );
  // Different names before the nodes meet, so that no conflict needs resolving.
  await Promise.all(
    clients.map((client, index) => client.call("cluster", "set-config-epoch", index + 1)),
  );
  for (const [index, node] of nodes.entries())
    if (index > 0)
      await first.call("cluster", "meet", "127.0.0.1", portOf(node), ports[index] as number);
  const all = async (holds: (client: Redis) => Promise<boolean>) => {
    while (!(await Promise.all(clients.map(holds))).every(Boolean)) await sleep(50);
  };
  const known = async (client: Redis) =>
    String(await client.call("cluster", "info")).includes(`cluster_known_nodes:${nodes.length}`);
  await all(known);
  const ids = await Promise.all(masters.map((client) => client.call("cluster", "myid")));
  for (const [index, client] of clients.slice(3).entries())
    await client.call("cluster", "replicate", String(ids[index % 3]));
  await all(async (client) =>
    String(await client.call("cluster", "info")).includes("cluster_state:ok"),
  );
  await all(async (client) => {
    const info = await client.info("replication");
    return !info.includes("role:slave") || info.includes("master_link_status:up");
  });
  for (const client of clients) client.disconnect();

  return {
    url: `redis+cluster://${nodes.map((node) => `127.0.0.1:${portOf(node)}`).join(",")}`,
    nodes,
    async ownerOf(key) {
      const client = new Redis(nodes.find(({ pid }) => pid !== undefined)?.url ?? "");
      const slot = Number(await client.call("cluster", "keyslot", key));
      const ranges = (await client.call("cluster", "slots")) as [
        number,
        number,
        [string, number],
      ][];
      client.disconnect();
      const port = ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1];
      return nodes.find((node) => portOf(node) === port) as TestRedis;
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}
