import { blockSeconds } from "../contract/connection.ts";
import { queuePrefix } from "../contract/job.ts";

/** How every worker of ours takes jobs from a queue, whatever is in it. */
export const queueOptions = {
  drainDelay: blockSeconds,
  runRetryDelay: 500,
  prefix: queuePrefix,
  lockDuration: 6000,
  // By `Locks`.
  skipLockRenewal: true,
  stalledInterval: 2000,
  maxStalledCount: 1,
  removeOnComplete: { age: 300, count: 1000 },
  removeOnFail: { age: 300, count: 1000 },
} as const;
