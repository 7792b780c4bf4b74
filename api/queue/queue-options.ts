import { queuePrefix } from "../../runtime/redis/keys.ts";

/** Options of every BullMQ queue to which this process writes. */
export const queueOptions = {
  prefix: queuePrefix,
  skipWaitingForReady: true,
  // BullMQ asks once, and a queue whose question had no answer would refuse every job for ever.
  skipVersionCheck: true,
  streams: { events: { maxLen: 1000 } },
  defaultJobOptions: {
    attempts: 1,
    removeOnComplete: { age: 300, count: 1000 },
    removeOnFail: { age: 300, count: 1000 },
  },
} as const;
