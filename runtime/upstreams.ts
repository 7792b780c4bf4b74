import { queuePrefix } from "./redis/keys.ts";

/** Reports of workers about the accounts at upstreams. They contain names of variables, never values. */

/** Hash: upstream -> JSON of `UpstreamAccess`, written by every worker once a minute. */
export const upstreamAccessKey = `${queuePrefix}:upstreams:access`;

export interface UpstreamAccess {
  /** Environment variables of the credential; none where the upstream requires none. */
  credentials: string[];
  /** Variables that are not set or not readable in the worker that wrote this. */
  missing: string[];
  /** Set where the source asks for the operator's contact. */
  contact?: "asked" | "required" | undefined;
  /** Whether that worker has the operator's contact. */
  hasContact?: boolean;
  /** Unix time in milliseconds. */
  at: number;
}

/** Hash: upstream -> Unix time in milliseconds at which it last gave a good answer to a live call. */
export const upstreamAcceptedKey = `${queuePrefix}:upstreams:accepted`;

/** Hash: upstream -> JSON of `UpstreamRefusal`, its last refusal of the operator's account. */
export const upstreamRefusedKey = `${queuePrefix}:upstreams:refused`;

export interface UpstreamRefusal {
  at: number;
  /** Reason in the words of the verdict, such as `credential refused`. */
  reason: string;
}

/** Reason of a "refusal" that no upstream gave: the workers find no address of it that they may dial. */
export const unreachable = "address";
