import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { canonicalJson } from "../contract/canonical.ts";
import { DatabaseError } from "../db/errors.ts";
import type { EarlierWrite, OwnWrite } from "../db/own-writes.ts";
import { keyReused } from "./claim.ts";
import { readIdempotencyKey } from "./headers.ts";

/** Idempotency-Keys of writes to the gateway itself. */

/** The key of a request and what it stands for; undefined without a key. */
export function writeOf({ raw, method, url, body, id }: FastifyRequest): OwnWrite | undefined {
  const key = readIdempotencyKey(raw);
  if (key === undefined) return undefined;
  const fingerprint = hash("sha256", canonicalJson([method, url, body ?? {}]), "base64url");
  return { key, fingerprint, requestId: id };
}

/** The parts of an answer that say which request it answers. */
export function answerTo(
  earlier: EarlierWrite | undefined,
): { requestId: string; headers: Record<string, string> } | undefined {
  if (!earlier) return undefined;
  return { requestId: earlier.requestId, headers: { "idempotency-replayed": "true" } };
}

/** Runs a step that claims a key; a key of another request is refused. */
export async function keyed<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof DatabaseError && error.code === "key_reused") throw keyReused();
    throw error;
  }
}
