import type { Redis } from "ioredis";
import { operationsOf } from "../../contract/dependencies.ts";
import { operations } from "../../contract/index.ts";
import { tokenUpstreamOf, upstreamNames } from "../../runtime/controls.ts";
import type { PublishedProcess } from "../../runtime/processes.ts";
import { redisTime } from "../../runtime/store-clock.ts";
import { priceOf } from "../../runtime/upstream-prices.ts";
import {
  type UpstreamAccess,
  upstreamAcceptedKey,
  upstreamAccessKey,
  type UpstreamRefusal,
  upstreamRefusedKey,
} from "../../runtime/upstreams.ts";
import { type Canary, lastCanaries } from "../../db/canaries.ts";
import { type UpstreamDay, upstreamsToday } from "../../db/capacity.ts";
import type { Database } from "../../db/client.ts";
import { type ControlRow, standingControls } from "../../db/controls.ts";
import { readVerifications, type Verification } from "../../db/verifications.ts";
import { readPublished } from "../metrics.ts";
import type { RecentCounts, RecentRefusals, Refusal } from "../status/recent.ts";
import { type OpenDrift, readDrift, readOpenDrift, type UpstreamDrift } from "./drift.ts";
import { parsed, readUpstreamStates, type UpstreamState } from "./limits.ts";

/** The upstreams that have a page; one that only issues tokens is part of the upstream that needs them. */
export const shownUpstreams: readonly string[] = upstreamNames.filter(
  (name) => tokenUpstreamOf(name) === name,
);

/** The upstream itself and those that only issue its tokens, or take another credential for the same answers. */
const partsOf = (name: string): string[] =>
  upstreamNames.filter((part) => tokenUpstreamOf(part) === name);

export interface Requests {
  /** Requests within the last hour, and those without a good answer. A record that does not exist is no failure. */
  count: number;
  failed: number;
  byStatus: { status: string; count: number; failed: boolean }[];
}

export interface UpstreamView {
  name: string;
  operations: readonly string[];
  /** Undefined while no worker has reported. */
  access: UpstreamAccess | undefined;
  /** Worker processes that serve its operations, and those of them that have its credential. */
  workers: { all: number; ready: number };
  /** Unix times in milliseconds. */
  acceptedAt: number | undefined;
  refused: UpstreamRefusal | undefined;
  refusals: Refusal[];
  state: UpstreamState;
  requests: Requests;
  /** Undefined where the database does not answer. */
  spend: Spend | undefined;
  drift: OpenDrift | undefined;
  verifications: Verification[] | undefined;
  canaries: Canary[] | undefined;
  control: ControlRow | undefined;
}

export interface Spend {
  requests: number;
  /** Dollars that the upstream reported. */
  reported: number;
  /** Dollars by its published price, where it reports none; undefined where none is published. */
  expected: number | undefined;
}

export interface UpstreamsReading {
  now: number;
  /** Unix time in milliseconds from which on requests are counted, an hour ago at most. */
  countedSince: number | undefined;
  upstreams: UpstreamView[];
}

export interface UpstreamSources {
  redis: Redis;
  db: Database | undefined;
  requests: RecentCounts;
  refusals: RecentRefusals;
}

/** Statuses that are good answers: 404 is a record that does not exist, 304 an unchanged one. */
const isFailure = (status: string): boolean => !/^(2\d\d|304|404|cancelled)$/.test(status);

function requestsOf(counts: RecentCounts): Map<string, Requests> {
  const found = new Map<string, Requests>();
  for (const { labels, by } of counts.list()) {
    const [upstream = "", status = ""] = labels;
    const name = tokenUpstreamOf(upstream);
    const one = found.get(name) ?? { count: 0, failed: 0, byStatus: [] };
    found.set(name, one);
    const failed = isFailure(status);
    one.count += by;
    if (failed) one.failed += by;
    const same = one.byStatus.find((row) => row.status === status);
    if (same) same.count += by;
    else one.byStatus.push({ status, count: by, failed });
  }
  return found;
}

