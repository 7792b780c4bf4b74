import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A web site on loopback that counts its visitors; the path selects the content. */
export interface Origin {
  url: string;
  /** host:port, for EGRESS_ALLOW. */
  address: string;
  /** Visits of a path so far. */
  visits(path: string): number;
  /** Requests whose connection closed before the answer was written. */
  aborted(): number;
  /** Answers `status` to the next visits of the path, one each, then 200. */
  script(path: string, statuses: number[]): void;
  /** Visits of the path wait for their answer until the returned function is called. */
  hold(path: string): () => void;
  stop(): Promise<void>;
}

export async function startOrigin(): Promise<Origin> {
  const seen = new Map<string, number>();
  const scripts = new Map<string, number[]>();
  const holds = new Map<string, Promise<void>>();
  let aborted = 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url as string, "http://origin");
    if (url.pathname === "/favicon.ico") return void response.writeHead(204).end();
    seen.set(url.pathname, (seen.get(url.pathname) ?? 0) + 1);
    response.once("close", () => {
      if (!response.writableFinished) aborted += 1;
    });
    await sleep(Number(url.searchParams.get("ms") ?? 0));
    await holds.get(url.pathname);
    const status =
      scripts.get(url.pathname)?.shift() ?? Number(url.searchParams.get("status") ?? 200);
    const size = Number(url.searchParams.get("size") ?? 0);
    response.writeHead(status, { "content-type": "text/html; charset=utf-8" });
    response.end(
      `<!doctype html><title>${status}</title><p>${status === 200 ? `page ${url.pathname}` : "fault"}</p>` +
        `<p>${"x".repeat(size)}</p>`,
    );
  }

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${address}`,
    address,
    visits: (path) => seen.get(path) ?? 0,
    aborted: () => aborted,
    script: (path, statuses) => void scripts.set(path, [...statuses]),
    hold(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      holds.set(path, promise);
      return resolve;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
