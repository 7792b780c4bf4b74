import { createHash } from "node:crypto";
import { setImmediate as nextLoop } from "node:timers/promises";
import { type BatchOptions, batchBytesLimit, mostItems } from "../../contract/batches.ts";
import { canonicalJson } from "../../contract/canonical.ts";
import type { Price } from "../../contract/pricing.ts";
import { invalid, maxIssues } from "../../contract/errors.ts";
import type { Operation } from "../../contract/operation.ts";
import type { NewItem } from "../../db/batch-intake.ts";
import { AccountTurns } from "../../runtime/account-turns.ts";
import { ownerName } from "../auth.ts";
import type { Seen } from "./upload-limiter.ts";
import {
  type BatchOperations,
  type Common,
  type ItemIssue,
  MisspeltOperations,
  type ReadItem,
  readItem,
} from "./item.ts";
import { type BodyKind, readOptions, withHeader } from "./options.ts";
import { LineScanner, ObjectScanner, type Piece } from "./scanner.ts";

/** Reads the body of `POST /batches` as it arrives, item by item. */

/** Items are passed on in groups of this number or size. */
const groupItems = 500;
const groupBytes = 512 * 1024;
/** Items, or bytes of them, of one turn. */
const turnItems = 50;
const turnBytes = 8 * 1024;
/** One step of one body at a time: eight bodies of one account would leave others an eighth of the thread. */
const bodyTurns = new AccountTurns({ name: "bodies of batches", slots: 1 });
/** Invalid lines that are listed. */
const mostListedLines = mostItems;

export interface ReadBatch {
  options: BatchOptions;
  total: number;
  pools: Set<string>;
  /** Operations of the valid items. */
  operations: Set<Operation>;
  /** Bytes of the inputs. */
  bytes: number;
  /** Price of all valid items, if each succeeds. */
  price: Price;
  fingerprint: string;
  /** Invalid items; the first issues are listed. */
  skipped: { count: number; lines: number[]; issues: ItemIssue[] };
}

export interface Reading {
  operations: BatchOperations;
  common: Common;
  cursorSecret: string;
  /** Options of an NDJSON body, from the query. */
  query: BatchOptions | undefined;
  /** `Svc-Fields`. */
  fields: string | undefined;
  /** Receives groups of items as they are read; the body waits meanwhile (back-pressure). */
  add: (items: NewItem[]) => Promise<void>;
  /** Counts the amount read. */
  seen: Seen;
  /** Called when the thread continues with this body. */
  resume: () => void;
}

/** Throws errors of the body as a whole; invalid items are listed in the result. */
export async function readBatch(
  body: AsyncIterable<Buffer>,
  kind: BodyKind,
  reading: Reading,
): Promise<ReadBatch> {
  const { longest } = reading.operations;
  const scanner = kind === "ndjson" ? new LineScanner(longest) : new ObjectScanner(longest);
  const intake = new Intake(reading);
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > batchBytesLimit) throw tooLarge();
    reading.seen.bytes = length;
    reading.resume();
    await intake.take(scanner.push(chunk));
  }
  await intake.take(scanner.end());
  const options = withHeader(reading.query ?? readOptions(scanner.rest()), reading.fields, kind);
  await intake.flush();
  return intake.read(options, kind);
}

