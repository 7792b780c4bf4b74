import type { Fate } from "./fate.ts";

/** Combinations whose answers are untrue, or whose states have no end: the list of what is to be mended. */
export const known: readonly { trip: string; fates: readonly Fate[]; what: string }[] = [
  {
    trip: "api postgres start_batch_items",
    fates: ["answer cut", "answer lost", "answer late"],
    what: "the process owns items that it does not know of, so no process carries them out",
  },
];

export const isKnown = (trip: string, fate: Fate): boolean =>
  known.some((one) => trip.startsWith(`${one.trip} #`) && one.fates.includes(fate));
