import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";

/**
 * Possible reactions of a webhook receiver: a status, or no answer. `redirect` points to
 * `/elsewhere`.
 */
export type Reaction = number | "hang" | "redirect" | "reset" | "drip" | "slow";

/** One request, whatever its answer was. */
export interface Received {
  path: string;
  event: string;
  at: number;
  headers: Record<string, string>;
  body: string;
  reaction: Reaction;
}

export interface Receiver {
  url: string;
  /** host:port */
  address: string;
  received: Received[];
  /** Events answered with 2xx, and the number of their deliveries. */
  taken(): Map<string, number>;
  /** Called for each request; 204 by default. `earlier` counts those of the same event. */
  answers(reaction: (request: Omit<Received, "reaction">, earlier: number) => Reaction): void;
  /** Most concurrently open requests, by path. */
  mostOpen(path: string): number;
  stop(): Promise<void>;
}

/** Throws unless the official library accepts the request under one of these secrets. */
export function verified(request: Received, secret: string): { type: string; data: unknown } {
  return new Webhook(secret).verify(request.body, request.headers) as {
    type: string;
    data: unknown;
  };
}

/** A real receiver on loopback; over https when it has a certificate. */
export async function startReceiver(
  options: { host?: string; port?: number; tls?: { key: string; cert: string } } = {},
): Promise<Receiver> {
  const { host = "127.0.0.1", port = 0, tls } = options;
  const received: Received[] = [];
  const counts = new Map<string, number>();
  const open = new Map<string, number>();
  const most = new Map<string, number>();
  let reactions: (request: Omit<Received, "reaction">, earlier: number) => Reaction = () => 204;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url as string;
    const now = (open.get(path) ?? 0) + 1;
    open.set(path, now);
    most.set(path, Math.max(most.get(path) ?? 0, now));
    response.once("close", () => open.set(path, (open.get(path) ?? 1) - 1));
    const body = Buffer.concat(await request.toArray()).toString();
    const event = String(request.headers["webhook-id"]);
    const headers = request.headers as Record<string, string>;
    const seen = { path, event, at: Date.now(), headers, body };
    const earlier = counts.get(event) ?? 0;
    counts.set(event, earlier + 1);
    const reaction = reactions(seen, earlier);
    received.push({ ...seen, reaction });
    switch (reaction) {
      case "hang":
        return;
      case "reset":
        return void request.socket.resetAndDestroy();
      case "redirect":
        return void response.writeHead(307, { location: "/elsewhere" }).end();
      case "drip":
        response.writeHead(200);
        while (!response.destroyed) {
          response.write("x".repeat(64));
          await sleep(20);
        }
        return;
      case "slow":
        await sleep(300);
        return void response.writeHead(200).end();
      default:
        return void response.writeHead(reaction).end(reaction === 204 ? "" : `answer ${reaction}`);
    }
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response).catch(() => response.destroy());
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.listen(port, host);
  await once(server, "listening");
  const address = `${host}:${(server.address() as AddressInfo).port}`;
  return {
    url: `http${tls ? "s" : ""}://${address}`,
    address,
    received,
    taken() {
      const taken = new Map<string, number>();
      for (const { event, reaction } of received) {
        const isTaken = (typeof reaction === "number" && reaction < 300) || reaction === "slow";
        if (isTaken) taken.set(event, (taken.get(event) ?? 0) + 1);
      }
      return taken;
    },
    answers: (reaction) => (reactions = reaction),
    mostOpen: (path) => most.get(path) ?? 0,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
