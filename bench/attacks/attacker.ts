import { createHash } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Target } from "./attack.ts";
import { attacks } from "./chosen.ts";
import { type SiteAnswer, siteAnswer } from "./crawls.ts";
import { pageAt } from "./pages.ts";

/** The attacker's process: its site, and one attack until its standard input ends. */

/** An attacker has machines of their own: here their work comes after the gateway's. */
setPriority(10);

const target = JSON.parse(process.env["TARGET"] as string) as Omit<Target, "over">;
const attack = attacks[process.argv[2] as string];
if (!attack) throw new Error(`there is no attack ${process.argv[2]}`);

const slowMs = 14_500;
const large = () => `<!doctype html><p>${"lorem ipsum ".repeat(2_300_000)}</p>`;

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url as string, "http://site");
  request.resume();
  if (pathname === "/never" || pathname === "/hang") return;
  const answer = siteAnswer(request.headers.host ?? "", pathname, target.sitePort);
  if (answer) {
    sendAnswer(answer, response);
    return;
  }
  if (pathname === "/slow") await sleep(slowMs);
  if (pathname === "/s.js") response.setHeader("content-type", "text/javascript");
  else response.setHeader("content-type", "text/html; charset=utf-8");
  response.end(pathname === "/large" ? large() : (pageAt(pathname) ?? "<p>x</p>"));
}

function sendAnswer(
  { type = "text/html", isPacked, body, location, endless }: SiteAnswer,
  response: ServerResponse,
): void {
  if (location !== undefined) response.writeHead(302, { location }).end();
  else if (endless !== undefined) {
    const more = () => {
      while (!response.destroyed && response.write(endless));
    };
    response.writeHead(200, { "content-type": type }).on("drain", more);
    more();
  } else if (body === undefined) response.writeHead(404).end();
  else {
    const packed = isPacked ? { "content-encoding": "gzip" } : {};
    response.writeHead(200, { "content-type": type, ...packed }).end(body);
  }
}

const site = createServer((request, response) => void serve(request, response));
site.on("upgrade", (request, socket) => {
  const text = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash("sha1").update(text).digest("base64");
  socket.on("error", () => undefined).resume();
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
});
site.listen(target.sitePort, "127.0.0.1");
await once(site, "listening");

const over = new AbortController();
process.stdin.once("end", () => over.abort()).resume();
process.stdout.write("ready\n");
await attack.run({ ...target, over: over.signal });
process.exit(0);
