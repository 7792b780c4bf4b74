import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** Replaces or damages a path's usual answer. Plain JSON, so that it crosses processes. */
export type Fault =
  | { kind: "pass" }
  | { kind: "status"; status: number; headers?: Record<string, string>; json?: unknown }
  | { kind: "delay"; ms: number }
  /** The usual answer, once the simulator releases what it holds. */
  | { kind: "hold" }
  /** One header line each second, without end. */
  | { kind: "drip_headers" }
  /** The usual answer, one byte a second. */
  | { kind: "drip_body" }
  | { kind: "silence" }
  | { kind: "reset"; after: "request" | "headers" }
  /** Half of the usual answer under its full length. */
  | { kind: "truncate" }
  /** Half of the usual answer without a length, with a well-formed end. */
  | { kind: "half" }
  /** `bytes` of blanks, compressed. */
  | { kind: "bomb"; encoding: "gzip" | "br"; bytes: number }
  | { kind: "flood"; bytes: number }
  | { kind: "content_type"; value: string }
  | { kind: "encode"; encoding: string; base64: string }
  | { kind: "bad_json" };

/** A usual answer, ready to be sent. */
export interface Rendered {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export async function play(fault: Fault, usual: Rendered, response: ServerResponse): Promise<void> {
  const { socket } = response;
  switch (fault.kind) {
    case "pass":
    case "hold":
      return whole(response, usual);
    case "status": {
      const body = fault.json === undefined ? "" : JSON.stringify(fault.json);
      const headers = { "content-type": "application/json", ...fault.headers };
      return whole(response, { status: fault.status, headers, body: Buffer.from(body) });
    }
    case "delay":
      await sleep(fault.ms);
      return whole(response, usual);
    case "drip_headers":
      return drip(response, ["HTTP/1.1 200 OK\r\n"], (count) => `X-Drip-${count}: 1\r\n`);
    case "drip_body": {
      const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${usual.body.length}\r\n\r\n`;
      return drip(response, [head], (count) => usual.body.subarray(count, count + 1));
    }
    case "silence":
      return;
    case "reset":
      if (fault.after === "headers") {
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
        response.flushHeaders();
        await sleep(50);
      }
      socket?.resetAndDestroy();
      return;
    case "truncate": {
      const headers = { ...usual.headers, "content-length": String(usual.body.length) };
      response.writeHead(usual.status, headers);
      response.write(usual.body.subarray(0, usual.body.length / 2), () => socket?.destroy());
      return;
    }
    case "half":
      response.writeHead(usual.status, usual.headers);
      response.end(usual.body.subarray(0, usual.body.length / 2));
      return;
    case "bomb":
      return pour(response, { "content-encoding": fault.encoding }, packed(fault));
    case "flood":
      return pour(response, {}, repeated(Buffer.alloc(1_000_000, " "), fault.bytes / 1_000_000));
    case "content_type":
      return whole(response, { ...usual, headers: { "content-type": fault.value } });
    case "encode":
      return whole(response, {
        ...usual,
        headers: { ...usual.headers, "content-encoding": fault.encoding },
        body: Buffer.from(fault.base64, "base64"),
      });
    case "bad_json":
      return whole(response, { ...usual, body: Buffer.from("{]") });
  }
}

export function whole(response: ServerResponse, answer: Rendered): void {
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}

function drip(
  response: ServerResponse,
  head: string[],
  next: (count: number) => string | Buffer,
): void {
  const { socket } = response;
  if (!socket) return;
  for (const line of head) socket.write(line);
  let count = 0;
  const timer = setInterval(() => {
    socket.write(next(count));
    count += 1;
  }, 1000);
  socket.once("close", () => clearInterval(timer));
}

async function pour(
  response: ServerResponse,
  headers: Record<string, string>,
  chunks: Iterable<Buffer>,
): Promise<void> {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  for (const chunk of chunks) {
    if (response.destroyed) return;
    if (!response.write(chunk)) {
      await new Promise<void>((resolve) => {
        const go = () => {
          response.off("drain", go).off("close", go);
          resolve();
        };
        response.on("drain", go).on("close", go);
      });
    }
  }
  response.end();
}

function* repeated(chunk: Buffer, times: number): Iterable<Buffer> {
  for (let count = 0; count < times; count += 1) yield chunk;
}

const bombs = new Map<string, Buffer>();
const memberBytes = 10_000_000;

/**
 * A gzip file is a series of members, so one of 10 MB serves any size; brotli is packed in one
 * piece.
 */
function packed(bomb: { encoding: "gzip" | "br"; bytes: number }): Iterable<Buffer> {
  const size = bomb.encoding === "gzip" ? memberBytes : bomb.bytes;
  const key = `${bomb.encoding} ${size}`;
  let piece = bombs.get(key);
  if (!piece) {
    const blanks = Buffer.alloc(size, " ");
    piece =
      bomb.encoding === "gzip"
        ? gzipSync(blanks)
        : brotliCompressSync(blanks, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    bombs.set(key, piece);
  }
  return repeated(piece, bomb.encoding === "gzip" ? bomb.bytes / size : 1);
}
