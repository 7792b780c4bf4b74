import type { FileParts } from "../site-parts.ts";

/** A file with the address that it was read from. */
export interface KeptFile extends FileParts {
  at: string;
}

const keptMs = 10 * 60_000;
/** Characters of all kept files: those of two sitemaps of 50 MB, or of ten usual ones of 50,000 addresses. */
const mostCharacters = 50 * 2 ** 20;

interface Kept {
  file: KeptFile;
  characters: number;
  until: number;
}

/** Sitemaps whose further parts a crawl is about to take, so that one of 50,000 addresses is fetched once, not 25 times. */
export class KeptFiles {
  readonly #kept = new Map<string, Kept>();
  #characters = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Undefined for a file that is not kept; then it is fetched again. */
  of(account: string, url: string): KeptFile | undefined {
    const kept = this.#kept.get(`${account} ${url}`);
    return kept && kept.until > this.#now() ? kept.file : undefined;
  }

  /** Keeps a file that has further parts, and forgets the oldest ones where all take too much. */
  keep(account: string, url: string, file: KeptFile): void {
    const key = `${account} ${url}`;
    this.#forget(key);
    const characters = file.parts.reduce((sum, { text }) => sum + text.length, 0);
    if (file.parts.length < 2 || characters > mostCharacters) return;
    this.#kept.set(key, { file, characters, until: this.#now() + keptMs });
    this.#characters += characters;
    for (const [oldest, { until }] of this.#kept) {
      if (this.#characters <= mostCharacters && until > this.#now()) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#characters -= this.#kept.get(key)?.characters ?? 0;
    this.#kept.delete(key);
  }
}
