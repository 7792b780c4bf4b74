/**
 * How unlikely observations are if nothing has changed, as a natural logarithm: the predictive distribution of
 * a beta-binomial with a uniform prior, so few earlier answers make few later ones say little.
 */

/** Below this an observation is no chance: one in a thousand million. */
export const noChance = Math.log(1e-9);

/** `hits` of `count` answers had it, and then `run` answers in a row had not. */
export function oddsOfMisses(hits: number, count: number, run: number): number {
  let odds = 0;
  for (let index = 0; index < run && odds >= noChance; index += 1)
    odds += Math.log((count - hits + 1 + index) / (count + 2 + index));
  return odds;
}

/** None of `before` answers had it, and then `hits` of `count` had. */
export function oddsOfHits(before: number, count: number, hits: number): number {
  let odds = 0;
  for (let index = 0; index < hits; index += 1)
    // The number of ways to choose the hits, and their probability.
    odds += Math.log(((count - index) / (hits - index)) * (1 + index));
  for (let index = 0; index < count - hits; index += 1) odds += Math.log(before + 1 + index);
  for (let index = 0; index < count; index += 1) odds -= Math.log(before + 2 + index);
  return odds;
}
