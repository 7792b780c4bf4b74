import { createHash, generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  key: string;
  cert: string;
  /** Chromium's argument to trust this key and no other. */
  trust: string;
}

/** A self-signed certificate, trusted by its key or by the name of its host. */
export function makeCertificate(host = "test site"): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const commonName = sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(host)));
  const name = sequence(der(0x31, commonName));
  const validity = sequence(utcTime("200101000000Z"), utcTime("491231000000Z"));
  const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const serial = der(0x02, Buffer.from([1]));
  const body = sequence(serial, ecdsaWithSha256, name, validity, name, spki);
  const signature = sign("sha256", body, privateKey);
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const hash = createHash("sha256").update(spki).digest("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString("base64")}\n-----END CERTIFICATE-----\n`,
    trust: `--ignore-certificate-errors-spki-list=${hash}`,
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const oid = (...bytes: number[]) => der(0x06, Buffer.from(bytes));
const utcTime = (text: string) => der(0x17, Buffer.from(text));
