import { queuePrefix } from "./redis/keys.ts";

/** Hash: name of an upstream -> JSON of `Quota`, written by the workers that call it. */
export const quotasKey = `${queuePrefix}:capacity:quotas`;

export interface Quota {
  /** Upstreams of one account share its quota. */
  account: string;
  per_second: number;
}
