import type { Operation } from "../contract/operation.ts";
import type { OlderVersion } from "../contract/version.ts";
import type { Response } from "./call.ts";

/** Changes what callers of an older version send and get. */

type Json = { [key: string]: unknown };

/** Upgrades a body of an older version; validation refuses anything but a JSON object later. */
export function upgraded(op: Operation, body: unknown, older: OlderVersion | undefined): unknown {
  if (!older?.upgrade || typeof body !== "object" || body === null || Array.isArray(body))
    return body;
  return older.upgrade(op.id, body as Json);
}

/** The parameters of an operation in one object. Only bodies change between versions. */
export function upgradedInput(
  op: Operation,
  input: Readonly<Record<string, unknown>>,
  older: OlderVersion | undefined,
): Record<string, unknown> {
  return (op.method === "POST" ? upgraded(op, input, older) : input) as Record<string, unknown>;
}

export function downgraded(
  op: Pick<Operation, "id">,
  response: Response,
  older: OlderVersion,
): Response {
  if (!older.downgrade || response.status !== 200) return response;
  const envelope = JSON.parse(response.body.toString()) as Json;
  return { ...response, body: Buffer.from(JSON.stringify(older.downgrade(op.id, envelope))) };
}

/** Downgrades a success that lacks its billing block, and with it the closing bracket. */
export function downgradedOpen(
  op: Pick<Operation, "id">,
  open: Buffer,
  older: OlderVersion | undefined,
): Buffer {
  if (!older?.downgrade) return open;
  const envelope = JSON.parse(`${open.toString()}}`) as Json;
  return Buffer.from(JSON.stringify(older.downgrade(op.id, envelope)).slice(0, -1));
}
