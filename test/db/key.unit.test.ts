import { describe, expect, test } from "vitest";
import { digestKey, generateKey, matchesDigest, parseKey } from "../../db/key.ts";

describe("generateKey", () => {
  test("has the documented form and is accepted by parseKey", () => {
    for (const mode of ["live", "test"] as const) {
      const { id, text } = generateKey(mode);
      expect(text).toMatch(new RegExp(`^svc_${mode}_${id}_[0-9A-Za-z]{49}$`));
      expect(id).toHaveLength(8);
      expect(parseKey(text)).toEqual({ mode, id, text });
    }
  });

  test("never repeats an id or a secret", () => {
    const keys = Array.from({ length: 2000 }, () => generateKey("live"));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(2000);
    expect(new Set(keys.map(({ text }) => text.slice(18, 61))).size).toBe(2000);
  });
});

describe("parseKey", () => {
  test("knows a checksum computed elsewhere", () => {
    const secret = "0".repeat(43);
    expect(parseKey(`svc_live_ABCDEFGH_${secret}${checksumOf(secret)}`)?.id).toBe("ABCDEFGH");
  });

  test("refuses any single changed character of secret and checksum", () => {
    const { text } = generateKey("live");
    for (let at = "svc_live_12345678_".length; at < text.length; at += 1) {
      const changed = text.slice(0, at) + (text[at] === "a" ? "b" : "a") + text.slice(at + 1);
      expect(parseKey(changed)).toBeUndefined();
    }
  });

  test.each([
    "",
    "svc_live_",
    "Bearer x",
    "svc_prod_12345678_",
    "svc_live_12345678_".padEnd(67, "é"),
  ])("refuses %j", (text) => {
    expect(parseKey(text)).toBeUndefined();
  });

  test("refuses a valid key with anything around it", () => {
    const { text } = generateKey("test");
    for (const wrong of [` ${text}`, `${text} `, `${text}\n`, text.toUpperCase(), text + text])
      expect(parseKey(wrong)).toBeUndefined();
  });
});

describe("matchesDigest", () => {
  test("needs the same key and the same pepper", () => {
    const { text } = generateKey("live");
    const digest = digestKey(text, "pepper");
    expect(digest).toHaveLength(32);
    expect(matchesDigest(text, "pepper", digest)).toBe(true);
    expect(matchesDigest(text, "salt", digest)).toBe(false);
    expect(matchesDigest(generateKey("live").text, "pepper", digest)).toBe(false);
    expect(matchesDigest(text, "pepper", undefined)).toBe(false);
  });
});

/** CRC-32 (IEEE 802.3), bit by bit, in base62. */
function checksumOf(text: string): string {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let rest = (crc ^ 0xffffffff) >>> 0;
  let out = "";
  for (let place = 0; place < 6; place += 1) {
    out = (digits[rest % 62] ?? "") + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}
