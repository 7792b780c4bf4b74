import { invalid } from "../../contract/errors.ts";

/** One item of a body as sent; `bytes` is absent when it was too long to keep. */
export interface Piece {
  /** Position among the items, from 0. */
  index: number;
  /** The line of the body on which it begins, from 1. */
  line: number;
  bytes: Buffer | undefined;
}

/** Cuts a body into items as it arrives; keeps at most one item in memory. */
export interface Scanner {
  push(chunk: Buffer): Piece[];
  /** The items that the end of the body completes. */
  end(): Piece[];
  /** The body without its items; empty when it has nothing else. */
  rest(): Buffer;
}

const lineFeed = 0x0a;
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Bytes of the current item across chunks; an item beyond the limit is dropped. */
class Kept {
  #parts: Buffer[] = [];
  #length = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Buffer, from: number, to: number): void {
    if (to <= from) return;
    this.#length += to - from;
    if (this.#length > this.#most) this.#parts = [];
    else this.#parts.push(chunk.subarray(from, to));
  }

  get length(): number {
    return this.#length;
  }

  /** Undefined when the item was too long. The copy keeps no chunk of the body alive. */
  take(): Buffer | undefined {
    const bytes = this.#length > this.#most ? undefined : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    return bytes;
  }
}

/** Reads one item per line and skips empty lines. */
export function lineScanner(mostBytes: number): Scanner {
  const kept = new Kept(mostBytes);
  let index = 0;
  let line = 1;

  /** Skips empty lines like spaces, so that sixty million of them cost no more. */
  function behindSpaces(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length && isSpace(chunk[at] as number); at += 1)
      if (chunk[at] === lineFeed) line += 1;
    return at;
  }

  return {
    push(chunk) {
      const pieces: Piece[] = [];
      let from = 0;
      while (from < chunk.length) {
        if (kept.length === 0) from = behindSpaces(chunk, from);
        const at = chunk.indexOf(lineFeed, from);
        kept.add(chunk, from, at < 0 ? chunk.length : at);
        if (at < 0) break;
        pieces.push({ index: index++, line: line++, bytes: kept.take() });
        from = at + 1;
      }
      return pieces;
    },
    end: () => (kept.length > 0 ? [{ index: index++, line, bytes: kept.take() }] : []),
    rest: () => Buffer.alloc(0),
  };
}

/** The other members of a JSON body may take this many bytes. */
const restLimitBytes = 16 * 1024;
/** Characters before an array that are searched for the name `items`. */
const tailLength = 200;

/**
 * Reads the elements of `items` in a JSON object. Only the structure is scanned; anything that is not JSON
 * comes out as an item, or as a rest, that the parser refuses.
 */
export function objectScanner(mostBytes: number): Scanner {
  const kept = new Kept(mostBytes);
  const beside = new Kept(restLimitBytes);
  let tail = "";
  let depth = 0;
  let inText = false;
  let escaped = false;
  let inItems = false;
  let seen = false;
  let index = 0;
  let line = 1;
  let begins = 0;
  /** A comma came, so an item must follow. */
  let owed = false;

  /** Searches only the last characters, however many arrays a chunk holds. */
  function beforeItems(chunk: Buffer, from: number, at: number): boolean {
    const text = tail + chunk.toString("latin1", Math.max(from, at - tailLength), at);
    return /[{,]\s*"items"\s*:\s*$/.test(text.slice(-tailLength));
  }

  function item(): Piece {
    const piece = { index, line: begins === 0 ? line : begins, bytes: kept.take() };
    index += 1;
    begins = 0;
    return piece;
  }

  return {
    push(chunk) {
      const pieces: Piece[] = [];
      let from = 0;
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at] as number;
        if (byte === lineFeed) line += 1;
        if (inText) {
          if (escaped) escaped = false;
          else if (byte === 0x5c) escaped = true;
          else if (byte === 0x22) inText = false;
          continue;
        }
        if (inItems && depth === 2) {
          if (byte === 0x2c || byte === 0x5d) {
            kept.add(chunk, from, at);
            if (begins !== 0 || owed || byte === 0x2c) pieces.push(item());
            else kept.take();
            owed = byte === 0x2c;
            from = at + (byte === 0x2c ? 1 : 0);
            if (byte === 0x5d) {
              inItems = false;
              depth -= 1;
            }
            continue;
          }
          if (begins === 0 && !isSpace(byte)) begins = line;
        }
        if (byte === 0x22) inText = true;
        else if (byte === 0x7d || byte === 0x5d) depth -= 1;
        else if (byte === 0x7b || byte === 0x5b) {
          depth += 1;
          if (byte === 0x5b && depth === 2 && !seen && beforeItems(chunk, from, at)) {
            beside.add(chunk, from, at + 1);
            from = at + 1;
            inItems = true;
            seen = true;
          }
        }
      }
      if (inItems) kept.add(chunk, from, chunk.length);
      else {
        beside.add(chunk, from, chunk.length);
        const end = chunk.toString("latin1", Math.max(from, chunk.length - tailLength));
        tail = (tail + end).slice(-tailLength);
        // Stop reading: this body is refused in any case.
        if (beside.length > restLimitBytes) throw restTooLong();
      }
      return pieces;
    },
    end: () => [],
    rest() {
      const bytes = inItems ? Buffer.from("{") : beside.take();
      if (bytes) return bytes;
      throw restTooLong();
    },
  };
}

function restTooLong() {
  const message = `The members beside the items are longer than ${restLimitBytes} bytes`;
  return invalid("body", "", "too_large", message, { status: 413 });
}
