import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { caller, failure, get, key, open, upstreamWith, useTransport } from "./rig.ts";

useTransport();

/** An upstream whose answer breaks HTTP is the upstream's fault, never a bug of the gateway. */

let answer: string | Buffer = "";
let isClosing = false;
let server: Server;
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => (isClosing ? socket.end(answer) : socket.write(answer)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const answers: Record<string, string | Buffer> = {
  "another protocol": "SSH-2.0-OpenSSH_9.2\r\n",
  "a mail server": "220 mail.example.com ESMTP\r\n",
  "a frame of HTTP/2": Buffer.from("000006040000000000000100000000", "hex"),
  "a TLS alert": Buffer.from("15030100020246", "hex"),
  "bytes of nothing": Buffer.from([0, 1, 2, 255, 254]),
  "a page without a head": "<html>hello</html>",
  "a request": "GET / HTTP/1.1\r\n\r\n",
  "an unknown version": "HTTP/9.9 200 OK\r\n\r\n",
  "a status of two digits": "HTTP/1.1 99 Low\r\n\r\n",
  "a status of four digits": "HTTP/1.1 1000 High\r\n\r\n",
  "a length that is no number": `${ok}content-length: abc\r\n\r\n`,
  "a negative length": `${ok}content-length: -5\r\n\r\n`,
  "two lengths": `${ok}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`,
  "a length and chunks": `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  "a chunk without a size": `${chunked}zz\r\nhello\r\n`,
  "a chunk larger than any": `${chunked}ffffffffffffffffff\r\nhello\r\n`,
  "a trailer that is none": `${chunked}2\r\nhi\r\n0\r\nbad trailer\r\n\r\n`,
  "a header without a colon": `${ok}no colon here\r\n\r\n`,
  "NUL in a header": `${ok}x: a\0b\r\n\r\n`,
  "a folded header": `${ok} folded: x\r\n\r\n`,
  "bare line feeds": "HTTP/1.1 200 OK\n\nhi",
  "a head of 100 KB": `${ok}x: ${"a".repeat(100_000)}\r\n\r\n`,
  "another protocol from now on": `HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n`,
  "leave to go on": "HTTP/1.1 100 Continue\r\n\r\n",
};

test.each(
  Object.keys(answers).flatMap((name) => [
    [name, "stays open"],
    [name, "is closed"],
  ]),
)("%s, then the connection %s", async (name, end) => {
  answer = answers[name] as string;
  isClosing = end === "is closed";
  const { port } = server.address() as AddressInfo;
  const transport = open({ env: { SIM_BASE_URL: `http://127.0.0.1:${port}`, SIM_KEY: key } });
  const error = await failure(transport.send(upstreamWith(), get, caller()));
  expect(error).toMatchObject({ type: "upstream_error", status: 502 });
  expect(error.message).toBe("The data source answered with an error");
});
