import { hostname } from "node:os";
import { openRedis } from "../runtime/redis/connection.ts";
import { redisTime } from "../runtime/store-clock.ts";
import { type Heartbeat, heartbeatEveryMs } from "../runtime/queue.ts";
import { heartbeatKey } from "../runtime/redis/keys.ts";
import { settingsOrExit } from "../runtime/settings.ts";
import { readConfig } from "./config.ts";

/**
 * Health check of a worker's container: exits 0 when every pool of this container has a recent
 * heartbeat. Heartbeat ids begin with the host name, so that another replica's heartbeat does not count.
 */

const freshMs = 3 * heartbeatEveryMs;
const config = settingsOrExit(() => readConfig(process.env));
const redis = openRedis(config.redisUrl, {
  lazyConnect: true,
  connectTimeout: 3000,
  commandTimeout: 3000,
  retryStrategy: () => null,
});
redis.on("error", () => {});

try {
  await redis.connect();
  const now = await redisTime(redis);
  const served = config.pools.map(({ pool }): Parameters<typeof heartbeatKey>[0] => pool);
  if (config.webhookSlots !== undefined) served.push("webhooks");
  for (const pool of served) {
    const beats = Object.entries(await redis.hgetall(heartbeatKey(pool)));
    const alive = beats.some(
      ([id, beat]) =>
        id.startsWith(`${hostname()}-`) && now - (JSON.parse(beat) as Heartbeat).at < freshMs,
    );
    if (!alive) throw new Error(`no recent heartbeat of the pool ${pool}`);
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  redis.disconnect();
}
