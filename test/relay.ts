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
  /**
   * Once a request like this has gone to the server no answer comes back, and a moment later nothing moves
   * any more, on new connections too, until it goes on; what waited is not lost.
   */
  stallBehind(mark: RegExp): { stalled: Promise<void>; goOn: () => void };
  /** In place of the next answer like this the connection ends; resolves then. */
  loseAnswer(mark: RegExp): Promise<void>;
  /** In place of the answer to the next request like this the connection ends; resolves then. */
  loseAnswerTo(mark: RegExp): Promise<void>;
  /** Ends each connection, open or new, within so many milliseconds, until `stop`: a proxy that loses its server. */
  hangUp(withinMs: number): { stop: () => void };
  open(): number;
  stop(): void;
}

/** A request has come as a whole by then. */
const requestMs = 200;

/** Relays to a port of 127.0.0.1. */
export async function startRelay(target: number): Promise<Relay> {
  let port = target;
  const pairs = new Set<{ ends: [Socket, Socket]; swallows: boolean; isLosing: boolean }>();
  let stall: { mark: RegExp; begun: boolean; begin: () => void } | undefined;
  let lost: { mark: RegExp; told: () => void } | undefined;
  let lostTo: { mark: RegExp; told: () => void } | undefined;
  let hangsUpWithinMs: number | undefined;

  function endSoon({ ends }: { ends: [Socket, Socket] }): void {
    if (hangsUpWithinMs === undefined) return;
    setTimeout(() => ends.forEach((end) => end.destroy()), Math.random() * hangsUpWithinMs);
  }

  function look(bytes: Buffer): void {
    const own = stall;
    if (!own || own.begun || !own.mark.test(bytes.toString("latin1"))) return;
    own.begun = true;
    for (const { ends } of pairs) ends[1].pause();
    // The rest of the request may come in a piece of its own.
    setTimeout(() => {
      if (own !== stall) return;
      for (const { ends } of pairs) ends[0].pause();
      own.begin();
    }, requestMs);
  }

  const server = createServer((caller) => {
    const called = connect(port, "127.0.0.1");
    const ends: [Socket, Socket] = [caller, called];
    const pair = { ends, swallows: false, isLosing: false };
    pairs.add(pair);
    endSoon(pair);
    for (const [from, to] of [ends, ends.toReversed() as [Socket, Socket]]) {
      from.setNoDelay(true);
      from.on("data", (bytes) => {
        if (from === called && lost?.mark.test(bytes.toString("latin1"))) {
          lost.told();
          lost = undefined;
          for (const end of ends) end.destroy();
          return;
        }
        if (from === called && pair.isLosing) {
          for (const end of ends) end.destroy();
          return;
        }
        if (from === caller && lostTo?.mark.test(bytes.toString("latin1"))) {
          pair.isLosing = true;
          called.once("close", lostTo.told);
          lostTo = undefined;
        }
        if (!pair.swallows) to.write(bytes);
        if (from === caller) look(bytes);
      });
      if (stall?.begun) from.pause();
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
    stallBehind(mark) {
      let told: () => void;
      const stalled = new Promise<void>((resolve) => (told = resolve));
      stall = { mark, begun: false, begin: () => told() };
      return {
        stalled,
        goOn() {
          stall = undefined;
          for (const { ends } of pairs) for (const end of ends) end.resume();
        },
      };
    },
    loseAnswer: (mark) => new Promise((told) => (lost = { mark, told })),
    loseAnswerTo: (mark) => new Promise((told) => (lostTo = { mark, told })),
    hangUp(withinMs) {
      hangsUpWithinMs = withinMs;
      for (const pair of pairs) endSoon(pair);
      return { stop: () => (hangsUpWithinMs = undefined) };
    },
    open: () => pairs.size,
    stop() {
      server.close();
      for (const { ends } of pairs) for (const end of ends) end.destroy();
    },
  };
}
