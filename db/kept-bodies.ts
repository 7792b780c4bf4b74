import pLimit from "p-limit";
import type { Database } from "./client.ts";
import { headBytes, unpacked, unpackedBytes } from "./packed.ts";
import { retried } from "./retry.ts";

/** Called with the size of an answer in bytes before it is read; throws to refuse the answer. */
export type Room = (bytes: number) => void;

const storeLimitMs = 10_000;

/** Concurrency limit of reading large bodies: each read takes a connection. */
const loadedAtOnce = 2;
/** A result takes several times its size in memory, so a large body is read in parts, in base64. */
const partBytes = 4 * 1024 * 1024;

interface Measure {
  bytes: number;
  head: Buffer;
  /** The transaction that wrote the body: parts of two versions are never joined. */
  version: string;
}

/** Bodies that are stored apart from their replays. */
export function keptBodies(db: Database) {
  const { sql } = db;
  const loading = pLimit(loadedAtOnce);

  /** Writes a large body before the settle that refers to it, so that no balance is locked meanwhile. */
  async function store(requestId: string, body: Buffer): Promise<void> {
    await db.answer(sql`select store_body(${requestId}, ${body})`, storeLimitMs);
  }

  /** Undefined when the body was pruned meanwhile: it is older than the window. */
  async function load(requestId: string, room?: Room): Promise<Buffer | undefined> {
    for (;;) {
      const [measure] = await retried(() =>
        db.answer(sql<Measure[]>`
          select octet_length(body) as bytes, substring(body for ${headBytes}) as head,
            xmin::text as version
          from bodies where request_id = ${requestId}`),
      );
      if (!measure) return undefined;
      room?.(unpackedBytes(measure.head, measure.bytes));
      const body = await loading(() => whole(requestId, measure));
      if (body) return unpacked(body);
    }
  }

  /** Undefined when the body was replaced while it was read. */
  async function whole(
    requestId: string,
    { bytes, version }: Measure,
  ): Promise<Buffer | undefined> {
    const body = Buffer.allocUnsafe(bytes);
    for (let at = 0; at < bytes; at += partBytes) {
      const [row] = await retried(() =>
        db.answer(
          sql<{ part: string }[]>`
            select encode(substring(body from ${at + 1} for ${partBytes}), 'base64') as part
            from bodies where request_id = ${requestId} and xmin::text = ${version}`,
          storeLimitMs,
        ),
      );
      if (!row) return undefined;
      body.write(row.part, at, "base64");
    }
    return body;
  }

  return { store, load };
}
