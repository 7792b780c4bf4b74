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
const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
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
export class LineScanner implements Scanner {
  readonly #kept: Kept;
  #index = 0;
  #line = 1;

  constructor(mostBytes: number) {
    this.#kept = new Kept(mostBytes);
  }

  push(chunk: Buffer): Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    while (from < chunk.length) {
      if (this.#kept.length === 0) from = this.#behindSpaces(chunk, from);
      const at = chunk.indexOf(lineFeed, from);
      this.#kept.add(chunk, from, at < 0 ? chunk.length : at);
      if (at < 0) break;
      pieces.push(this.#takeItem());
      this.#line += 1;
      from = at + 1;
    }
    return pieces;
  }

  end(): Piece[] {
    return this.#kept.length > 0 ? [this.#takeItem()] : [];
  }

  rest(): Buffer {
    return Buffer.alloc(0);
  }

  /** Skips empty lines like spaces, so that sixty million of them cost no more. */
  #behindSpaces(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length && isSpace(chunk[at] as number); at += 1)
      if (chunk[at] === lineFeed) this.#line += 1;
    return at;
  }

  #takeItem(): Piece {
    return { index: this.#index++, line: this.#line, bytes: this.#kept.take() };
  }
}

/** The other members of a JSON body may take this many bytes. */
const restLimitBytes = 16 * 1024;
/** Characters before an array that are searched for the name `items`. */
const tailLength = 200;

/**
 * Reads the elements of `items` in a JSON object. Only the structure is scanned; anything that is not JSON
 * comes out as an item, or as a rest, that the parser refuses.
 */
export class ObjectScanner implements Scanner {
  readonly #kept: Kept;
  readonly #beside = new Kept(restLimitBytes);
  /** The last characters before the chunk, where they belong to no item. */
  #tail = "";
  /** First byte of the chunk that neither `#kept` nor `#beside` has. */
  #from = 0;
  #depth = 0;
  #inText = false;
  #isEscaped = false;
  #inItems = false;
  /** Only the first `items` is read; another one stays in the rest. */
  #hasItems = false;
  #index = 0;
  #line = 1;
  /** Line on which the current item begins; 0 before its first byte. */
  #itemLine = 0;
  /** A comma came, so an item must follow. */
  #isItemDue = false;

  constructor(mostBytes: number) {
    this.#kept = new Kept(mostBytes);
  }

  push(chunk: Buffer): Piece[] {
    const pieces: Piece[] = [];
    this.#from = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#inText) at = this.#behindText(chunk, at);
      else {
        this.#readStructure(chunk, at, pieces);
        at += 1;
      }
    }
    this.#keepRest(chunk);
    return pieces;
  }

  end(): Piece[] {
    return [];
  }

  rest(): Buffer {
    const bytes = this.#inItems ? Buffer.from("{") : this.#beside.take();
    if (bytes) return bytes;
    throw restTooLong();
  }

  /** Returns the position behind the text's closing quote, or the end of the chunk. */
  #behindText(chunk: Buffer, from: number): number {
    let isEscaped = this.#isEscaped;
    let at = from;
    while (at < chunk.length && this.#inText) {
      const byte = chunk[at] as number;
      if (byte === lineFeed) this.#line += 1;
      if (isEscaped) isEscaped = false;
      else if (byte === backslash) isEscaped = true;
      else if (byte === quote) this.#inText = false;
      at += 1;
    }
    this.#isEscaped = isEscaped;
    return at;
  }

  #readStructure(chunk: Buffer, at: number, pieces: Piece[]): void {
    const byte = chunk[at] as number;
    if (byte === lineFeed) this.#line += 1;
    if (this.#inItems && this.#depth === 2) {
      if (byte === comma || byte === closeBracket) {
        this.#endItem(chunk, at, pieces);
        return;
      }
      if (this.#itemLine === 0 && !isSpace(byte)) this.#itemLine = this.#line;
    }
    if (byte === quote) this.#inText = true;
    else if (byte === closeBrace || byte === closeBracket) this.#depth -= 1;
    else if (byte === openBrace) this.#depth += 1;
    else if (byte === openBracket) this.#openArray(chunk, at);
  }

  #openArray(chunk: Buffer, at: number): void {
    this.#depth += 1;
    if (this.#depth !== 2 || this.#hasItems || !this.#isBeforeItems(chunk, at)) return;
    this.#beside.add(chunk, this.#from, at + 1);
    this.#from = at + 1;
    this.#inItems = true;
    this.#hasItems = true;
  }

  /** Searches only the last characters, however many arrays a chunk holds. */
  #isBeforeItems(chunk: Buffer, at: number): boolean {
    const from = Math.max(this.#from, at - tailLength);
    const text = this.#tail + chunk.toString("latin1", from, at);
    return /[{,]\s*"items"\s*:\s*$/.test(text.slice(-tailLength));
  }

  /** Ends an item at a comma, or the list at its bracket. */
  #endItem(chunk: Buffer, at: number, pieces: Piece[]): void {
    const isLast = chunk[at] === closeBracket;
    this.#kept.add(chunk, this.#from, at);
    if (this.#itemLine !== 0 || this.#isItemDue || !isLast) pieces.push(this.#takeItem());
    else this.#kept.take();
    this.#isItemDue = !isLast;
    this.#from = isLast ? at : at + 1;
    if (!isLast) return;
    this.#inItems = false;
    this.#depth -= 1;
  }

  #takeItem(): Piece {
    const line = this.#itemLine === 0 ? this.#line : this.#itemLine;
    this.#itemLine = 0;
    return { index: this.#index++, line, bytes: this.#kept.take() };
  }

  #keepRest(chunk: Buffer): void {
    if (this.#inItems) {
      this.#kept.add(chunk, this.#from, chunk.length);
      return;
    }
    this.#beside.add(chunk, this.#from, chunk.length);
    const end = chunk.toString("latin1", Math.max(this.#from, chunk.length - tailLength));
    this.#tail = (this.#tail + end).slice(-tailLength);
    // Stop reading: this body is refused in any case.
    if (this.#beside.length > restLimitBytes) throw restTooLong();
  }
}

function restTooLong() {
  const message = `The members beside the items are longer than ${restLimitBytes} bytes`;
  return invalid("body", "", "too_large", message, { status: 413 });
}
