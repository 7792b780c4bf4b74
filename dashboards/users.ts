import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import * as z from "zod";

/** An operator may change things, a viewer may only read. */
export type Role = "operator" | "viewer";

/** A named user of the dashboards, as an entry of DASHBOARDS_USERS: `name:role:hash`. */
export interface NamedUser {
  user: string;
  role: Role;
  /** `scrypt.15.8.3.<salt>.<key>`: logarithm of N, r, p, and two values in base64url. */
  hash: string;
}

export const userName = /^[^:\s\p{Cc}]{1,100}$/u;

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
/** One of OWASP's equal choices for scrypt: 32 MB and about 0.1 s. */
const usualCost = { log: 15, r: 8, p: 3 };
const keyBytes = 32;
const hashForm = /^scrypt\.(\d{1,2})\.(\d{1,2})\.(\d{1,2})\.([\w-]{16,})\.([\w-]{43})$/;

async function keyOf(
  password: string,
  salt: Buffer,
  { log, r, p }: typeof usualCost,
): Promise<Buffer> {
  const N = 2 ** log;
  return derive(password, salt, keyBytes, { N, r, p, maxmem: 256 * N * r });
}

/** The hash to put into DASHBOARDS_USERS. */
export async function hashPassword(password: string, cost = usualCost): Promise<string> {
  const salt = randomBytes(16);
  const key = await keyOf(password, salt, cost);
  const text = [salt, key].map((bytes) => bytes.toString("base64url"));
  return ["scrypt", cost.log, cost.r, cost.p, ...text].join(".");
}

export async function matchesHash(password: string, hash: string): Promise<boolean> {
  const [, log, r, p, salt = "", key = ""] = hashForm.exec(hash) ?? [];
  const found = await keyOf(password, Buffer.from(salt, "base64url"), {
    log: Number(log),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(found, Buffer.from(key, "base64url"));
}

function entryOf(text: string): NamedUser | undefined {
  const [user = "", role, hash = "", ...rest] = text.split(":");
  const [, log, r, p] = hashForm.exec(hash)?.map(Number) ?? [];
  const isBounded = Number(log) >= 14 && Number(log) <= 18 && Number(r) >= 1 && Number(p) >= 1;
  if (!isBounded || rest.length > 0 || !userName.test(user)) return undefined;
  return role === "operator" || role === "viewer" ? { user, role, hash } : undefined;
}

/** Entries separated by line ends or spaces. A problem names an entry by its number, because it holds a secret. */
export const namedUsers = z
  .string()
  .regex(/\S/, "name:role:hash, separated by line ends")
  .default("")
  .transform((text, context) => {
    const found = text.split(/\s+/).filter(Boolean).map(entryOf);
    const wrong = found.indexOf(undefined);
    const users = found.filter((one) => one !== undefined);
    const names = users.map(({ user }) => user);
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (wrong >= 0) {
      const message = `entry ${wrong + 1} is not name:role:hash as \`gateway users hash\` prints it`;
      context.addIssue({ code: "custom", message });
    } else if (twice !== undefined) {
      context.addIssue({ code: "custom", message: `${twice} is there twice` });
    }
    return users;
  });
