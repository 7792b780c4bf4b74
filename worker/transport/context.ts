import { setTimeout as sleep } from "node:timers/promises";
import type { Call } from "../connector.ts";
import type { Accounts } from "./accounts.ts";
import type { Dialer } from "./dial.ts";
import type { Incoming, Outgoing } from "./exchange.ts";
import { tooLate } from "./fault.ts";
import type { Limits } from "./limits.ts";
import type { Notice } from "./reporting.ts";
import type { Base } from "./outgoing.ts";
import type { Read } from "./reading.ts";
import type { Environment } from "./secrets.ts";
import type { Reply, Upstream, UpstreamRequest } from "./upstream.ts";

/** The part of a call that the transport needs. */
export type Caller = Pick<
  Call,
  "requestId" | "account" | "operation" | "signal" | "deadline" | "retries" | "own" | "timeline"
>;

/** How one attempt is built and read. */
export interface Exchange<T> {
  /** Template of the path, where one is known. */
  path?: string | undefined;
  /** A request for a token, which may contain the credential and is read by nobody else. */
  isForToken?: boolean;
  /** As how many requests the source counts it; 1 by default. */
  units?: number | undefined;
  outgoing(base: Base, authorization: Record<string, string>): Outgoing;
  read(incoming: Incoming): Read<T>;
}

/** State that the stages of a request share; one for each transport. */
export interface Context {
  env: Environment;
  notice: Notice;
  accounts: Accounts;
  limits: Limits;
  /** Reports the quota of the operator's account, for the capacity dashboard. */
  reportQuota(upstream: Upstream, account: string): void;
  /** Operator's rate limit of an upstream, in calls a minute; 0 blocks it. */
  allowed(upstream: string): number | undefined;
  /** Called when a request of an operation begins to wait for limits; the returned function when it no longer waits. */
  waitsForLimits(operation: string): () => void;
  /** Reports the remaining calls that an answer's rate-limit headers state. */
  reportRemaining(upstream: Upstream, headers: Readonly<Record<string, string>>): void;
  dialer: Dialer;
  /** The same without hosts that the operator has set, for servers that callers choose. */
  publicDialer: Dialer;
  /** Largest answer, unpacked, in bytes. */
  bodyLimit: number;
  now: () => number;
  random: () => number;
  /** The transport itself, for upstreams whose tokens need a request. */
  send(upstream: Upstream, request: UpstreamRequest, call: Caller): Promise<Reply>;
}

/** Time for the answer to reach the caller before the deadline. */
const reserveMs = 1000;

/** Milliseconds that a call still has for its upstream; 0 or less when it is too late. */
export function timeLeftMs({ now }: Context, call: Caller): number {
  return call.deadline - reserveMs - now();
}

/** `timeLeftMs` for work that must not begin too late: throws then. */
export function timeLeftOrThrow(context: Context, call: Caller): number {
  const left = timeLeftMs(context, call);
  if (left <= 0) throw tooLate();
  return left;
}

/** Sleeps; on abort it throws the signal's own reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(Math.ceil(ms), undefined, { signal });
  } catch {
    throw signal.reason;
  }
}
