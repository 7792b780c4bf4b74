/** The ends that a round trip between a process and a store may have, apart from a prompt answer. */

export const fates = [
  /** The store never sees it, and the connection stays open and silent. */
  "request lost",
  /** The connection ends in the middle of the request: the store drops it. */
  "request cut",
  /** It took effect; the connection stays open and silent. */
  "answer lost",
  /** It took effect; the connection ends in the middle of the answer. */
  "answer cut",
  /** It took effect, and the answer arrives after every patience. */
  "answer late",
  /** It took effect, and the process that sent it dies before it learns that. */
  "killed",
] as const;

export type Fate = (typeof fates)[number];

export const lateMs = 5000;
