export const extension = "io.modelcontextprotocol/tasks";
const version = "2026-07-28";

interface Answer {
  status: number;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** One request of revision 2026-07-28, by hand. */
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
