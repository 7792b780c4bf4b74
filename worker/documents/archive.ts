import { unzipSync } from "fflate";
import { Unreadable } from "./document.ts";

const limits = {
  entries: 20_000,
  /** Bytes of one entry, and of all that are read. */
  entryBytes: 100_000_000,
  bytes: 200_000_000,
  /** Deflate reaches 1,032; the XML of documents stays below 100. */
  ratio: 300,
  ratioFrom: 1_000_000,
};

/**
 * The files of a zip archive, unpacked one by one. An entry's stated size is checked before it is unpacked, and fflate
 * unpacks into a buffer of that size, whatever the data would give.
 */
export class Archive {
  readonly #bytes: Uint8Array;
  readonly #names = new Set<string>();
  #left = limits.bytes;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#unzip(({ name }) => {
      this.#names.add(name);
      if (this.#names.size > limits.entries) throw new Unreadable("tooLarge");
      return false;
    });
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  read(name: string): Uint8Array | undefined {
    if (!this.has(name)) return undefined;
    let isTaken = false;
    return this.#unzip((entry) => {
      if (entry.name !== name || isTaken) return false;
      isTaken = true;
      const { size, originalSize } = entry;
      this.#left -= originalSize;
      const isBomb = originalSize > limits.ratioFrom && originalSize > size * limits.ratio;
      if (isBomb || originalSize > limits.entryBytes || this.#left < 0) {
        throw new Unreadable("tooLarge");
      }
      return true;
    })[name];
  }

  /** An entry as UTF-8 text. */
  text(name: string): string | undefined {
    const bytes = this.read(name);
    if (!bytes) return undefined;
    const isUtf16 =
      (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    const label = isUtf16 ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8";
    return new TextDecoder(label).decode(bytes);
  }

  #unzip(filter: NonNullable<NonNullable<Parameters<typeof unzipSync>[1]>["filter"]>) {
    try {
      return unzipSync(this.#bytes, { filter });
    } catch (error) {
      if (error instanceof Unreadable) throw error;
      throw new Unreadable("broken");
    }
  }
}

/** Whether the archive's first entry is encrypted by the means of zip itself. */
export const isLocked = (bytes: Uint8Array) => ((bytes[6] ?? 0) & 1) === 1;

/** The path that a reference in a file of the archive means. */
export function resolvePath(base: string, reference: string): string {
  const url = URL.parse(reference, `zip://archive/${base}`);
  if (!url || url.protocol !== "zip:" || url.host !== "archive") return "";
  try {
    return decodeURIComponent(url.pathname.slice(1));
  } catch {
    return "";
  }
}
