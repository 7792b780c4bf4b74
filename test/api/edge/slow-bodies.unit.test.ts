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