function spendOf(
  name: string,
  days: readonly UpstreamDay[],
  access: UpstreamAccess | undefined,
): Spend {
  const rows = days.filter(({ upstream }) => tokenUpstreamOf(upstream) === name);
  const prices = rows.map(({ operation, calls }) => {
    const area = operations.get(operation)?.area ?? "";
    const { dollars } = priceOf(name, area, access?.credentials ?? [""]);
    return dollars === undefined ? undefined : dollars * calls;
  });
  return {
    requests: rows.reduce((sum, { calls }) => sum + calls, 0),
    reported: rows.reduce((sum, { dollars }) => sum + dollars, 0),
    expected: prices.reduce(
      (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
      0 as number | undefined,
    ),
  };
}

/** Worker processes that report on one of the parts, and those that have the credential of one. */
function workersOf(
  parts: readonly string[],
  processes: readonly PublishedProcess[],
): UpstreamView["workers"] {
  const fields = parts.map((part) => JSON.stringify(["gateway_upstream_credential_present", part]));
  const told = processes.flatMap(({ gauges }) => {
    const own = fields.flatMap((field) => gauges[field] ?? []);
    return own.length > 0 ? [Math.max(...own)] : [];
  });
  return { all: told.length, ready: told.filter((value) => value === 1).length };
}

/** The variables that are set, of a provider that takes two kinds of credentials. */
function accessOf(
  parts: readonly string[],
  stored: Readonly<Record<string, string>>,
): UpstreamAccess | undefined {
  const told = parts.flatMap((part) => parsed<UpstreamAccess>(stored[part]) ?? []);
  return told.find(({ missing }) => missing.length === 0) ?? told[0];
}

/** The latest time of the parts. */
function latest(parts: readonly string[], times: Readonly<Record<string, string>>) {
  const found = parts.flatMap((part) => Number(times[part] ?? 0));
  const last = Math.max(...found);
  return last > 0 ? last : undefined;
}

function lastRefusal(
  parts: readonly string[],
  stored: Readonly<Record<string, string>>,
): UpstreamRefusal | undefined {
  const told = parts.flatMap((part) => parsed<UpstreamRefusal>(stored[part]) ?? []);
  return told.toSorted((a, b) => b.at - a.at)[0];
}

/** Undefined where the database is absent or away. */
async function readStored(db: Database | undefined) {
  if (!db) return undefined;
  try {
    const [days, verifications, canaries, controls] = await Promise.all([
      upstreamsToday(db),
      readVerifications(db),
      lastCanaries(db),
      standingControls(db),
    ]);
    return { days, verifications, canaries, controls };
  } catch {
    return undefined;
  }
}

/** The state of these upstreams. Rejects when Redis does not answer. */
export async function readUpstreams(
  { redis, db, requests, refusals }: UpstreamSources,
  names: readonly string[] = shownUpstreams,
): Promise<UpstreamsReading> {
  const [now, published, access, accepted, refused, drift, stored] = await Promise.all([
    redisTime(redis),
    readPublished(redis),
    redis.hgetall(upstreamAccessKey),
    redis.hgetall(upstreamAcceptedKey),
    redis.hgetall(upstreamRefusedKey),
    readOpenDrift(redis),
    readStored(db),
  ]);
  const all = names.flatMap(partsOf);
  const states = await readUpstreamStates(redis, all, published, now);
  const counted = requestsOf(requests);
  const refusedLately = refusals.list();
  const upstreams = names.map((name): UpstreamView => {
    const ids = operationsOf(name);
    const parts = partsOf(name);
    const own = accessOf(parts, access);
    const ofParts = states.filter((state) => parts.includes(state.name));
    const opened = ofParts.reduce((sum, { breakersOpen }) => sum + breakersOpen, 0);
    const state = ofParts.find((one) => one.name === name) as UpstreamState;
    return {
      name,
      operations: ids,
      access: own,
      workers: workersOf(parts, published.processes),
      acceptedAt: latest(parts, accepted),
      refused: lastRefusal(parts, refused),
      refusals: refusedLately.filter(({ upstream }) => parts.includes(upstream)),
      state: { ...state, breakersOpen: opened },
      requests: counted.get(name) ?? { count: 0, failed: 0, byStatus: [] },
      spend: stored && spendOf(name, stored.days, own),
      drift: drift.get(name),
      verifications: stored?.verifications.filter(({ operation }) => ids.includes(operation)),
      canaries: stored?.canaries.filter((one) => one.upstreams.some((of) => parts.includes(of))),
      control: stored?.controls.find(({ kind, target }) => kind === "upstream" && target === name),
    };
  });
  return { now, countedSince: requests.since, upstreams };
}

export interface UpstreamReading extends Pick<UpstreamsReading, "now" | "countedSince"> {
  upstream: UpstreamView;
  shape: UpstreamDrift;
}

export async function readUpstream(
  sources: UpstreamSources,
  name: string,
  changesPage = 0,
): Promise<UpstreamReading> {
  const [{ now, countedSince, upstreams }, shape] = await Promise.all([
    readUpstreams(sources, [name]),
    readDrift(sources.redis, partsOf(name), changesPage),
  ]);
  return { now, countedSince, upstream: upstreams[0] as UpstreamView, shape };
}
