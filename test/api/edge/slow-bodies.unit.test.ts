import { once } from "node:events";
import {
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  createServer,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { inPieces, limitBodies, onClientError } from "../../../api/edge/edge.ts";
import { leaveLongBody } from "../../../api/edge/unread-body.ts";
import { dial, read } from "../../raw.ts";

const withinMs = 3000;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/** Sends the head and then a piece after each pause. */
async function send(handler: Handler, pieces: readonly { afterMs: number; text: string }[]) {
  const serve: RequestListener = (request, response) => {
    handler(request, response).catch(() => response.destroy());
  };
  const server = createServer(limitBodies(serve, withinMs));
  server.on("clientError", onClientError);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const socket = await dial(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const answer = read(socket, Date.now(), 60_000);
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 12\r\n\r\n");
  for (const { afterMs, text } of pieces) {
    await sleep(afterMs);
    if (socket.writable) socket.write(text);
  }
  return answer;
}

/** A handler that is slow over each piece. */
const taking =
  (pauseMs: number): Handler =>
  async (request, response) => {
    let text = "";
    for await (const piece of inPieces(request, request, withinMs)) {
      text += String(piece);
      await sleep(pauseMs);
    }
    response.end(text);
  };

const whole: Handler = async (request, response) => {
  let text = "";
  for await (const piece of request) text += String(piece);
  response.end(text);
};

const pieces = (count: number, afterMs: number) =>
  ["one ", "two ", "tri "].slice(0, count).map((text) => ({ afterMs, text }));

test.concurrent("a long body may take longer than the timeout for its next piece", async () => {
  const answer = await send(taking(0), pieces(3, 1100));
  expect([answer.status, answer.body]).toEqual([200, "one two tri "]);
});

test.concurrent("the gateway's own time to store pieces does not count", async () => {
  const answer = await send(taking(withinMs + 500), [{ afterMs: 0, text: "one two tri " }]);
  expect([answer.status, answer.body]).toEqual([200, "one two tri "]);
});

test.concurrent("a long body that stops arriving is given up", async () => {
  const answer = await send(taking(0), pieces(2, 0));
  expect(answer.status).toBe(408);
  expect(JSON.parse(answer.body)).toMatchObject({ error: { issues: [{ code: "timeout" }] } });
});

test.concurrent("any other body must arrive in time as a whole", async () => {
  expect((await send(whole, pieces(3, 1100))).status).toBe(408);
});

test.concurrent("a body without a reader stops holding its connection", async () => {
  const early: Handler = async (_, response) => {
    response.writeHead(400, { connection: "keep-alive", "content-length": 0 }).end();
  };
  const answer = await send(early, pieces(1, 0));
  expect(answer.status).toBe(400);
  expect(answer.closedAfter).toBeLessThan(50_000);
});

/** An early answer while a body of this length is sent without an end: bytes that the server took, and the answer. */
async function refusedBody(length: number) {
  let taken = () => 0;
  const server = createServer((request, response) => {
    taken = () => request.socket.bytesRead;
    leaveLongBody(request, response);
    response.writeHead(429, { "content-length": "7" }).end("refused");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const socket = await dial(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  let sent = 0;
  const piece = "x".repeat(16 * 1024);
  const more = () => {
    while (sent < length && !socket.destroyed) {
      const text = piece.slice(0, length - sent);
      sent += text.length;
      if (!socket.write(text)) break;
    }
  };
  socket.on("drain", more);
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => (text += part));
  // Writing fails once the connection is closed; the answer has come before.
  socket.on("error", () => undefined);
  const answer = new Promise<string>((resolve) => socket.once("close", () => resolve(text)));
  return { socket, more, taken: () => taken(), answer };
}

test("a long body that was refused is not read, its client gets the answer and the connection is closed", async () => {
  const length = 50_000_000;
  const { more, taken, answer } = await refusedBody(length);
  more();
  const text = await answer;
  expect(text).toMatch(/^HTTP\/1\.1 429 .*\r\nconnection: close\r\n.*refused$/is);
  expect(taken()).toBeLessThan(length / 10);
});

test("behind a short body that was refused the connection stays", async () => {
  const { more, socket, answer } = await refusedBody(60_000);
  let answers = 0;
  socket.on("data", (text: string) => {
    answers += text.match(/HTTP\/1\.1 429/g)?.length ?? 0;
    if (answers === 2) socket.destroy();
    else if (answers === 1) {
      more();
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    }
  });
  expect(await answer).not.toMatch(/^connection: close$/im);
  expect(answers).toBe(2);
});
