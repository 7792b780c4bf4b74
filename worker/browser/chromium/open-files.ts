import { closeSync, openSync, readSync } from "node:fs";

/** The files read here have a few hundred bytes. */
const buffer = Buffer.allocUnsafe(4096);

/**
 * Files of `/proc` that are read again and again. They stay open, which costs a third of opening them each time. The
 * kernel refuses an open file whose process has ended, so a path is never read for another process than it names.
 */
export class OpenFiles {
  readonly #most: number;
  /** Descriptors by path, the one read last at the end. */
  readonly #files = new Map<string, number>();

  /** Beyond `most` files the one not read for longest is closed. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Undefined where there is no such file, and none longer than 4 KB. */
  read(path: string): string | undefined {
    const known = this.#files.get(path);
    if (known !== undefined) {
      this.#files.delete(path);
      const text = textIn(known);
      if (text !== undefined) {
        this.#files.set(path, known);
        return text;
      }
      closeSync(known);
    }
    return this.#open(path);
  }

  get count(): number {
    return this.#files.size;
  }

  #open(path: string): string | undefined {
    let file: number;
    try {
      file = openSync(path, "r");
    } catch {
      return undefined;
    }
    const text = textIn(file);
    if (text === undefined) {
      closeSync(file);
      return undefined;
    }
    for (const [oldest, descriptor] of this.#files) {
      if (this.#files.size < this.#most) break;
      this.#files.delete(oldest);
      closeSync(descriptor);
    }
    this.#files.set(path, file);
    return text;
  }
}

function textIn(file: number): string | undefined {
  try {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return length > 0 && length < buffer.length ? buffer.toString("latin1", 0, length) : undefined;
  } catch {
    // The process has ended.
    return undefined;
  }
}