/** Collects a batch from its items, as they are read. */
class Intake {
  readonly #reading: Reading;
  readonly #hash = createHash("sha256");
  /** The first line of each custom_id. */
  readonly #lines = new Map<string, number>();
  readonly #skipped: ReadBatch["skipped"] = { count: 0, lines: [], issues: [] };
  readonly #misspelt = new MisspeltOperations();
  readonly #pools = new Set<string>();
  readonly #operations = new Set<Operation>();
  readonly #price: Price = { least: 0, most: 0 };
  #total = 0;
  #bytes = 0;
  #group: NewItem[] = [];
  #groupLength = 0;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  async take(pieces: Piece[]): Promise<void> {
    for (let from = 0; from < pieces.length;) {
      const turn = await bodyTurns.take(ownerName(this.#reading.common.caller));
      // Leave the turn of the event loop to others first: no two steps of bodies run in one.
      await nextLoop();
      this.#reading.resume();
      const startedAt = performance.now();
      try {
        from = this.#takeSome(pieces, from);
      } finally {
        turn.end(performance.now() - startedAt);
      }
      if (this.#group.length >= groupItems || this.#groupLength >= groupBytes) await this.flush();
    }
  }

  /** Takes about a millisecond of items from an index on; returns the next index. */
  #takeSome(pieces: readonly Piece[], from: number): number {
    let length = 0;
    let index = from;
    while (index < pieces.length && index - from < turnItems && length < turnBytes) {
      const piece = pieces[index] as Piece;
      if (piece.index >= mostItems) throw tooMany();
      this.#reading.seen.items += 1;
      length += piece.bytes?.length ?? 0;
      this.#takeOne(piece);
      index += 1;
    }
    return index;
  }

  async flush(): Promise<void> {
    const full = this.#group;
    this.#group = [];
    this.#groupLength = 0;
    if (full.length > 0) await this.#reading.add(full);
  }

  read(options: BatchOptions, kind: BodyKind): ReadBatch {
    const { version, scenario } = this.#reading.common;
    this.#hash.update(canonicalJson(options));
    this.#hash.update(canonicalJson([version, scenario ?? null, kind]));
    return {
      options,
      total: this.#total,
      pools: this.#pools,
      operations: this.#operations,
      bytes: this.#bytes,
      price: this.#price,
      fingerprint: this.#hash.digest("base64url"),
      skipped: this.#skipped,
    };
  }

  #takeOne(piece: Piece): void {
    const { operations, common, cursorSecret, query } = this.#reading;
    const read = readItem(piece, operations, common, cursorSecret, this.#misspelt);
    this.#hash.update(
      piece.bytes && "item" in read ? canonicalJson(read.item.value) : (piece.bytes ?? ""),
    );
    this.#hash.update("\n");
    if ("issues" in read) return this.#skip(piece.line, read.issues);
    const { item } = read;
    const twice = this.#duplicate(item, piece.index);
    if (twice) return this.#skip(piece.line, [twice]);
    this.#count(item);
    // A refused batch stores no more items.
    if (this.#skipped.count > 0 && query?.validation === "all_or_nothing") return;
    this.#group.push(stored(item, piece.index));
    this.#groupLength += item.input.length;
  }

  #count(item: ReadItem): void {
    this.#total += 1;
    this.#bytes += item.input.length;
    this.#price.least += item.least;
    this.#price.most += item.most;
    this.#pools.add(item.op.pool);
    this.#operations.add(item.op);
  }

  #skip(line: number, issues: ItemIssue[]): void {
    const skipped = this.#skipped;
    skipped.count += 1;
    if (skipped.lines.length < mostListedLines) skipped.lines.push(line);
    skipped.issues.push(...issues.slice(0, maxIssues - skipped.issues.length));
  }

  #duplicate({ customId, line }: ReadItem, index: number): ItemIssue | undefined {
    const first = this.#lines.get(customId);
    if (first === undefined) {
      this.#lines.set(customId, line);
      return undefined;
    }
    return {
      in: "body",
      path: `items[${index}].custom_id`,
      code: "duplicate",
      message: `is the custom_id of the item on line ${first} as well`,
      line,
      custom_id: customId,
    };
  }
}

const stored = (item: ReadItem, index: number): NewItem => ({
  number: index,
  pool: item.op.pool,
  operation: item.op.id,
  custom_id: item.customId,
  input: item.input,
  minimum: item.minimum,
  most: item.most,
  lasts_ms: item.lastsMs,
});

const tooMany = () =>
  invalid("body", "items", "too_big", `items: a batch has at most ${mostItems}`, { status: 413 });
const tooLarge = () =>
  invalid("body", "", "too_large", `The body is longer than ${batchBytesLimit} bytes`, {
    status: 413,
  });
