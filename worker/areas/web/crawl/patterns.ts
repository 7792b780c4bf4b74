import { comparable } from "./address.ts";

/** Patterns of a crawl: `*` stands for any characters but `/`, `**` for any. */

/** Places of a pattern as bits: before its first token, before its second, and so on to its end. */
type Places = bigint;

interface Pattern {
  /** The places before each character. */
  characters: ReadonlyMap<string, Places>;
  /** The places before `**`, and before either wildcard. */
  anything: Places;
  wildcards: Places;
  end: Places;
  isWhole: boolean;
}

/**
 * A matcher of addresses. It needs a few steps for each character of each pattern's address, whatever the pattern:
 * a caller chooses both, and redirects are judged on the event loop.
 */
export function compile(patterns: readonly string[]): (address: string) => boolean {
  const compiled = patterns.map(patternOf);
  return (address) => {
    if (compiled.length === 0) return false;
    const { origin, pathname, search } = new URL(address);
    const path = comparable(pathname + search);
    const whole = comparable(origin) + path;
    return compiled.some((pattern) => matches(pattern, pattern.isWhole ? whole : path));
  };
}

function patternOf(text: string): Pattern {
  // Wildcards never follow each other, because a row of stars is one of them.
  const tokens = [...comparable(text).matchAll(/\*+|[^*]/gs)].map(([token]) => token);
  const characters = new Map<string, Places>();
  let [anything, wildcards, place] = [0n, 0n, 1n];
  for (const token of tokens) {
    if (token.startsWith("*")) wildcards |= place;
    else characters.set(token, (characters.get(token) ?? 0n) | place);
    if (token.startsWith("**")) anything |= place;
    place <<= 1n;
  }
  return { characters, anything, wildcards, end: place, isWhole: /^https?:\/\//i.test(text) };
}

/** Follows all places of the pattern at once, as a finite automaton does. */
function matches({ characters, anything, wildcards, end }: Pattern, text: string): boolean {
  // A wildcard may stand for nothing.
  const reach = (places: Places) => places | ((places & wildcards) << 1n);
  let places = reach(1n);
  for (const character of text) {
    const stays = character === "/" ? anything : wildcards;
    places = reach(((places & (characters.get(character) ?? 0n)) << 1n) | (places & stays));
    if (places === 0n) return false;
  }
  return (places & end) !== 0n;
}
