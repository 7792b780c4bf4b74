import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

export const acceptEncoding = "gzip, br, deflate";

/** The body exceeds the size limit. */
export class BodyTooLarge extends Error {}

/** The body is cut off, or its compression is broken. */
export class BodyCut extends Error {}

/** The compression of the body is broken. */
export class BodyBroken extends BodyCut {}

/** The body has an encoding that was not requested. */
export class UnknownEncoding extends Error {}

/** A look at the beginning of a body, which may end the reading there. */
interface BodyStart {
  size: number;
  goesOn(beginning: Buffer): boolean;
}

/**
 * Reads a whole body, decompressing it as it arrives, up to `limit` bytes of content. `grow` is called with the size
 * before each piece is kept, and may wait. Throws BodyTooLarge, BodyCut and UnknownEncoding. The stream is always
 * destroyed.
 */
export async function readBody(
  stream: Readable,
  encoding: string | undefined,
  limit: number,
  grow?: (size: number) => Promise<void> | undefined,
  start?: BodyStart,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of unpacked(stream, encoding)) {
      size += chunk.length;
      if (size > limit) throw new BodyTooLarge(`more than ${limit} bytes`);
      await grow?.(size);
      chunks.push(chunk);
      if (!start || size < start.size) continue;
      if (!start.goesOn(Buffer.concat(chunks))) break;
      start = undefined;
    }
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (brokenCodes.test(code)) throw new BodyBroken("the body is broken", { cause: error });
    if (cutCodes.test(code)) throw new BodyCut("the body is cut off", { cause: error });
    throw error;
  } finally {
    stream.destroy();
  }
  return Buffer.concat(chunks, size);
}

/** The content of packed pieces; a broken one ends it with zlib's error. Throws UnknownEncoding. */
export function unpacked(
  packed: AsyncIterable<Buffer>,
  encoding: string | undefined,
): AsyncIterable<Buffer> {
  let content = packed;
  for (const name of encodingsOf(encoding).toReversed()) content = unpack(content, name);
  return content;
}

const mostEncodings = 2;
/** Names of no encoding, and of charsets, which some servers send here; browsers take the body as it is. */
const notEncoded = /^(?:|identity|none|binary|utf-?8|iso-8859-1)$/;

function encodingsOf(header: string | undefined): string[] {
  const names = (header ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => !notEncoded.test(name));
  if (names.length > mostEncodings) throw new UnknownEncoding("too many encodings");
  return names;
}

async function* unpack(packed: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const chunks = packed[Symbol.asyncIterator]();
  const first = await chunks.next();
  // Servers send an empty body without the frame of its encoding.
  if (first.done) return;
  async function* whole(): AsyncGenerator<Buffer> {
    yield first.value as Buffer;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  yield* pipeline(whole, unpacker(encoding, first.value), () => {}) as AsyncIterable<Buffer>;
}

function unpacker(encoding: string, first: Buffer): Transform {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "br":
      return createBrotliDecompress();
    case "deflate":
      // Some servers send bare deflate; the zlib header names method 8 in its first byte.
      return (first[0] ?? 0) % 16 === 8 ? createInflate() : createInflateRaw();
    default:
      throw new UnknownEncoding("unknown encoding");
  }
}

const brokenCodes = /^(?:Z_|ERR__ERROR_|ERR_BROTLI|ERR_PADDING)/;
const cutCodes =
  /^(?:UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH|ECONNRESET$|ERR_STREAM_PREMATURE_CLOSE$)/;
