import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import type { CursorPayload } from "../contract/cursor.ts";
import { queuePrefix } from "./redis/keys.ts";

/** An upstream's answer behind a call. */
export interface KeptAnswer {
  upstream: string;
  method: string;
  /** The request as text, without credentials. */
  question: string;
  status: number;
  contentType: string;
  /** The body in base64; absent where it ended too early. */
  body?: string;
}

/** A call with its answers, and all that is needed to map them again. */
export interface KeptCall {
  requestId: string;
  operation: string;
  /** The decoded input of the caller. */
  input: unknown;
  cursor?: CursorPayload | undefined;
  maxRecords: number;
  /** `ok`, or the error type. */
  outcome: string;
  /** Unix time in milliseconds. */
  at: number;
  /** Version of the worker. */
  version: string;
  answers: KeptAnswer[];
}

/** Each call expires this long after it ended. */
export const keptLifeMs = 48 * 3600 * 1000;

export const failedKey = (requestId: string): string => `${queuePrefix}:failed:${requestId}`;
/** Sorted set of `operation request-id bytes` by Unix time in milliseconds. */
export const failedIndexKey = `${queuePrefix}:failed`;

/** The same for a sample of calls that succeeded, on which `gateway shadow` compares two versions of a mapping. */
export const goodKey = (requestId: string): string => `${queuePrefix}:good:${requestId}`;
export const goodIndexKey = `${queuePrefix}:good`;

export interface KeptEntry {
  /** The member of the index. */
  member: string;
  operation: string;
  requestId: string;
  bytes: number;
}

export const memberOf = (operation: string, requestId: string, bytes: number): string =>
  `${operation} ${requestId} ${bytes}`;

export function entryOf(member: string): KeptEntry {
  const [operation = "", requestId = "", bytes = "0"] = member.split(" ");
  return { member, operation, requestId, bytes: Number(bytes) };
}

/** The key of a gateway that has no own one: API and command line know its pepper. */
export const keyFromPepper = (pepper: string): string =>
  createHmac("sha256", pepper).update("gateway failed answers").digest("base64url");

const nonceBytes = 12;
const tagBytes = 16;
/** The version of the sealed format. */
const form = 1;

const cipherKey = (secret: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", "gateway failed answers", 32));

/** Compresses and encrypts a call (AES-256-GCM), bound to its request id. */
export function sealCall(secret: string, call: KeptCall): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", cipherKey(secret), nonce);
  cipher.setAAD(Buffer.from(call.requestId));
  const hidden = [cipher.update(gzipSync(JSON.stringify(call))), cipher.final()];
  return Buffer.concat([Buffer.of(form), nonce, cipher.getAuthTag(), ...hidden]);
}

/** Undefined where the bytes were sealed under another key or for another call. */
export function openCall(secret: string, requestId: string, sealed: Buffer): KeptCall | undefined {
  if (sealed[0] !== form || sealed.length < 1 + nonceBytes + tagBytes) return undefined;
  const nonce = sealed.subarray(1, 1 + nonceBytes);
  const options = { authTagLength: tagBytes };
  const decipher = createDecipheriv("aes-256-gcm", cipherKey(secret), nonce, options)
    .setAAD(Buffer.from(requestId))
    .setAuthTag(sealed.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes));
  try {
    const hidden = sealed.subarray(1 + nonceBytes + tagBytes);
    const text = gunzipSync(Buffer.concat([decipher.update(hidden), decipher.final()]));
    return JSON.parse(text.toString()) as KeptCall;
  } catch {
    return undefined;
  }
}
