import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type Server, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { full } from "../../faults/full.ts";
import { Gateway } from "../../gateway.ts";

/**
 * The official conformance suite of the protocol, fetched by npm: at full length only. It is written for a
 * server with tools of its own; what it asks of those, and of prompts and resources, the gateway has not got.
 * Extensions, Tasks among them, are run by it and not counted.
 */

const suite = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const run = promisify(execFile);

const listed = (prefix: string, names: string) =>
  names.split(" ").map((name) => `${prefix}${name}`);

const both = [
  "completion-complete",
  ...listed("tools-call-", "simple-text image audio embedded-resource mixed-content error"),
  "tools-call-with-progress",
  ...listed("resources-", "list read-text read-binary templates-read"),
  ...listed("prompts-", "list get-simple get-with-args get-embedded-resource get-with-image"),
];
const inputs =
  "basic-elicitation basic-sampling basic-list-roots request-state multiple-input-requests multi-round " +
  "non-tool-request result-type tampered-state capability-check missing-input-response ignore-extra-params";
const absent = {
  "2025-11-25": [
    ...both,
    "logging-set-level",
    // Streams of a session, of which there are none.
    "server-sse-multiple-streams",
    ...listed("tools-call-", "with-logging sampling elicitation"),
    ...listed("resources-", "subscribe unsubscribe"),
    ...listed("elicitation-", "sep1034-defaults sep1330-enums"),
  ],
  "2026-07-28": [
    ...both,
    // Each asks for a tool of the suite's own; the last for tools that change while a process runs.
    ...listed(
      "server-stateless:sep-2575-",
      "server-rejects-undeclared-capability missing-capability-http-400 " +
        "http-server-no-independent-requests-on-stream server-no-log-without-loglevel " +
        "server-sends-tools-list-changed-on-subscription",
    ),
    ...["prompts-list", "resources-list", "resources-templates-list"].map(
      (one) => `caching:sep-2549-${one}-caching-hints`,
    ),
    ...listed("input-required-result-", inputs),
    "sep-2164-resource-not-found",
  ],
} as const;

let gateway: Gateway;
/** Adds the key, which the suite cannot send. */
let front: Server;
let folder: string;
beforeAll(async () => {
  if (!full) return;
  folder = await mkdtemp(join(tmpdir(), "conformance-"));
  gateway = await Gateway.start();
  const { key } = await gateway.key({ mode: "test", rate: 10_000 });
  front = createServer((incoming, response) => {
    const { method, url = "" } = incoming;
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const onward = request(new URL(url, gateway.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  front?.closeAllConnections();
  front?.close();
  await gateway?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test.runIf(full).each(Object.entries(absent))(
  "the conformance suite of revision %s finds nothing but what is absent",
  async (revision, names) => {
    const known = join(folder, `${revision}.yml`);
    await writeFile(known, `server:\n${names.map((name) => `  - ${name}\n`).join("")}`);
    const { port } = front.address() as AddressInfo;
    const args = ["exec", "--yes", `--package=${suite}`, "--", "conformance", "server"];
    const url = `http://127.0.0.1:${port}/mcp`;
    const options = ["--url", url, "--requirements", revision, "--expected-failures", known];
    // Fails where anything else does not hold, and where something of the list does.
    const { stdout } = await run("npm", [...args, ...options], {
      cwd: folder,
      maxBuffer: 64 << 20,
      timeout: 600_000,
    });
    expect(stdout).toMatch(/tools-list: \d+ passed, 0 failed/);
  },
);
