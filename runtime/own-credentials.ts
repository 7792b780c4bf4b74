import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** An account's own credential for the upstreams that read the same variables. */
export interface OwnCredential {
  /** Of its row; never a secret. */
  id: number;
  /** The variables that it replaces, in the order of the upstream: `DATAFORSEO_LOGIN+DATAFORSEO_PASSWORD`. */
  names: string;
  /** Variable -> secret. */
  secrets: Readonly<Record<string, string>>;
  /** Requests a second, where the operator set a limit of its own. */
  perSecond?: number | undefined;
  /** Price of a record in percent of the operation's own. */
  pricePercent: number;
}

/** The own credentials that a job carries; `names` stands beside the sealed text so that none falls back to the operator's. */
export interface SealedCredentials {
  names: readonly string[];
  /** Absent where the API cannot read what is stored. */
  sealed?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables that the environment leaves open: a key derived from the pepper, which becomes the previous one
 * where the operator has set a key.
 */
export function credentialsVariablesFrom(
  pepper: string,
  env: Environment,
): Partial<Record<"CREDENTIALS_KEY" | "CREDENTIALS_KEY_PREVIOUS", string>> {
  const isSet = (name: string) => Boolean(env[name] || env[`${name}_FILE`]);
  const derived = createHmac("sha256", pepper)
    .update("gateway own credentials")
    .digest("base64url");
  if (!isSet("CREDENTIALS_KEY")) return { CREDENTIALS_KEY: derived };
  return isSet("CREDENTIALS_KEY_PREVIOUS") ? {} : { CREDENTIALS_KEY_PREVIOUS: derived };
}

/** The keys of a process, the current one first: it encrypts, and each of them decrypts. */
export const credentialsKeys = (env: {
  CREDENTIALS_KEY?: string | undefined;
  CREDENTIALS_KEY_PREVIOUS?: string | undefined;
}): readonly string[] =>
  [env.CREDENTIALS_KEY, env.CREDENTIALS_KEY_PREVIOUS].filter((key) => key !== undefined);

export const namesOf = (variables: readonly string[]): string => variables.join("+");

const nonceBytes = 12;
const tagBytes = 16;

/** Stored credentials and those of jobs have keys of their own, both derived from `CREDENTIALS_KEY`. */
type Use = "stored credentials" | "credentials of jobs";

const keys = new Map<string, Buffer>();

function cipherKey(secret: string, use: Use): Buffer {
  const name = `${use} ${secret}`;
  const known = keys.get(name);
  if (known) return known;
  const made = Buffer.from(hkdfSync("sha256", secret, "", `gateway ${use}`, 32));
  if (keys.size < 16) keys.set(name, made);
  return made;
}

/** Encrypts with AES-256-GCM, bound to `owner`. */
function seal(secret: string, use: Use, owner: string, content: unknown): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", cipherKey(secret, use), nonce);
  cipher.setAAD(Buffer.from(owner));
  const hidden = [cipher.update(JSON.stringify(content), "utf8"), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...hidden]);
}

/** Undefined where the bytes were sealed under another key or for another owner. */
function open(secret: string, use: Use, owner: string, sealed: Buffer): unknown {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const nonce = sealed.subarray(0, nonceBytes);
  const options = { authTagLength: tagBytes };
  try {
    const decipher = createDecipheriv("aes-256-gcm", cipherKey(secret, use), nonce, options)
      .setAAD(Buffer.from(owner))
      .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    const hidden = sealed.subarray(nonceBytes + tagBytes);
    return JSON.parse(Buffer.concat([decipher.update(hidden), decipher.final()]).toString());
  } catch {
    return undefined;
  }
}

const storedOwner = (accountId: number, names: string) => `${accountId} ${names}`;

/** The stored form of secrets, which no other account's row can hold. */
export function sealStored(
  key: string,
  accountId: number,
  names: string,
  secrets: OwnCredential["secrets"],
): Buffer {
  return seal(key, "stored credentials", storedOwner(accountId, names), secrets);
}

/** `at` is the index of the key that fits; undefined where none does. */
export function openStored(
  keys: readonly string[],
  accountId: number,
  names: string,
  sealed: Buffer,
): { secrets: OwnCredential["secrets"]; at: number } | undefined {
  for (const [at, key] of keys.entries()) {
    const secrets = open(key, "stored credentials", storedOwner(accountId, names), sealed);
    if (secrets !== undefined) return { secrets: secrets as OwnCredential["secrets"], at };
  }
  return undefined;
}

const jobOwner = (requestId: string, account: string) => `${requestId} ${account}`;

/** The form in a job, which no other job can use. */
export function sealForJob(
  key: string,
  requestId: string,
  account: string,
  credentials: readonly OwnCredential[],
): string {
  return seal(key, "credentials of jobs", jobOwner(requestId, account), credentials).toString(
    "base64",
  );
}

export function openForJob(
  keys: readonly string[],
  requestId: string,
  account: string,
  sealed: string,
): readonly OwnCredential[] | undefined {
  const owner = jobOwner(requestId, account);
  const bytes = Buffer.from(sealed, "base64");
  for (const key of keys) {
    const opened = open(key, "credentials of jobs", owner, bytes);
    if (opened !== undefined) return opened as readonly OwnCredential[];
  }
  return undefined;
}
