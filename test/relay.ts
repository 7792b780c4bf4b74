import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";

/** A proxy for a server that treats its connections like networks and fail-overs do. */
export interface Relay {
  /** The same URL with this relay as host and port. */
  through(url: string): string;
  /** New connections go to another port; open ones stay. */
  switchTo(port: number): void;
  /** Open connections stay open and carry nothing more, in either direction; new ones work. */
  swallow(): void;
  open(): number;
  stop(): void;
}

/** Relays to a port of 127.0.0.1. */
export async function startRelay(target: number): Promise<Relay> {
  let port = target;
  const pairs = new Set<{ ends: [Socket, Socket]; swallows: boolean }>();
  const server = createServer((caller) => {
    const called = connect(port, "127.0.0.1");
    const ends: [Socket, Socket] = [caller, called];
    const pair = { ends, swallows: false };
    pairs.add(pair);
    for (const [from, to] of [ends, ends.toReversed() as [Socket, Socket]]) {
      from.setNoDelay(true);
      from.on("data", (bytes) => void (pair.swallows || to.write(bytes)));
      from.on("error", () => from.destroy());
      from.on("close", () => {
        // A network that has lost a connection does not report its end either.
        if (!pair.swallows) to.destroy();
        if (from.destroyed && to.destroyed) pairs.delete(pair);
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = (server.address() as AddressInfo).port;
  return {
    through(url) {
      const told = new URL(url);
      told.hostname = "127.0.0.1";
      told.port = String(own);
      return told.href;
    },
    switchTo(next) {
      port = next;
    },
    swallow() {
      for (const pair of pairs) pair.swallows = true;
    },
    open: () => pairs.size,
    stop() {
      server.close();
      for (const { ends } of pairs) for (const end of ends) end.destroy();
    },
  };
}
