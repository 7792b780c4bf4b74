import { invalid } from "../../contract/errors.ts";

/** One item of a body as it was sent; without `bytes` it was too long to be kept. */
export interface Piece {
  /** Place among the items, from 0. */
  index: number;
  /** Line of the body on which it begins, from 1. */
  line: number;
  bytes: Buffer | undefined;
}

/** Cuts a body into items as it arrives; never more than one item is kept. */
export interface Scanner {
  push(chunk: Buffer): Piece[];
  /** What the end of the body completes. */
  end(): Piece[];
  /** The body without its items; empty where there is nothing beside them. */
  rest(): Buffer;
}

const lineFeed = 0x0a;
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Bytes of the item that is being read, across chunks; beyond the limit they are dropped. */
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

  /** Undefined when there was too much. The copy keeps no chunk of the body alive. */
  take(): Buffer | undefined {
    const bytes = this.#length > this.#most ? undefined : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    return bytes;
  }
}

/** One item a line; empty lines are no items. */
export function lineScanner(mostBytes: number): Scanner {
  const kept = new Kept(mostBytes);
  let index = 0;
  let line = 1;

  /** Where the next item begins: sixty million empty lines are read like any spaces. */
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

/** What stands beside the items of a JSON body may be this long. */
const restLimitBytes = 16 * 1024;
/** So much of it is looked at to know the array of items. */
const tailLength = 200;

/**
 * The members of `items` in a JSON object. Only its structure is read; what is no JSON comes out as an
 * item, or as a rest, that cannot be parsed.
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
  /** Whether a comma came, after which an item must follow. */
  let owed = false;

  /** The last so many signs, however many arrays stand in a chunk. */
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
        // No more of it is read: what stands there is refused whatever comes.
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
  const message = `What stands beside the items is longer than ${restLimitBytes} bytes`;
  return invalid("body", "", "too_large", message, { status: 413 });
}
