import { setTimeout as sleep } from "node:timers/promises";
import type { Call } from "../connector.ts";
import type { Accounts } from "./accounts.ts";
import type { WayOut } from "./dial.ts";
import type { Incoming, Outgoing } from "./exchange.ts";
import { tooLate } from "./fault.ts";
import type { Limits } from "./limits.ts";
import type { Notice } from "./notice.ts";
import type { Base } from "./outgoing.ts";
import type { Read } from "./reading.ts";
import type { Environment } from "./secrets.ts";
import type { Reply, Upstream, UpstreamRequest } from "./upstream.ts";

/** What the transport must know of the call it works for. */
export type Caller = Pick<Call, "requestId" | "operation" | "signal" | "deadline" | "told">;

/** How one try is made and read. */
export interface Exchange<T> {
  /** Template of the path, where one is known. */
  path?: string | undefined;
  outgoing(base: Base, authorization: Record<string, string>): Outgoing;
  read(incoming: Incoming): Read<T>;
}

/** What the stages of a request share; one for each transport. */
export interface Context {
  env: Environment;
  notice: Notice;
  accounts: Accounts;
  limits: Limits;
  /** What the operator's account allows, for those who reckon capacity. */
  tellQuota(upstream: Upstream, account: string): void;
  /** Calls a minute that an operator allows an upstream; 0 is none. */
  allowed(upstream: string): number | undefined;
  /** How many calls an upstream says it has left, where an answer's headers say so. */
  tellLeft(upstream: Upstream, headers: Readonly<Record<string, string>>): void;
  wayOut: WayOut;
  /** Largest answer, unpacked, in bytes. */
  bodyLimit: number;
  now: () => number;
  random: () => number;
  /** The whole way again, for upstreams that hand out tokens. */
  send(upstream: Upstream, request: UpstreamRequest, call: Caller): Promise<Reply>;
}

/** The answer must reach the caller before the deadline does. */
const reserveMs = 1000;

/** Milliseconds that a call still has for its upstream; not above 0 when it is too late. */
export function timeLeftMs({ now }: Context, call: Caller): number {
  return call.deadline - reserveMs - now();
}

/** The same, for what must not begin any more once it is too late. */
export function timeLeftOrThrow(context: Context, call: Caller): number {
  const left = timeLeftMs(context, call);
  if (left <= 0) throw tooLate();
  return left;
}

/** Throws the signal's own reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(Math.ceil(ms), undefined, { signal });
  } catch {
    throw signal.reason;
  }
}
