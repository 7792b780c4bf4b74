import { expect, test } from "vitest";
import { headBytes, packed, unpacked, unpackedBytes } from "../../db/packed.ts";

test.each([100, 600, 5000, 40_000, 70_000, 3_000_000])(
  "a body of %d bytes is packed and its size is read from its head",
  async (bytes) => {
    const body = Buffer.alloc(bytes, '{"data":[1,2,3]}');
    const stored = await packed(body);
    expect((await unpacked(stored)).equals(body)).toBe(true);
    expect(unpackedBytes(stored.subarray(0, headBytes), stored.length)).toBe(bytes);
  },
);

test("a body without a readable head counts with its stored size", () => {
  expect(unpackedBytes(Buffer.from("{}"), 2)).toBe(2);
  expect(unpackedBytes(Buffer.from("28b52ffd00585c0000", "hex"), 900)).toBe(900);
});
