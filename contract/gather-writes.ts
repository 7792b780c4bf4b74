/** What is needed of a Redis client (ioredis), which this folder does not import. */
interface Client {
  stream: {
    write: (...args: never[]) => boolean;
    cork(): void;
    uncork(): void;
    on(event: "data", listener: () => void): unknown;
  };
  on(event: "connect", listener: () => void): unknown;
}

/**
 * What one turn of the event loop asks of Redis goes out in one write: writing for one call or job after
 * the other is most of what they cost. The commands stay as they are. With `awaitsAnswer` the next write
 * waits until the one before has its first answer, so that the busier Redis is, the more goes out at once.
 * ioredis has that as `enableAutoPipelining`, but makes an object with every known script for each write,
 * BullMQ's sixty included, which took the API a twentieth of a call.
 */
export function gatherWrites(redis: Client, options: { awaitsAnswer: boolean }): void {
  redis.on("connect", () => {
    const { stream } = redis;
    const write = stream.write.bind(stream) as (...args: never[]) => boolean;
    let isGathering = false;
    let isAsking = false;
    const send = () => {
      isGathering = false;
      isAsking = options.awaitsAnswer;
      stream.uncork();
    };
    stream.write = (...args: never[]) => {
      if (!isGathering) {
        isGathering = true;
        stream.cork();
        if (!isAsking) setImmediate(send);
      }
      return write(...args);
    };
    if (!options.awaitsAnswer) return;
    stream.on("data", () => {
      if (!isAsking) return;
      isAsking = false;
      if (isGathering) setImmediate(send);
    });
  });
}
