import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { ChromiumPart } from "../../local/chromium.ts";
import { readHtml } from "../../worker/browser/page/html.ts";
import type { BrowserConfig } from "../../worker/browser/chromium/pool.ts";
import { startBrowser } from "../../worker/browser/chromium/pool.ts";
import { render } from "../../worker/browser/page/render.ts";
import { fail, ok, warn } from "./check.ts";
import type { Check } from "./check.ts";

export const browserFilter = "SSRF filter (browser)";
const timeoutMs = 10_000;

/** A non-loopback address of this machine: WebRTC sends packets there as to any other host. */
const ownAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

/** HTTP and STUN servers at an internal address that count what arrives; the SSRF filter must block both. */
async function startDecoy(address: string) {
  const count = { requests: 0, datagrams: 0 };
  const server = createServer((_request, response) => response.end("inside"));
  server.on("connection", () => (count.requests += 1));
  server.listen(0, address);
  await once(server, "listening");
  const socket = createSocket("udp4");
  socket.on("message", () => (count.datagrams += 1));
  socket.bind(0, address);
  await once(socket, "listening");
  return {
    count,
    origin: `http://${address}:${(server.address() as AddressInfo).port}`,
    stun: `stun:${address}:${socket.address().port}`,
    close() {
      server.close();
      server.closeAllConnections();
      socket.close();
    },
  };
}

/** A page that tries to reach the decoy by every network API of a browser, and finishes soon after. */
const page = (origin: string, stun: string): string => `<!doctype html><title>egress</title>
<img src="${origin}/picture"><img src="/slow"><script>
fetch("${origin}/fetch", { mode: "no-cors" }).catch(() => {});
new WebSocket("${origin.replace("http", "ws")}/socket");
const peer = new RTCPeerConnection({ iceServers: [{ urls: "${stun}" }] });
peer.createDataChannel("d");
peer.createOffer().then((offer) => peer.setLocalDescription(offer));
</script>`;

async function open(config: Omit<BrowserConfig, "slots">, url: string): Promise<void> {
  const pool = await startBrowser({ ...config, slots: 1, browsers: 1 });
  try {
    await render(
      pool,
      {
        url,
        account: "doctor",
        waitUntil: "load",
        timeoutMs,
        deadline: monotonicNow() + 2 * timeoutMs,
        signal: AbortSignal.timeout(2 * timeoutMs),
      },
      readHtml,
    );
  } finally {
    await pool.close();
  }
}

/** Checks the SSRF filter in the browser that workers use: a page tries to reach an internal address by TCP and UDP. */
export async function checkBrowserSsrfFilter(found: ChromiumPart): Promise<Check[]> {
  const address = ownAddress();
  if (address === undefined)
    return [warn(browserFilter, "Not checked: this machine has only loopback addresses.")];
  const decoy = await startDecoy(address);
  const site = createServer((request, response) => {
    const answer = () =>
      response.writeHead(200, { "content-type": "text/html" }).end(page(decoy.origin, decoy.stun));
    // A slow picture keeps the page open until its requests are under way.
    if (request.url === "/slow") setTimeout(() => response.end(), 1000);
    else answer();
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  const { port } = site.address() as AddressInfo;
  const { executablePath, launcher, sandbox } = found;
  // The SSRF filter must hold for pages with WebRTC too, which pages of a worker lack.
  const browser = { executablePath, launcher, sandbox, withholdNothing: true };
  const url = `http://127.0.0.1:${port}/`;
  try {
    await open({ ...browser, egressAllow: [`127.0.0.1:${port}`] }, url);
    const { requests, datagrams } = { ...decoy.count };
    if (requests + datagrams > 0)
      return [
        fail(
          browserFilter,
          `A page reached ${address}: ${requests} connections, ${datagrams} WebRTC datagrams. Stop the browser workers and install another build.`,
        ),
      ];
    // The same page without the SSRF filter, as proof that the page tries.
    await open(
      {
        ...browser,
        egressAllow: ["0.0.0.0/0", "::/0"],
        egressPorts: [],
        args: ["--webrtc-ip-handling-policy=default", "--force-webrtc-ip-handling-policy=default"],
      },
      url,
    );
    if (decoy.count.requests === 0 || decoy.count.datagrams === 0)
      return [
        warn(
          browserFilter,
          `Without the SSRF filter the page reached ${address} by ${decoy.count.requests === 0 ? "no connection" : "no WebRTC datagram"} either, so this check proves nothing.`,
        ),
      ];
    return [ok(browserFilter, `A page reached ${address} neither by HTTP, WebSocket nor WebRTC.`)];
  } finally {
    decoy.close();
    site.close();
    site.closeAllConnections();
  }
}
