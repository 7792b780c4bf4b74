import { type TestRedis, startServer } from "./redis-server.ts";
import type { Redis } from "ioredis";
import { openRedis } from "../runtime/redis/connection.ts";
import { queuePrefix } from "../runtime/redis/keys.ts";
import { clustered, startRedisCluster } from "./redis-cluster.ts";

/**
 * The server of TEST_REDIS_URL, or the test's own on a free port. `own` always selects the latter.
 */
export async function startRedis(options: { own?: boolean } = {}): Promise<TestRedis> {
  if (clustered) {
    const cluster = await startRedisCluster();
    // Tests flush and scan a whole server, so they get the node that holds the gateway's keys.
    const home = new URL((await cluster.ownerOf(queuePrefix)).url).host;
    return {
      url: `redis+cluster://${home}`,
      pid: undefined,
      shutdown: notOurs,
      restart: notOurs,
      stop: () => cluster.stop(),
    };
  }
  const given = process.env["TEST_REDIS_URL"];
  if (given && !options.own) {
    return {
      url: given,
      pid: undefined,
      shutdown: notOurs,
      restart: notOurs,
      stop: async () => {},
    };
  }
  return startServer();
}

const notOurs = () => Promise.reject(new Error("this Redis is not the test's own"));

/** A client for the server or servers of `url`. */
export const clientOf = (url: string, options?: Parameters<typeof openRedis>[1]): Redis =>
  openRedis(url, options);
