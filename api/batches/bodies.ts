import { createZstdDecompress } from "node:zlib";
import type { ItemStore, ResultRow } from "../../db/batch-items.ts";
import { partBytes } from "../../db/batch-items.ts";
import { packed, unpacked } from "../../db/packed.ts";

/** Stores answers compressed, large ones in parts. */

/** A larger answer is written in parts, before the statement that ends its item. */
const wholeUpToBytes = 64 * 1024;

export interface StoredBody {
  body: Buffer;
  parts: number;
  kept: number;
}

/** Serialises large answers: one at a time is compressed and written. */
let last: Promise<unknown> = Promise.resolve();

export async function store(
  items: ItemStore,
  batchId: number,
  requestId: string,
  body: Buffer,
): Promise<StoredBody> {
  if (body.length <= wholeUpToBytes) {
    const bytes = await packed(body);
    return { body: bytes, parts: 0, kept: bytes.length };
  }
  const mine = last.then(async () => {
    const whole = await packed(body);
    const parts = Math.ceil(whole.length / partBytes);
    for (let part = 0; part < parts; part += 1) {
      const bytes = whole.subarray(part * partBytes, (part + 1) * partBytes);
      await items.storePart(batchId, requestId, part, bytes);
    }
    return { body: Buffer.alloc(0), parts, kept: whole.length };
  });
  last = mine.catch(() => undefined);
  return mine;
}

/** Reads an answer in pieces; yields nothing when it was removed meanwhile. */
export async function* read(
  items: ItemStore,
  batchId: number,
  row: ResultRow,
): AsyncGenerator<Buffer> {
  if (row.parts === 0) {
    yield await unpacked(row.body);
    return;
  }
  const plain = createZstdDecompress();
  const closed = new Promise((resolve) => plain.once("close", resolve));
  const feed = (async () => {
    for (let part = 0; part < row.parts; part += 1) {
      const bytes = await items.part(batchId, row.requestId, part);
      if (!bytes) throw new Error("a part of an answer is gone");
      if (plain.destroyed) return;
      if (plain.write(bytes)) continue;
      await Promise.race([new Promise((resolve) => plain.once("drain", resolve)), closed]);
    }
    plain.end();
  })().catch((error: Error) => plain.destroy(error));
  try {
    yield* plain as AsyncIterable<Buffer>;
    await feed;
  } finally {
    plain.destroy();
  }
}
