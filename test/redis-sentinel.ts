import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { until } from "./gateway.ts";
import { type TestRedis, freePort, startServer } from "./redis-server.ts";

const name = "gateway-master";

export interface TestSentinels {
  url: string;
  /** The first is the master until a Sentinel names another. */
  servers: TestRedis[];
  /** Port of the master that the Sentinels name. */
  masterPort(): Promise<number>;
  stop(): Promise<void>;
}

const portOf = ({ url }: TestRedis) => Number(new URL(url).port);

/** A master, two replicas and three Sentinels that treat a second of silence as failure. */
export async function startSentinels(): Promise<TestSentinels> {
  const master = await startServer();
  const replicas = await Promise.all(
    [1, 2].map(() => startServer(["--replicaof", "127.0.0.1", String(portOf(master))])),
  );
  const servers = [master, ...replicas];
  const folder = await mkdtemp(join(tmpdir(), "gateway-sentinel-"));
  const ports = await Promise.all([1, 2, 3].map(() => freePort()));
  const processes: ChildProcess[] = [];
  for (const port of ports) {
    // A Sentinel rewrites its configuration file.
    const file = join(folder, `${port}.conf`);
    const lines = [
      `port ${port}`,
      "bind 127.0.0.1",
      `dir ${folder}`,
      `sentinel monitor ${name} 127.0.0.1 ${portOf(master)} 2`,
      `sentinel down-after-milliseconds ${name} 1000`,
      `sentinel failover-timeout ${name} 5000`,
    ];
    await writeFile(file, lines.join("\n"));
    processes.push(spawn("redis-server", [file, "--sentinel"], { stdio: "ignore" }));
  }
  const clients = ports.map((port) => new Redis(port, "127.0.0.1", { retryStrategy: () => 50 }));
  for (const client of clients) client.on("error", () => {});
  const stateOf = async (client: Redis) => {
    const fields = (await client.call("sentinel", "master", name)) as string[];
    return (field: string) => Number(fields[fields.indexOf(field) + 1]);
  };
  await until(async () => {
    const all = await Promise.all(clients.map(stateOf));
    return all.every((of) => of("num-slaves") === 2 && of("num-other-sentinels") === 2);
  }, 60_000);
  for (const server of replicas) {
    const client = new Redis(server.url);
    await until(async () => (await client.info("replication")).includes("master_link_status:up"));
    client.disconnect();
  }

  return {
    url: `redis+sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(",")}/${name}`,
    servers,
    masterPort: async () => (await stateOf(clients[0] as Redis))("port"),
    async stop() {
      for (const client of clients) client.disconnect();
      for (const child of processes) {
        if (child.exitCode !== null) continue;
        const gone = once(child, "exit");
        child.kill("SIGKILL");
        await gone;
      }
      await Promise.all(servers.map((server) => server.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
