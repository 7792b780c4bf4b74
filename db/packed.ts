import { promisify } from "node:util";
import {
  constants,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";

/**
 * Bodies at rest that were packed begin with the magic number of zstd, others with the brace of a JSON
 * object, so that both are read by the same function.
 */

const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const leastBytes = 512;
/** A thread costs more than packing so few bytes. */
const threadBytes = 32 * 1024;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const params = { [constants.ZSTD_c_compressionLevel]: 3 };

export async function packed(body: Buffer): Promise<Buffer> {
  if (body.length < leastBytes) return body;
  return body.length < threadBytes
    ? zstdCompressSync(body, { params })
    : compress(body, { params });
}

export async function unpacked(body: Buffer): Promise<Buffer> {
  if (!body.subarray(0, magic.length).equals(magic)) return body;
  return body.length < threadBytes / 8 ? zstdDecompressSync(body) : decompress(body);
}
