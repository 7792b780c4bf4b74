import type { Attack, Attacks } from "./attack.ts";
import { crawlAttacks } from "./crawls.ts";
import { doorAttacks } from "./doors.ts";
import { pageAttacks } from "./pages.ts";

export const attacks: Attacks = { ...doorAttacks, ...crawlAttacks, ...pageAttacks };

/** Lists of attacks; `twenty` are the hardest ones. */
const lists: Record<string, readonly string[]> = {
  doors: Object.keys(doorAttacks),
  crawls: Object.keys(crawlAttacks),
  pages: Object.keys(pageAttacks),
  twenty: [
    "long-names",
    "crowded-batches",
    "descriptions",
    "usage",
    "slow-receivers",
    "bad-keys",
    "refused-bodies",
    "large-answers",
    "operation-searches",
    "crawl-traps",
    "crawl-hosts",
    "crawl-files",
    "site-maps",
    "held-pages",
    "never-loads",
    "shared-workers",
    "workers",
    "long-markdown",
    "pressed",
    "wait-then-compute",
  ],
};

export const known = (): string => [...Object.keys(lists), ...Object.keys(attacks)].join(", ");

/** The attacks of the names and lists, each once; of none, all. Undefined for an unknown name. */
export function chosenBy(words: readonly string[]): [string, Attack][] | undefined {
  const names = new Set(words.flatMap((word) => lists[word] ?? [word]));
  const all = names.size === 0 ? Object.keys(attacks) : [...names];
  if (all.some((name) => !(name in attacks))) return undefined;
  return all.map((name) => [name, attacks[name] as Attack]);
}
