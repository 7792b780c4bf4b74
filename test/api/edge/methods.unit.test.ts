import { METHODS, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { unauthorized } from "../../../api/auth.ts";
import { createMetrics } from "../../../runtime/metrics.ts";
import { caller } from "./caller.ts";

const app = createApp({
  authenticate: async (authorization) => {
    if (authorization === undefined) throw unauthorized();
    return caller;
  },
  olderVersions: new Map(),
  metrics: createMetrics(),
  draining: () => false,
});
app.get("/things", () => "");
app.post("/things", () => "");
await app.listen({ host: "127.0.0.1", port: 0 });
const { port } = app.server.address() as AddressInfo;
afterAll(() => app.close());

interface Sent {
  method: string;
  path: string;
  body?: string;
  headers?: Record<string, string>;
}

function answerTo({ method, path, body = "", headers = {} }: Sent) {
  const length = body ? { "content-length": String(Buffer.byteLength(body)) } : {};
  return new Promise<{ status: number | undefined; allow: string | undefined }>(
    (resolve, reject) => {
      const sent = request(
        { host: "127.0.0.1", port, method, path, agent: false, headers: { ...length, ...headers } },
        (answer) => {
          answer.resume();
          resolve({ status: answer.statusCode, allow: answer.headers.allow });
        },
      );
      sent.on("error", reject);
      sent.end(body);
    },
  );
}

const key = { authorization: "Bearer a" };
const json = { ...key, "content-type": "application/json" };
const others = METHODS.filter((one) => !["GET", "POST", "CONNECT"].includes(one));

test.each(others)("%s is a wrong method, whatever body it carries", async (method) => {
  for (const [body, headers] of [
    ["", key],
    ["{}", json],
    ["a=b", { ...key, "content-type": "application/x-www-form-urlencoded" }],
    ["{}", key],
  ] as const) {
    // The bodies of these are read first, like those of the methods that have a route.
    if (["PATCH", "PUT"].includes(method) && body !== "" && headers !== json) continue;
    const known = await answerTo({ method, path: "/things", body, headers });
    expect(known, `${body} ${JSON.stringify(headers)}`).toEqual({
      status: 405,
      allow: "GET, POST",
    });
    expect(await answerTo({ method, path: "/other", body, headers })).toMatchObject({
      status: 404,
    });
  }
});

test("CONNECT, which no path has, is answered with the methods of the gateway", async () => {
  const socket = connect(port, "127.0.0.1");
  socket.end("CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n");
  let answer = "";
  for await (const bytes of socket) answer += String(bytes);
  expect(answer).toMatch(/^HTTP\/1\.1 405 [^]*\r\nallow: GET, HEAD, POST, PATCH, DELETE\r\n/);
});

test("a body of a method that takes none is refused behind the key", async () => {
  const sent = { method: "GET", path: "/things", body: "{}" };
  expect(await answerTo({ ...sent, headers: json })).toMatchObject({ status: 400 });
  expect(await answerTo(sent)).toMatchObject({ status: 401 });
  expect(await answerTo({ ...sent, path: "/other" })).toMatchObject({ status: 401 });
});
