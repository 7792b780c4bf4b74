import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";

/**
 * Bodies at rest that were packed begin with the magic number of zstd, others with the brace of a JSON
 * object, so that both are read by the same function.
 */

const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const leastBytes = 512;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const params = { [constants.ZSTD_c_compressionLevel]: 3 };

export async function packed(body: Buffer): Promise<Buffer> {
  return body.length < leastBytes ? body : compress(body, { params });
}

export async function unpacked(body: Buffer): Promise<Buffer> {
  return body.subarray(0, magic.length).equals(magic) ? decompress(body) : body;
}
