import { once } from "node:events";
import { IncomingMessage, type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { mostPipelined, oneAtATime } from "../../../api/edge/one-at-a-time.ts";
import { dial, read } from "../../raw.ts";

/** Sends the requests for these paths over one connection at once. */
async function pipelined(serve: RequestListener, paths: readonly string[]) {
  const server = createServer(oneAtATime(serve)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const socket = await dial(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
  return { socket, text: textOf(socket) };
}

async function textOf(socket: Awaited<ReturnType<typeof dial>>) {
  let text = "";
  socket.on("data", (part: Buffer) => (text += part.toString()));
  await read(socket, Date.now(), 10_000);
  return text;
}

const bodiesIn = (text: string) => [...text.matchAll(/\r\n\r\n(\/\d*)/g)].map(([, body]) => body);
const paths = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`);

test("each request is served after the answer to the one before, in its own turn", async () => {
  let turn = 0;
  let inFlight = 0;
  const turns = new Set<number>();
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  const { text } = await pipelined(({ url = "" }, response) => {
    inFlight += 1;
    expect(inFlight).toBe(1);
    turns.add(turn);
    const end = () => {
      inFlight -= 1;
      response.setHeader("connection", url === "/9" ? "close" : "keep-alive");
      response.end(url);
    };
    // Some answers come at once, others later.
    if (Number(url.slice(1)) % 3 === 0) setTimeout(end, 5);
    else end();
  }, paths(10));
  expect(bodiesIn(await text)).toEqual(paths(10));
  isOver = true;
  expect(turns.size).toBe(10);
});

test("requests behind an answer that closes the connection are not served", async () => {
  const served: string[] = [];
  const { text } = await pipelined(({ url = "" }, response) => {
    served.push(url);
    response.setHeader("connection", "close");
    response.end(url);
  }, paths(50));
  expect(bodiesIn(await text)).toEqual(["/0"]);
  expect(served).toEqual(["/0"]);
});

test("a connection with too many waiting requests is closed", async () => {
  let served = 0;
  const { text } = await pipelined(() => (served += 1), paths(mostPipelined + 2));
  expect(await text).toBe("");
  expect(served).toBe(1);
});

test("Node makes no requests of the bytes behind one that closes the connection", async () => {
  let made = 0;
  class Counted extends IncomingMessage {
    constructor(socket: ConstructorParameters<typeof IncomingMessage>[0]) {
      super(socket);
      made += 1;
    }
  }
  const server = createServer(
    { IncomingMessage: Counted },
    oneAtATime(() => undefined),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The second connection may get the parser of the first.
  for (let connection = 1; connection <= 2; connection += 1) {
    made = 0;
    const socket = await dial(url);
    socket.write(
      paths(600)
        .map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
        .join(""),
    );
    expect(await textOf(socket)).toBe("");
    expect(made).toBeLessThan(mostPipelined + 5);
  }
});
