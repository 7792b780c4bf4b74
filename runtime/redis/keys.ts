import type { Pool } from "../../contract/operation.ts";
import { redisPrefix } from "./address.ts";

/** Prefix of every key in Redis: "gateway", or "{gateway}" in a cluster. */
export const queuePrefix = redisPrefix(process.env);

export const queueOf = (pool: Pool): string => pool;

/** Result key of a job, the only source of truth about a finished call. */
export const resultKey = (jobId: string): string => `${queuePrefix}:result:${jobId}`;

/** Channel that cancels running jobs of a pool; the message is the job id. */
export const cancelChannel = (pool: Pool): string => `${queuePrefix}:cancel:${pool}`;

/** Channel that announces a change of the controls' key; a worker that misses it polls within a second. */
export const upstreamControlsChannel = `${queuePrefix}:controls:changed`;

/** Hash of a pool: worker process id -> JSON of `Heartbeat`. */
export const heartbeatKey = (pool: Pool | "webhooks"): string => `${queuePrefix}:workers:${pool}`;
