import type { Redis } from "ioredis";
import { tokenUpstreamOf } from "../../runtime/controls.ts";
import {
  decodeFindings,
  type DriftFinding,
  driftKey,
  type DriftProfile,
  driftOpenKey,
} from "../../runtime/drift.ts";
import { linesThatRead } from "../../runtime/mapping-lines.ts";
import { parsed } from "./limits.ts";

/** The known shape of an upstream's answers, in figures. */
export interface UpstreamDrift {
  answers: number;
  routes: number;
  /** Unix time in milliseconds of the last answer. */
  last: number;
  /** Changes that stand, and those that are over. */
  open: number;
  over: number;
  /** The operations with a change that stands. */
  changed: ReadonlySet<string>;
  /** One page of the changes, those that stand first. */
  rows: DriftRow[];
  page: number;
}

/** Changes on one page: an upstream that changes everything has one for each field of each operation. */
export const changesOnPage = 50;

export interface DriftRow extends DriftFinding {
  operation: string;
  route: string;
  /** `file:line` of the mapping. */
  readBy: string[];
}

/** Findings that stand, by upstream. */
export interface OpenDrift {
  findings: number;
  operations: string[];
  /** Unix time in milliseconds of the first of them. */
  first: number;
}

/** The upstreams whose answers have changed and not changed back. */
export async function readOpenDrift(
  redis: Pick<Redis, "hgetall">,
): Promise<Map<string, OpenDrift>> {
  const found = new Map<string, OpenDrift>();
  for (const [id, text] of Object.entries(await redis.hgetall(driftOpenKey))) {
    const [operation = "", part = ""] = id.split(" ");
    const upstream = tokenUpstreamOf(part);
    const one = parsed<{ findings: number; first: number }>(text);
    if (!one) continue;
    const { findings, operations, first } = found.get(upstream) ?? {
      findings: 0,
      operations: [],
      first: Infinity,
    };
    found.set(upstream, {
      findings: findings + one.findings,
      operations: [...new Set([...operations, operation])],
      first: Math.min(first, one.first),
    });
  }
  return found;
}

/** The profiles of these upstreams. Their trees of paths are large, so only their own are read. */
export async function readDrift(
  redis: Redis,
  upstreams: readonly string[],
  page = 0,
): Promise<UpstreamDrift> {
  const ids = (await redis.hkeys(driftKey)).filter((id) =>
    upstreams.includes(id.split(" ")[1] ?? ""),
  );
  const texts = ids.length > 0 ? await redis.hmget(driftKey, ...ids) : [];
  const profiles = texts.flatMap((text) => decodeFindings(text ?? "") ?? []);
  const found = profiles.flatMap(findingsOf).toSorted(standingFirst);
  const open = found.filter(({ ended }) => ended === undefined);
  // An address may name a page that is gone since.
  const last = Math.max(0, Math.ceil(found.length / changesOnPage) - 1);
  const shown = Math.min(page, last);
  return {
    answers: profiles.reduce((sum, { answers }) => sum + answers, 0),
    routes: profiles.length,
    last: Math.max(0, ...profiles.map((profile) => profile.last)),
    open: open.length,
    over: found.length - open.length,
    changed: new Set(open.map(({ operation }) => operation)),
    rows: found
      .slice(shown * changesOnPage, (shown + 1) * changesOnPage)
      .map(({ upstream, ...row }) => ({
        ...row,
        readBy: linesThatRead(row.operation, upstream, row.path),
      })),
    page: shown,
  };
}

type Found = Omit<DriftRow, "readBy"> & { upstream: string };

const findingsOf = ({
  operation,
  upstream,
  route,
  findings,
}: Omit<DriftProfile, "places">): Found[] =>
  findings.map((finding) => ({ ...finding, operation, upstream, route }));

const standingFirst = (a: Found, b: Found): number =>
  Number(a.ended !== undefined) - Number(b.ended !== undefined) || b.first - a.first;
