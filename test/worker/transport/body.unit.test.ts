import { Readable } from "node:stream";
import * as zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  BodyCut,
  BodyTooLarge,
  readBody,
  UnknownEncoding,
} from "../../../worker/transport/body.ts";

const text = Buffer.from("hello world ".repeat(10));
const limit = 1_000_000;
const read = (body: Buffer, encoding?: string) => {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += 50_000) chunks.push(body.subarray(at, at + 50_000));
  return readBody(Readable.from(chunks), encoding, limit);
};

const packed: [string, (content: Buffer) => Buffer][] = [
  ["gzip", zlib.gzipSync],
  ["x-gzip", zlib.gzipSync],
  ["br", zlib.brotliCompressSync],
  ["deflate", zlib.deflateSync],
  ["deflate", zlib.deflateRawSync],
  ["gzip, br", (content) => zlib.brotliCompressSync(zlib.gzipSync(content))],
];

describe.each(packed)("%s", (encoding, pack) => {
  test("is unpacked", async () => {
    expect(await read(pack(text), encoding)).toEqual(text);
    expect(await read(pack(Buffer.alloc(limit)), encoding)).toHaveLength(limit);
  });

  test("is recognised as cut", async () => {
    const whole = pack(text);
    await expect(read(whole.subarray(0, whole.length / 2), encoding)).rejects.toThrow(BodyCut);
  });

  test("stops at the limit of content", async () => {
    await expect(read(pack(Buffer.alloc(limit + 1)), encoding)).rejects.toThrow(BodyTooLarge);
  });

  test("may be empty", async () => {
    expect(await readBody(Readable.from([]), encoding, limit)).toHaveLength(0);
  });
});

test("a plain body has the same limit", async () => {
  expect(await read(Buffer.alloc(limit))).toHaveLength(limit);
  await expect(read(Buffer.alloc(limit + 1))).rejects.toThrow(BodyTooLarge);
});

test.each(["none", "Identity", "", "utf-8", " , NONE"])("the encoding %j is none", async (name) => {
  expect(await read(text, name)).toEqual(text);
});

test("broken and unknown encodings are refused", async () => {
  await expect(read(text, "gzip")).rejects.toThrow(BodyCut);
  await expect(read(text, "compress")).rejects.toThrow(UnknownEncoding);
  await expect(read(text, "gzip, gzip, gzip")).rejects.toThrow(UnknownEncoding);
});

test("other faults of the stream come through", async () => {
  const broken = new Readable({
    read() {
      this.destroy(new Error("boom"));
    },
  });
  await expect(readBody(broken, undefined, limit)).rejects.toThrow("boom");
});
