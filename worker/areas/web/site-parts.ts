import { siteOf } from "../../browser/page/site-of.ts";
import type { Entry, SiteFile, Take } from "./sitemap.ts";
import { addressIn, instantIn } from "./values.map.ts";

/** Addresses of a file as JSON of a list of entries: a thread hands over a text at less cost than many small ones. */
export interface Part {
  /** Place of the first address in the file. */
  from: number;
  text: string;
}

export interface FileParts extends SiteFile {
  parts: Part[];
  /** Addresses that the file names, as far as it was read. */
  count: number;
  /** Whether the file has more addresses. */
  isCut: boolean;
  /** Why nothing of the file counts. */
  problem?: "broken" | "large" | undefined;
}

/** Addresses that a map wants; each file names at most 50,000 (the protocol's limit). */
export interface Wanted {
  /** Address that the file was read from. */
  at: string;
  host: string;
  /** Set where every host of the site counts. */
  site?: string | undefined;
  /** In small letters. */
  search?: string | undefined;
  most: number;
}

const mostNamed = 50_000;

export interface PartSize {
  /** Of one part. */
  entries: number;
  characters: number;
  /** Characters of all parts together. */
  allCharacters: number;
}

/** Collects the addresses of a file in parts of so many entries and characters. */
export class Parts {
  isCut = false;
  /** Addresses that the file named. */
  count = 0;
  #kept = 0;
  readonly #parts: Part[] = [];
  #texts: string[] = [];
  #characters = 0;
  #from = 0;
  #allCharacters = 0;
  readonly #most: PartSize;

  constructor(most: PartSize) {
    this.#most = most;
  }

  /** Takes the addresses as they stand. */
  readonly take: Take = (entry) => {
    if (this.count >= mostNamed || this.#isFull()) return this.#stop();
    this.count += 1;
    this.#add(entry);
    return true;
  };

  /** Takes the addresses that a map wants, absolute. */
  taking(wanted: Wanted): Take {
    return ([stated, changed], base) => {
      if (this.count >= mostNamed) return this.#stop();
      const url = addressIn(stated, addressIn(base, wanted.at) ?? wanted.at);
      const address = url?.replace(/#.*$/, "");
      if (address !== undefined && belongs(address, wanted)) {
        if (this.#kept >= wanted.most || this.#isFull()) return this.#stop();
        this.#add([address, instantIn(changed)]);
      }
      this.count += 1;
      return true;
    };
  }

  all(): Part[] {
    this.#end();
    return this.#parts;
  }

  #add(entry: Entry): void {
    const text = JSON.stringify(entry);
    const { entries, characters } = this.#most;
    const isFull = this.#texts.length >= entries || this.#characters + text.length > characters;
    if (isFull) this.#end();
    this.#texts.push(text);
    this.#characters += text.length;
    this.#allCharacters += text.length;
    this.#kept += 1;
  }

  #isFull(): boolean {
    return this.#allCharacters >= this.#most.allCharacters;
  }

  #end(): void {
    if (this.#texts.length === 0) return;
    this.#parts.push({ from: this.#from, text: `[${this.#texts.join()}]` });
    this.#from += this.#texts.length;
    this.#texts = [];
    this.#characters = 0;
  }

  #stop(): false {
    this.isCut = true;
    return false;
  }
}

function belongs(address: string, { host, site, search }: Wanted): boolean {
  const isHere = site === undefined ? new URL(address).host === host : siteOf(address) === site;
  if (!isHere || search === undefined) return isHere;
  return [address, decoded(address)].some((form) => form.toLowerCase().includes(search));
}

/** The address as people read it. */
function decoded(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    // Octets of other encodings stand for no letter.
    return address;
  }
}

/** The entries of a part; undefined changes are null in JSON. */
export const entriesIn = ({ text }: Part): Entry[] =>
  (JSON.parse(text) as [string, string | null][]).map(([address, changed]) => [
    address,
    changed ?? undefined,
  ]);
