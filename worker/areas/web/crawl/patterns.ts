/** Patterns of a crawl: `*` stands for any characters but `/`, `**` for any. */

/** A character, or a wildcard. */
type Token = string;

/** A matcher of addresses; it needs time in proportion to both lengths, whatever the pattern. */
export function compile(patterns: readonly string[]): (address: string) => boolean {
  const compiled = patterns.map((pattern) => ({
    tokens: tokensOf(pattern),
    isWhole: /^https?:\/\//i.test(pattern),
  }));
  return (address) => {
    if (compiled.length === 0) return false;
    const { pathname, search } = new URL(address);
    const path = pathname + search;
    return compiled.some(({ tokens, isWhole }) => matches(tokens, isWhole ? address : path));
  };
}

const tokensOf = (pattern: string): Token[] =>
  [...pattern.matchAll(/\*+|[^*]/gs)].map(([token]) => (token.startsWith("**") ? "**" : token));

/** Follows all places of the pattern at once, as a finite automaton does. */
function matches(tokens: readonly Token[], text: string): boolean {
  let places = reachable([0], tokens);
  for (const character of text) {
    const next: number[] = [];
    for (const place of places) {
      const token = tokens[place];
      if (token === "**" || (token === "*" && character !== "/")) next.push(place);
      else if (token === character) next.push(place + 1);
    }
    if (next.length === 0) return false;
    places = reachable(next, tokens);
  }
  return places.includes(tokens.length);
}

/** A wildcard may stand for nothing. */
function reachable(places: readonly number[], tokens: readonly Token[]): number[] {
  const all = new Set<number>();
  for (const from of places) {
    let place = from;
    all.add(place);
    while (tokens[place] === "*" || tokens[place] === "**") {
      place += 1;
      all.add(place);
    }
  }
  return [...all];
}
