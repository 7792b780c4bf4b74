import type { Redis } from "ioredis";

/**
 * What one turn of the event loop asks of Redis goes out in one write. For the connections of a pool: to
 * a worker, writing for one job after the other is most of what they cost. The commands stay as they are.
 */
export function gatherWrites(redis: Redis): void {
  redis.on("connect", () => {
    const { stream } = redis;
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    let gathering = false;
    stream.write = (...args: unknown[]) => {
      if (!gathering) {
        gathering = true;
        stream.cork();
        setImmediate(() => {
          gathering = false;
          stream.uncork();
        });
      }
      return write(...args);
    };
  });
}
