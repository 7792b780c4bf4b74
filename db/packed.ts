import { promisify } from "node:util";
import {
  constants,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";

/**
 * Compressed bodies at rest begin with the magic number of zstd, others with the brace of a JSON object, so
 * that one function reads both.
 */

const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const leastBytes = 512;
/** Below this size a thread costs more than the compression itself. */
const threadBytes = 32 * 1024;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const params = { [constants.ZSTD_c_compressionLevel]: 3 };

export async function packed(body: Buffer): Promise<Buffer> {
  if (body.length < leastBytes) return body;
  return body.length < threadBytes
    ? zstdCompressSync(body, { params })
    : // Without `pledgedSrcSize` the frame's head does not have the size.
      compress(body, { params, pledgedSrcSize: body.length });
}

/** Leading bytes of a stored body that contain its decompressed size. */
export const headBytes = 18;

/** Decompressed size of a stored body, from its head (RFC 8878, 3.1.1.1) and its length at rest. */
export function unpackedBytes(head: Buffer, bytes: number): number {
  const frame = head.at(4);
  if (frame === undefined || !head.subarray(0, magic.length).equals(magic)) return bytes;
  const isSingle = (frame & 0x20) !== 0;
  const at = 5 + (isSingle ? 0 : 1) + ([0, 1, 2, 4][frame & 3] as number);
  switch (frame >> 6) {
    case 0:
      return isSingle ? head.readUInt8(at) : bytes;
    case 1:
      return head.readUInt16LE(at) + 256;
    case 2:
      return head.readUInt32LE(at);
    default:
      return Number(head.readBigUInt64LE(at));
  }
}

export async function unpacked(body: Buffer): Promise<Buffer> {
  if (!body.subarray(0, magic.length).equals(magic)) return body;
  return body.length < threadBytes / 8 ? zstdDecompressSync(body) : decompress(body);
}
