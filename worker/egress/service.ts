import { createServer } from "node:http";
import type { Server } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { dialChecked } from "./dial.ts";
import { EgressError } from "../../runtime/egress/rules.ts";
import type { EgressFault, EgressPolicy } from "../../runtime/egress/rules.ts";

/**
 * The second SSRF filter of a deployment. Browser workers stand on a network without a way out and reach the
 * outside only by CONNECT through this service. It resolves, checks and dials by the same rules as the worker's
 * own proxy, and it resolves names itself because that network has no name server.
 */

/** The service itself gives up after 10 s. */
const dialThroughMs = 20_000;
const idleMs = 120_000;
const faultHeader = "egress-fault";
const faults: readonly string[] = [
  "blocked",
  "no_such_host",
  "lookup_failed",
] satisfies EgressFault[];

/** Starts to listen. The service answers 200 to `GET /health` and 405 to every other request than CONNECT. */
export async function startEgressService(
  policy: EgressPolicy,
  listen: { host: string; port: number },
): Promise<Server> {
  const server = createServer((request, response) => {
    response.writeHead(request.url === "/health" ? 200 : 405, { connection: "close" }).end();
  });
  server.on("connect", (request, client, head) => {
    client.on("error", () => client.destroy());
    const target = URL.parse(`https://${request.url ?? ""}`);
    const refuse = (status: string, fault: string) =>
      client.end(`HTTP/1.1 ${status}\r\n${faultHeader}: ${fault}\r\nConnection: close\r\n\r\n`);
    if (!target || target.pathname !== "/") {
      refuse("400 Bad Request", "blocked");
      return;
    }
    dialChecked(target.hostname, Number(target.port || 443), policy).then(
      (upstream) => {
        upstream.on("error", () => client.destroy());
        for (const [one, other] of [
          [client, upstream],
          [upstream, client],
        ] as const) {
          one.once("close", () => other.destroy());
          one.pipe(other);
        }
        upstream.setTimeout(idleMs, () => upstream.destroy());
        client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        if (head.length > 0) upstream.write(head);
      },
      (error: unknown) => {
        if (error instanceof EgressError) refuse("403 Forbidden", error.fault);
        else refuse("502 Bad Gateway", "unreachable");
      },
    );
  });
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen(listen.port, listen.host, done);
  });
  return server;
}

/** The parts of EGRESS_VIA; undefined where it is no `host:port`. */
export function serviceAddress(via: string): { host: string; port: number } | undefined {
  const [, bracketed, host = bracketed, digits] =
    /^(?:\[([\da-fA-F:.]+)\]|([^\s/:@?#[\]]+)):(\d{1,5})$/.exec(via) ?? [];
  const port = Number(digits);
  return host !== undefined && port > 0 && port <= 65_535 ? { host, port } : undefined;
}

/** Dials `host:port` through the service at `via` ("host:port"). Throws EgressError, as `dialChecked` does. */
export function dialThrough(via: string, host: string, port: number): Promise<Socket> {
  const service = serviceAddress(via);
  const authority = `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
  return new Promise((done, fail) => {
    const socket = connect({ host: service?.host, port: service?.port ?? 0, noDelay: true });
    const timer = setTimeout(() => socket.destroy(new Error("connect timed out")), dialThroughMs);
    let answer = Buffer.alloc(0);
    const failed = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      fail(error);
    };
    const ended = () => failed(new Error("the egress service closed the connection"));
    const read = (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk]);
      const end = answer.indexOf("\r\n\r\n");
      if (end < 0) return answer.length > 8192 ? ended() : undefined;
      const head = answer.toString("latin1", 0, end);
      if (!head.startsWith("HTTP/1.1 200 ")) {
        const fault = new RegExp(`^${faultHeader}: (.*)$`, "im").exec(head)?.[1] ?? "";
        const known = faults.includes(fault);
        return failed(
          known
            ? new EgressError(fault as EgressFault, "refused by the egress service")
            : new Error("destination cannot be reached"),
        );
      }
      clearTimeout(timer);
      socket.off("data", read).off("error", failed).off("close", ended);
      socket.pause();
      const rest = answer.subarray(end + 4);
      if (rest.length > 0) socket.unshift(rest);
      return done(socket);
    };
    socket.once("error", failed);
    socket.once("close", ended);
    socket.on("data", read);
    socket.once("connect", () =>
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`),
    );
  });
}
