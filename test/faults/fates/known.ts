import type { Fate } from "./fate.ts";

/** Combinations whose answers are untrue, or whose states have no end: the list of what is to be mended. */
export const known: readonly { trip: string; fates: readonly Fate[]; what: string }[] = [];

/** Combinations that have found a fault: they run in `npm test` whatever its seed is. */
export const found: readonly string[] = [
  "cancel of a crawl | api postgres from batches, from crawls, from balances #3 | request lost",
  "crawl | api postgres from batch_results #1 | request cut",
  "daily call | worker redis hset upstreams:accepted #1 | killed",
  "stop and start of an API process | api redis multi script limits:leases #1 | answer late",
];

export const isKnown = (trip: string, fate: Fate): boolean =>
  known.some((one) => trip.startsWith(`${one.trip} #`) && one.fates.includes(fate));
