import { promisify } from "node:util";
import { constants, createZstdDecompress, zstdCompress, zstdDecompressSync } from "node:zlib";
import type { ItemStore, ResultRow } from "../../db/batch-items.ts";
import { partBytes } from "../../db/batch-items.ts";

/** Answers at rest: packed, large ones in parts. */

const compress = promisify(zstdCompress);
const params = { [constants.ZSTD_c_compressionLevel]: 3 };
/** Smaller ones do not get smaller by much. */
const packedFromBytes = 512;
/** A larger answer is written in parts, ahead of the statement that ends its item. */
const wholeUpToBytes = 64 * 1024;
/** What packed bytes begin with; an answer begins with a brace. */
const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

export interface StoredBody {
  body: Buffer;
  parts: number;
  kept: number;
}

/** Large answers are packed and written one behind another. */
let last: Promise<unknown> = Promise.resolve();

export async function store(
  items: ItemStore,
  batchId: number,
  requestId: string,
  body: Buffer,
): Promise<StoredBody> {
  if (body.length < packedFromBytes) return { body, parts: 0, kept: body.length };
  if (body.length <= wholeUpToBytes) {
    const packed = await compress(body, { params });
    return { body: packed, parts: 0, kept: packed.length };
  }
  const mine = last.then(async () => {
    const packed = await compress(body, { params });
    const parts = Math.ceil(packed.length / partBytes);
    for (let part = 0; part < parts; part += 1) {
      const bytes = packed.subarray(part * partBytes, (part + 1) * partBytes);
      await items.storePart(batchId, requestId, part, bytes);
    }
    return { body: Buffer.alloc(0), parts, kept: packed.length };
  });
  last = mine.catch(() => undefined);
  return mine;
}

/** The answer again, in pieces; nothing where it has been removed meanwhile. */
export async function* read(
  items: ItemStore,
  batchId: number,
  row: ResultRow,
): AsyncGenerator<Buffer> {
  if (row.parts === 0) {
    yield row.body.subarray(0, magic.length).equals(magic)
      ? zstdDecompressSync(row.body)
      : row.body;
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
