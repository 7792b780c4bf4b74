import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { TLSSocket, createSecureContext } from "node:tls";
import type { Certificate } from "./certificate.ts";

export interface TwoFacedSite {
  port: number;
  requests: {
    path: string;
    secure: boolean;
    /** Whether a TLS session of an earlier connection was resumed. */
    resumed: boolean;
    connection: number;
  }[];
  /** Closes every open connection, like an idle timeout. */
  dropConnections(): Promise<void>;
  close(): Promise<void>;
}

/** Speaks http and https on one port, so that an upgrade by HSTS reaches it as well. */
export async function startTwoFacedSite(
  certificate: Certificate,
  answer: RequestListener,
): Promise<TwoFacedSite> {
  const requests: TwoFacedSite["requests"] = [];
  const numbers = new WeakMap<object, number>();
  const sockets = new Set<Socket>();
  let connections = 0;
  const http = createServer((request, response) => {
    const { socket } = request;
    const secure = socket instanceof TLSSocket;
    requests.push({
      path: request.url ?? "",
      secure,
      resumed: secure && socket.isSessionReused(),
      connection: numbers.get(socket) ?? 0,
    });
    answer(request, response);
  });
  http.keepAliveTimeout = 30_000;
  const secureContext = createSecureContext(certificate);
  const front = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("readable", () => {
      const start = socket.read() as Buffer | null;
      if (!start) return;
      socket.unshift(start);
      const secure = start[0] === 0x16;
      const spoken = secure ? new TLSSocket(socket, { isServer: true, secureContext }) : socket;
      spoken.on("error", () => socket.destroy());
      numbers.set(spoken, (connections += 1));
      http.emit("connection", spoken);
    });
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  return {
    port: (front.address() as AddressInfo).port,
    requests,
    async dropConnections() {
      const open = [...sockets].filter(({ closed }) => !closed);
      await Promise.all(
        open.map((socket) => {
          socket.destroy();
          return new Promise((resolve) => socket.once("close", resolve));
        }),
      );
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        front.close(() => resolve());
      }),
  };
}
