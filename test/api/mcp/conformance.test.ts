import { type ChildProcess, execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
  request,
} from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { full } from "../../faults/full.ts";
import { Gateway } from "../../gateway.ts";

/**
 * The official conformance suite of the protocol, fetched by npm: at full length only. It expects a
 * server with the suite's own tools, prompts and resources, which the gateway lacks. The suite runs
 * extensions without counting them; Tasks runs once more, with the gateway's tools in place of the
 * suite's.
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
    // Streams of a session; the gateway has none.
    "server-sse-multiple-streams",
    ...listed("tools-call-", "with-logging sampling elicitation"),
    ...listed("resources-", "subscribe unsubscribe"),
    ...listed("elicitation-", "sep1034-defaults sep1330-enums"),
  ],
  "2026-07-28": [
    ...both,
    // Each needs a tool of the suite; the last needs tools that change while a process runs.
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
  gateway = await Gateway.start({ pools: "social" });
  const { key } = await gateway.key({ mode: "test", rate: 10_000 });
  front = createServer((incoming, response) => void forward(key, incoming, response));
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  front?.closeAllConnections();
  front?.close();
  await gateway?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Fails on a failed check that is not in `known`, and on a passed one that is. */
async function conformance(path: string, options: string[], known: readonly string[]) {
  const file = join(folder, "known.yml");
  await writeFile(file, `server:\n${known.map((name) => `  - ${name}\n`).join("")}`);
  const { port } = front.address() as AddressInfo;
  const args = ["exec", "--yes", `--package=${suite}`, "--", "conformance", "server"];
  const url = ["--url", `http://127.0.0.1:${port}/${path}`];
  const { stdout } = await run("npm", [...args, ...url, ...options, "--expected-failures", file], {
    cwd: folder,
    maxBuffer: 64 << 20,
    timeout: 600_000,
  });
  return stdout;
}

/** At `/ours`, calls of the suite's tools become calls of the gateway's. */
async function forward(key: string, incoming: IncomingMessage, response: ServerResponse) {
  const { method, url = "" } = incoming;
  let body = Buffer.concat((await incoming.toArray()) as Buffer[]).toString();
  const headers: IncomingHttpHeaders = {
    ...incoming.headers,
    authorization: `Bearer ${key}`,
  };
  const path = url === "/ours" ? "/mcp" : url;
  if (path !== url && body !== "") {
    const rpcRequest = JSON.parse(body) as RpcRequest;
    const { name } = rpcRequest.params ?? {};
    const call = rpcRequest.method === "tools/call" ? oursFor(rpcRequest) : {};
    body = JSON.stringify({ ...rpcRequest, params: { ...rpcRequest.params, ...call } });
    if (call.name && headers["mcp-name"] === name) headers["mcp-name"] = call.name;
  }
  headers["content-length"] = String(Buffer.byteLength(body));
  const onward = request(new URL(path, gateway.url), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  onward.end(body);
}

interface RpcRequest {
  method?: string;
  params?: { name?: string; arguments?: { seconds?: number } };
}

/** Replacements for a tool that answers at once and for one with a given duration. */
function oursFor({ params }: RpcRequest): { name?: string; arguments?: object } {
  if (params?.name === "greet") return { name: "account", arguments: {} };
  if (params?.name !== "slow_compute") return {};
  const name = "call_operation";
  const { seconds = 0 } = params.arguments ?? {};
  if (seconds > 10) {
    // No worker takes this call.
    const input = { url: "https://example.com/" };
    return { name, arguments: { operation: "browser.markdown", input, wait_seconds: 0 } };
  }
  holdWorker(seconds * 1000);
  const input = { q: "tea" };
  return { name, arguments: { operation: "shortclip.search", input, wait_seconds: 0 } };
}

function holdWorker(ms: number) {
  const { child } = gateway.workers[0] as { child: ChildProcess };
  child.kill("SIGSTOP");
  setTimeout(() => child.kill("SIGCONT"), ms);
}

const taskScenarios = [
  "lifecycle",
  "capability-negotiation",
  "wire-fields",
  "request-state-removal",
  "request-headers",
  "dispatch-and-envelope",
];
/**
 * Scenarios that need tools of the suite: one that fails, one that breaks, one that asks, one that
 * greets by name.
 */
const needOwnTools = [
  "lifecycle:sep-2663-tool-error-uses-completed-status",
  "lifecycle:sep-2663-tasks-get-status-failed",
  "request-headers:tasks-headers-tolerate-mcp-method-on-tools-call",
  "dispatch-and-envelope:tasks-server-directed-creation-no-hint",
  "dispatch-and-envelope:tasks-result-type-complete-on-non-task-responses",
];

test.runIf(full).each(taskScenarios)(
  "its scenario of the Tasks extension, %s, fails only where it needs the suite's tools",
  async (scenario) => {
    const options = ["--scenario", `tasks-${scenario}`, "--spec-version", "2026-07-28", "--force"];
    const known = needOwnTools.filter((name) => name.startsWith(`${scenario}:`));
    const stdout = await conformance("ours", options, listed("tasks-", known.join(" ")));
    expect(stdout).toMatch(/Passed: [1-9]/);
  },
);

test.runIf(full).each(Object.entries(absent))(
  "the conformance suite of revision %s fails only where a feature is absent",
  async (revision, names) => {
    const stdout = await conformance("mcp", ["--requirements", revision], names);
    expect(stdout).toMatch(/tools-list: \d+ passed, 0 failed/);
  },
);
