import { once } from "node:events";
import { type Socket, connect } from "node:net";

/** The answer over a plain connection. */
export interface RawAnswer {
  status: number | undefined;
  headers: string;
  body: string;
  /** Milliseconds until the other side closed. */
  closedAfter: number;
}

/** Opens a connection to a http URL's host and port. */
export async function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  return socket;
}

/** Sends raw bytes and reads until the other side closes, at most `withinMs`. */
export async function exchange(url: string, bytes: string, withinMs = 60_000): Promise<RawAnswer> {
  const socket = await dial(url);
  const startedAt = Date.now();
  socket.write(bytes, "latin1");
  return read(socket, startedAt, withinMs);
}

/** Like `exchange`, but leaves after the first answer, for connections that stay open. */
export async function firstAnswer(url: string, bytes: string): Promise<RawAnswer> {
  const socket = await dial(url);
  let text = "";
  socket.on("data", (part: Buffer | string) => {
    text += part.toString("latin1");
    const [head = "", body] = text.split("\r\n\r\n", 2);
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    if (body !== undefined && length !== undefined && body.length >= Number(length))
      socket.destroy();
  });
  socket.write(bytes, "latin1");
  return read(socket, Date.now(), 60_000);
}

export async function read(
  socket: Socket,
  startedAt: number,
  withinMs: number,
): Promise<RawAnswer> {
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => (text += part));
  socket.on("error", () => undefined);
  const timer = setTimeout(() => socket.destroy(), withinMs);
  if (!socket.closed) await once(socket, "close");
  clearTimeout(timer);
  const [headers = "", body = ""] = text.split("\r\n\r\n", 2);
  const status = /^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1];
  return {
    status: status === undefined ? undefined : Number(status),
    headers,
    body,
    closedAfter: Date.now() - startedAt,
  };
}
