import { blockSeconds } from "../runtime/redis/connection.ts";
import { queuePrefix } from "../runtime/redis/keys.ts";

/** BullMQ options that all our workers share. */
export const queueOptions = {
  drainDelay: blockSeconds,
  runRetryDelay: 500,
  prefix: queuePrefix,
  lockDuration: 6000,
  // `Locks` renews them.
  skipLockRenewal: true,
  stalledInterval: 2000,
  maxStalledCount: 1,
  removeOnComplete: { age: 300, count: 1000 },
  removeOnFail: { age: 300, count: 1000 },
} as const;
