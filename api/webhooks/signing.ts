import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";

/**
 * Webhook secrets and signatures. A secret is shown once, when it is created. At rest it is encrypted
 * (AES-256-GCM) under a key derived from KEY_PEPPER, which the database does not know, and bound to its
 * endpoint, so that one row's secret cannot replace another's.
 */

const secretBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** The version of the sealed format, so that another may follow. */
const form = 1;

/** A secret in the format of Standard Webhooks. */
export const newSecret = (): string => `whsec_${randomBytes(secretBytes).toString("base64")}`;

export interface Sealer {
  seal(secret: string, endpoint: string): Buffer;
  /** Throws when the bytes were not sealed for this endpoint under this key. */
  open(sealed: Buffer, endpoint: string): string;
}

export function createSealer(pepper: string): Sealer {
  const key = Buffer.from(hkdfSync("sha256", pepper, "", "gateway webhook secrets", 32));
  return {
    seal(secret, endpoint) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(endpoint));
      const hidden = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.of(form), nonce, cipher.getAuthTag(), hidden]);
    },
    open(sealed, endpoint) {
      if (sealed[0] !== form) throw new Error("a secret of an unknown form");
      const nonce = sealed.subarray(1, 1 + nonceBytes);
      const tag = sealed.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(endpoint))
        .setAuthTag(tag);
      const hidden = sealed.subarray(1 + nonceBytes + tagBytes);
      return Buffer.concat([decipher.update(hidden), decipher.final()]).toString("utf8");
    },
  };
}

/** Signs a body: the three headers of Standard Webhooks. With two secrets either one verifies. */
export function signedHeaders(
  event: string,
  body: string,
  secrets: readonly string[],
  at: Date,
): Record<string, string> {
  return {
    "webhook-id": event,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": secrets
      .map((secret) => new Webhook(secret).sign(event, at, body))
      .join(" "),
  };
}
