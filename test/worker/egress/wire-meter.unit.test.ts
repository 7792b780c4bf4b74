import { once } from "node:events";
import { type AddressInfo, type Server, type Socket, connect, createServer } from "node:net";
import { PassThrough } from "node:stream";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { meter } from "../../../worker/egress/wire-meter.ts";

/** Longer than a busy machine holds this process up. */
const mostIdleMs = 250;
const large = 8_000_000;
let server: Server;
let socket: Socket;
let site: Socket;
let closed: Promise<unknown>;
beforeEach(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  [site] = (await once(server, "connection")) as [Socket];
  site.on("error", () => undefined);
  // A connection may close before a test comes to wait for it.
  closed = once(socket, "close");
});
afterEach(() => {
  socket.destroy();
  site.destroy();
  server.close();
});

test("a connection without an answer under way is ended after its idle time", async () => {
  meter(socket, () => undefined, mostIdleMs);
  site.write("a whole answer");
  await closed;
});

test("one whose bytes waited while this process stood still stays until it is idle again", async () => {
  let counted = 0;
  meter(socket, (bytes) => (counted += bytes), mostIdleMs);
  await sleep(10);
  // From here on the loop looks at its timers before it reads what has come.
  await setImmediate();
  site.write("an answer");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * mostIdleMs);
  await Promise.race([once(socket, "data"), closed]);
  expect(counted).toBe("an answer".length);
  await closed;
});

test("one that waits for an answer stays, and so does one whose answer the browser reads slowly", async () => {
  let counted = 0;
  const wire = meter(socket, (bytes) => (counted += bytes), mostIdleMs);
  socket.write("question");
  await sleep(10);
  wire.countSent();
  await sleep(4 * mostIdleMs);
  expect(socket.destroyed).toBe(false);

  const browser = new PassThrough();
  socket.pipe(browser);
  site.write(Buffer.alloc(large));
  await sleep(6 * mostIdleMs);
  expect(socket.isPaused()).toBe(true);
  expect(socket.destroyed).toBe(false);
  browser.resume();
  while (counted < large && !socket.destroyed) await sleep(5);
  expect(counted).toBe(large + "question".length);
  // Once all is read the connection is idle like any other.
  await closed;
});
