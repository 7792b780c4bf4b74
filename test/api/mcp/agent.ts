import {
  Client,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { Gateway } from "../../gateway.ts";

/** The official client, as agents use it, and hand-made requests for those it cannot send. */

export const modes = { "2025-11-25": "legacy", "2026-07-28": { pin: "2026-07-28" } } as const;
export type Version = keyof typeof modes;

/** A tool's result, as JSON. */
export interface ToolOutput {
  found?: { operation: string; price: string }[];
  input?: Record<string, string>;
  example?: Record<string, unknown>;
  data?: Record<string, unknown>[] & Record<string, unknown>;
  shown?: { from: number; to: number; of: number };
  rest?: string;
  job?: string;
  next?: string;
  state?: { state: string };
  error?: { type: string; issues?: { path: string }[] };
  billing?: { credits_charged: number; balance_remaining: number };
}

/** Sends each of its requests to the next API process. */
export async function agent(
  gateway: Gateway,
  key: string,
  { version, capabilities = {} }: { version: Version; capabilities?: ClientCapabilities },
): Promise<Client> {
  let next = 0;
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: modes[version] }, capabilities },
  );
  const transport = new StreamableHTTPClientTransport(new URL("http://gateway.invalid/mcp"), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: (url, init) => {
      const { url: base } = gateway.apis[(next += 1) % gateway.apis.length] as { url: string };
      return fetch(new URL(new URL(String(url)).pathname, base), init);
    },
  });
  await client.connect(transport);
  return client;
}

interface ToolResult {
  content: unknown[];
  isError?: boolean | undefined;
}

export function outputOf(result: ToolResult): { output: ToolOutput; isError: boolean } {
  const [content] = result.content as { type: string; text: string }[];
  return {
    output: JSON.parse(content?.text ?? "null") as ToolOutput,
    isError: result.isError === true,
  };
}

export async function use(client: Client, name: string, args: Record<string, unknown>) {
  return outputOf(await client.callTool({ name, arguments: args }));
}

export const extension = "io.modelcontextprotocol/tasks";
const version = "2026-07-28";

interface Answer {
  status: number;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** A hand-made request of revision 2026-07-28. */
export async function rpc(
  url: string,
  key: string,
  method: string,
  params: object,
  declaresTasks: boolean,
): Promise<Answer> {
  const { name, taskId } = params as { name?: string; taskId?: string };
  const mirrored = name ?? taskId;
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": declaresTasks
      ? { extensions: { [extension]: {} } }
      : {},
  };
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": version,
      "mcp-method": method,
      ...(mirrored === undefined ? {} : { "mcp-name": mirrored }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
  });
  return { status: response.status, ...((await response.json()) as Omit<Answer, "status">) };
}
