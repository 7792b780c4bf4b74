import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { type Fate, lateMs } from "./fate.ts";

/** A relay in front of a store that numbers the round trips through it and gives one of them a fate. */

/** Part of what a client sends; `label` names the round trip that the part completes. */
export interface Request {
  bytes: Buffer;
  /** True where the store answers the part, and the answer ends the round trip. */
  isTrip: boolean;
  /** Undefined where a round trip has no effect worth a fate, such as the set-up of a connection. */
  label?: string | undefined;
}

export interface Reply {
  bytes: Buffer;
  /** True where the oldest open round trip ends with these bytes. */
  ends: boolean;
  /** Name of what the store sends unasked; no round trip is open for it. */
  pushed?: string;
}

/** Splits the bytes of one connection; keeps what is not whole yet. */
export interface Protocol {
  requests(bytes: Buffer): Request[];
  replies(bytes: Buffer): Reply[];
}

export interface StoreRelay {
  /** The same URL with this relay as host and port. */
  through(url: string): string;
  stop(): void;
}

export interface Watch {
  /** Called for each labelled round trip as it is sent, and for what a store sends unasked; returns its fate, if any. */
  fateOf(label: string): Fate | undefined;
  /** Ends the process that sent it. */
  kill(): void;
}

interface Trip {
  fate: Fate | undefined;
  reply: Buffer[];
}

class Connection {
  readonly #client: Socket;
  readonly #store: Socket;
  readonly #watch: Watch;
  readonly #open: Trip[] = [];
  /** The network loses every further request. */
  #losesRequests = false;
  /** The network loses every further reply. */
  #losesReplies = false;
  /** Replies that wait behind a late one. */
  #waiting: Buffer[] | undefined;

  constructor(client: Socket, store: Socket, protocol: Protocol, watch: Watch) {
    this.#client = client;
    this.#store = store;
    this.#watch = watch;
    client.on("data", (bytes) => {
      for (const request of protocol.requests(bytes)) this.#send(request);
    });
    store.on("data", (bytes) => {
      for (const reply of protocol.replies(bytes)) this.#answer(reply);
    });
    for (const [from, to] of [
      [client, store],
      [store, client],
    ] as const) {
      from.setNoDelay(true);
      from.on("error", () => from.destroy());
      from.on("close", () => {
        // A client behind a lost connection does not learn that the store closed it.
        if (from === client || !this.#losesReplies) to.destroy();
      });
    }
  }

  #send({ bytes, isTrip, label }: Request): void {
    if (this.#losesRequests) return;
    const fate = isTrip && label !== undefined ? this.#watch.fateOf(label) : undefined;
    if (isTrip) this.#open.push({ fate, reply: [] });
    if (fate === "request lost") {
      this.#losesRequests = true;
      return;
    }
    if (fate === "request cut") {
      this.#losesRequests = true;
      this.#store.end(bytes.subarray(0, bytes.length >> 1));
      this.#client.destroy();
      return;
    }
    this.#losesRequests = fate === "answer lost" || fate === "killed";
    this.#store.write(bytes);
  }

  #answer({ bytes, ends, pushed }: Reply): void {
    if (pushed !== undefined) return this.#deliver(bytes, this.#watch.fateOf(pushed));
    const [trip] = this.#open;
    if (trip?.fate === undefined) {
      if (ends) this.#open.shift();
      return this.#pass(bytes);
    }
    trip.reply.push(bytes);
    if (!ends) return;
    this.#open.shift();
    this.#deliver(Buffer.concat(trip.reply), trip.fate);
  }

  #deliver(bytes: Buffer, fate: Fate | undefined): void {
    switch (fate) {
      case undefined:
        return this.#pass(bytes);
      case "answer late":
        this.#waiting = [bytes];
        setTimeout(() => {
          const waiting = this.#waiting ?? [];
          this.#waiting = undefined;
          for (const each of waiting) this.#pass(each);
        }, lateMs);
        return;
      case "answer cut":
        this.#losesReplies = true;
        this.#client.end(bytes.subarray(0, bytes.length >> 1));
        this.#store.destroy();
        return;
      case "killed":
        this.#watch.kill();
    }
    this.#losesReplies = true;
    this.#losesRequests = true;
  }

  #pass(bytes: Buffer): void {
    if (this.#waiting) this.#waiting.push(bytes);
    else if (!this.#losesReplies && !this.#client.destroyed) this.#client.write(bytes);
  }
}

/** Relays to the store at a port of 127.0.0.1. */
export async function startStoreRelay(
  port: number,
  protocol: () => Protocol,
  watch: Watch,
): Promise<StoreRelay> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const store = connect(port, "127.0.0.1");
    for (const socket of [client, store]) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    }
    new Connection(client, store, protocol(), watch);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = (server.address() as AddressInfo).port;
  return {
    through(url) {
      const relayed = new URL(url);
      relayed.hostname = "127.0.0.1";
      relayed.port = String(own);
      return relayed.href;
    },
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
