import type { Fate } from "./fate.ts";

/** Combinations whose answers are untrue, or whose states have no end: the list of what is to be mended. */
export const known: readonly { trip: string; fates: readonly Fate[]; what: string }[] = [];

export const isKnown = (trip: string, fate: Fate): boolean =>
  known.some((one) => trip.startsWith(`${one.trip} #`) && one.fates.includes(fate));
