import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Mode } from "./schema.ts";

/** The text of an API key: `svc_<mode>_<id>_<secret><checksum>`. */

export interface ParsedKey {
  mode: Mode;
  /** Public: may appear in logs and listings. */
  id: string;
  /** The whole key as the caller sent it. Never stored, never logged. */
  text: string;
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const idLength = 8;
// 62^43 > 2^256 and 62^6 > 2^32
const secretLength = 43;
const checksumLength = 6;

const keyPattern = /^svc_(live|test)_([0-9A-Za-z]{8})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;
const keyLength = "svc_live_".length + idLength + 1 + secretLength + checksumLength;

function base62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; rest > 0n; rest /= 62n) text = (digits[Number(rest % 62n)] ?? "") + text;
  return text.padStart(length, "0");
}

const randomNumber = (bytes: number): bigint => BigInt(`0x${randomBytes(bytes).toString("hex")}`);

const checksum = (secret: string): string => base62(BigInt(crc32(secret)), checksumLength);

export function generateKey(mode: Mode): ParsedKey {
  const id = base62(randomNumber(16) % 62n ** BigInt(idLength), idLength);
  const secret = base62(randomNumber(32), secretLength);
  return { mode, id, text: `svc_${mode}_${id}_${secret}${checksum(secret)}` };
}

/** Undefined for a malformed text or a wrong checksum: such a text needs no look-up. */
export function parseKey(text: string): ParsedKey | undefined {
  if (text.length !== keyLength) return undefined;
  const [, mode, id, secret, check] = keyPattern.exec(text) ?? [];
  if (!id || !secret || check !== checksum(secret)) return undefined;
  return { mode: mode === "live" ? "live" : "test", id, text };
}

/** HMAC-SHA-256 of the whole key: without the pepper a stolen table is useless. */
export const digestKey = (text: string, pepper: string): Buffer =>
  createHmac("sha256", pepper).update(text).digest();

const noDigest = Buffer.alloc(32);

/** One HMAC and one constant-time comparison, also without a digest, so that the time reveals no key. */
export function matchesDigest(text: string, pepper: string, digest: Buffer | undefined): boolean {
  const same = timingSafeEqual(digestKey(text, pepper), digest ?? noDigest);
  return digest !== undefined && same;
}
