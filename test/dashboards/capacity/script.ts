import type { Play } from "./stage.ts";

/**
 * The hour of callers in ten minutes, as the benchmark `npm run bench -- capacity` and the
 * simulation play it.
 */

export interface ScriptedPlay extends Play {
  /** Calls a second at the base; five times that at the peak. */
  base: number;
  /** Target for the 95th percentile of the wait: the default one. */
  targetSeconds: number;
}

/**
 * Short times and many calls, because two minutes give a usable mean wait only if thousands of jobs
 * end in them.
 */
export const plays: readonly ScriptedPlay[] = [
  {
    pool: "seo",
    operation: "seo.backlinks.summary",
    upstreamPath: "/v3/backlinks/summary/",
    serviceSeconds: 0.05,
    scv: 0.5,
    slots: 1,
    base: 5,
    targetSeconds: 0.5,
  },
  {
    pool: "serp",
    operation: "geo.serp",
    upstreamPath: "/v3/serp/",
    serviceSeconds: 0.1,
    scv: 0.3,
    slots: 2,
    base: 6,
    targetSeconds: 0.5,
  },
  {
    pool: "seo-bulk",
    operation: "seo.backlinks.bulk_ranks",
    upstreamPath: "/v3/backlinks/bulk_ranks/",
    serviceSeconds: 0.05,
    scv: 0.3,
    slots: 1,
    base: 5,
    targetSeconds: 30,
  },
];

/** Requests a minute that their upstream allows: enough for 80 a second. */
export const quotaOfPlays = { DATAFORSEO_CALLS_PER_MINUTE: "9500" };

/** In seconds: the base until the rise, the peak until the fall, the base again. */
export interface Script {
  riseAt: number;
  peakAt: number;
  fallAt: number;
  baseAt: number;
  seconds: number;
}

export const hourScript: Script = {
  riseAt: 200,
  peakAt: 240,
  fallAt: 410,
  baseAt: 450,
  seconds: 600,
};

/** Rises from 1 to 5 and falls back. */
export function height({ riseAt, peakAt, fallAt, baseAt }: Script, at: number): number {
  if (at < riseAt || at >= baseAt) return 1;
  if (at < peakAt) return 1 + (4 * (at - riseAt)) / (peakAt - riseAt);
  return at < fallAt ? 5 : 5 - (4 * (at - fallAt)) / (baseAt - fallAt);
}

/** A rate is measured over a minute, and workers need time to follow it. */
export const reactionSeconds = 60;

/**
 * Times at which the rate has been steady for a minute; at the start ten seconds more than the
 * reaction takes.
 */
export const steadyTimes = (script: Script): [name: string, from: number, to: number][] => [
  ["base", reactionSeconds + 10, script.riseAt],
  ["peak", script.peakAt + reactionSeconds, script.fallAt],
  ["base again", script.baseAt + reactionSeconds, script.seconds],
];

/**
 * Whether a minute counts: not while the autoscaler still reacts to the first calls or to the rise.
 */
export const isJudged = ({ riseAt }: Script, at: number): boolean =>
  [0, riseAt].every((change) => at <= change || at > change + reactionSeconds);
