import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EgressError, parseEgressAllow } from "../../../runtime/egress/rules.ts";
import { dialThrough, startEgressService } from "../../../worker/egress/service.ts";

let target: Server;
let connections: number;
let service: Awaited<ReturnType<typeof startEgressService>>;
let via: string;
let port: number;

beforeEach(async () => {
  connections = 0;
  target = createServer((socket) => {
    connections += 1;
    socket.write("welcome ");
    socket.pipe(socket);
    socket.on("error", () => {});
  }).listen(0, "0.0.0.0");
  await once(target, "listening");
  port = (target.address() as AddressInfo).port;
  const names: Record<string, string[]> = {
    "allowed.example": ["127.0.0.1"],
    "inside.example": ["127.0.0.2"],
    "mixed.example": ["127.0.0.1", "10.0.0.1"],
  };
  service = await startEgressService(
    {
      allow: parseEgressAllow([`127.0.0.1:${port}`, "127.0.0.1:1"]),
      resolve: async (name) =>
        (names[name] ?? []).map((address) => ({ address, family: 4 as const })),
    },
    { host: "127.0.0.1", port: 0 },
  );
  via = `127.0.0.1:${(service.address() as AddressInfo).port}`;
});

afterEach(() => {
  service.closeAllConnections();
  service.close();
  target.close();
});

test.each(["127.0.0.1", "allowed.example"])("bytes pass both ways to %s", async (host) => {
  const socket = await dialThrough(via, host, port);
  socket.setEncoding("utf8").write("hello");
  let text = "";
  for await (const chunk of socket) {
    text += chunk as string;
    if (text.includes("hello")) break;
  }
  expect(text).toBe("welcome hello");
});

test.each(["127.0.0.2", "inside.example", "mixed.example", "::1", "169.254.169.254", "localhost."])(
  "%s is refused without being dialled",
  async (host) => {
    // The name localhost means 127.0.0.1, which is allowed on the target's port only.
    const targetPort = host === "localhost." ? 80 : port;
    const error = await dialThrough(via, host, targetPort).catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(EgressError);
    expect((error as EgressError).fault).toBe("blocked");
    expect(connections).toBe(0);
  },
);

test("the decoy listens", async () => {
  const socket = (await import("node:net")).connect(port, "127.0.0.2");
  await once(socket, "data");
  expect(connections).toBe(1);
  socket.destroy();
});

test("an unknown name and a silent peer have different errors", async () => {
  await expect(dialThrough(via, "nobody.example", 80)).rejects.toMatchObject({
    fault: "no_such_host",
  });
  const refused = await dialThrough(via, "127.0.0.1", 1).catch((problem: unknown) => problem);
  expect(refused).not.toBeInstanceOf(EgressError);
  expect((refused as Error).message).toContain("cannot be reached");
});

test("it is a tunnel and nothing else", async () => {
  expect((await fetch(`http://${via}/health`)).status).toBe(200);
  expect((await fetch(`http://${via}/`)).status).toBe(405);
});
