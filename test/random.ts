import { createHash, randomInt } from "node:crypto";
import { generator } from "./dashboards/capacity/simulate.ts";

/** The seed of every random choice: TEST_SEED, or a new one in each run, which its processes inherit. */
export const own = (process.env["TEST_SEED"] ??= String(randomInt(2 ** 31)));

/** A title that names the seed, so that a failure says how to repeat its choices. */
export const seeded = (title: string): string => `${title} (TEST_SEED=${own})`;

/** A whole number below `most`, or from `least` to below `most`. */
export interface Choices {
  (most: number): number;
  (least: number, most: number): number;
}

/**
 * Choices that the seed and this name determine. Concurrent tasks take one name each, because their order
 * differs from run to run.
 */
export function choices(name: string, seed = own): Choices {
  const random = fractions(name, seed);
  return (first: number, second?: number) => {
    const [least, most] = second === undefined ? [0, first] : [first, second];
    return least + Math.floor(random() * (most - least));
  };
}

/** Numbers from 0 to below 1, likewise. */
export function fractions(name: string, seed = own): () => number {
  return generator(createHash("sha256").update(`${seed} ${name}`).digest().readUInt32LE());
}
