import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answered } from "../../../api/mcp/answers.ts";
import { askOver } from "../../../api/mcp/gateway.ts";

const requested: unknown[] = [];
const server = createServer((request, response) => {
  requested.push(request.url);
  if (request.url === "/moved") response.writeHead(301, { location: "/elsewhere" }).end();
  else if (request.url === "/cut")
    response.writeHead(200, { "content-length": "9" }).write("{", () => response.destroy());
  else if (request.url !== "/silent") response.end(request.url === "/text" ? '"a"' : "<p>a");
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.closeAllConnections());

test.each([
  ["/page", "is not the gateway", "Correct the URL"],
  ["/text", "is not the gateway", "Correct the URL"],
  ["/moved", "redirects to /elsewhere", "Correct the URL"],
  ["/cut", "did not answer: ", "idempotency_key"],
])("what answers %s is refused in the form of every refusal", async (path, message, next) => {
  const { isError, content } = answered(await askOver(url, "")("GET", path), undefined, {});
  expect(isError).toBe(true);
  expect(JSON.parse((content[0] as { text: string }).text)).toMatchObject({
    error: { type: "upstream_unavailable", message: expect.stringContaining(message) as string },
    next: expect.stringContaining(next) as string,
  });
  // No input of a tool goes to another address.
  expect(requested.at(-1)).toBe(path);
});

test("a gateway that does not run is named, and a caller who leaves is none", async () => {
  const nowhere = await askOver("http://127.0.0.1:9/", "")("GET", "/account");
  expect(nowhere.body.error?.message).toContain("http://127.0.0.1:9 did not answer: ");
  const signal = AbortSignal.timeout(50);
  await expect(askOver(url, "")("GET", "/silent", { signal })).rejects.toThrow("timeout");
});
