import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { askOver } from "../../../api/mcp/gateway.ts";
import { mcpServer } from "../../../api/mcp/server.ts";
import { use } from "./agent.ts";

/** A gateway whose database is down: submitted jobs go on, but their status cannot be read. */

const id = `svc_${"1".repeat(32)}`;
const job = { request_id: id, operation: "shortclip.search", state: "queued" };
const billing = { credits_charged: 1, balance_remaining: 9 };
const away = {
  type: "upstream_unavailable",
  message: "The database is away",
  request_id: `svc_${"2".repeat(32)}`,
};

/** Runs a call with `looks` refused status requests before the job has ended. */
async function called(refusals: number, args: object) {
  let refused = 0;
  const gateway = createServer(({ url = "" }, response) => {
    const isLook = url.startsWith("/jobs/");
    const [status, body] = !isLook
      ? [202, { request_id: id, data: job }]
      : (refused += 1) <= refusals
        ? [503, { error: away }]
        : [200, { request_id: id, data: [{ id: "a" }], billing }];
    response.writeHead(status, { "retry-after": "1" }).end(JSON.stringify(body));
  });
  await once(gateway.listen(0, "127.0.0.1"), "listening");
  const { port } = gateway.address() as AddressInfo;
  const server = mcpServer(askOver(`http://127.0.0.1:${port}`, "Bearer svc_test_1"));
  const client = new Client({ name: "test", version: "1" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([client.connect(here), server.connect(there)]);
  try {
    const input = { operation: "shortclip.search", input: { q: "tea" }, ...args };
    return await use(client, "call_operation", input);
  } finally {
    await client.close();
    gateway.close();
  }
}

test("a refused status request is repeated: the job still reports its end", async () => {
  const { output, isError } = await called(2, { wait_seconds: 60 });
  expect(isError).toBe(false);
  expect(output.data).toEqual([{ id: "a" }]);
});

test("when every status request is refused the caller gets the job, and no claim that it was free", async () => {
  const { output, isError } = await called(Infinity, { wait_seconds: 0 });
  expect(isError).toBe(false);
  expect(output).toMatchObject({ job: id, state: { state: "queued" } });
  expect(output.next).toContain("job_status");
});
