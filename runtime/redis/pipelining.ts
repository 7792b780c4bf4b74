import type { Redis } from "ioredis";

/**
 * Pipelining: all commands of one event-loop iteration go out in one write, because separate writes are
 * most of their cost. With `awaitsAnswer` the next write waits for the first answer to the previous one,
 * so that a busier Redis receives larger pipelines. `enableAutoPipelining` of ioredis copies every known
 * script, BullMQ's sixty included, for each write, which cost the API a twentieth of a call.
 */
export function pipelineWrites(redis: Redis, options: { awaitsAnswer: boolean }): void {
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
