import { createMcpHandler } from "@modelcontextprotocol/server";
import { partHeader } from "../../contract/field-selection.ts";
import { Evidence } from "./evidence.ts";
import { askOver } from "./gateway.ts";
import { mcpServer } from "./server.ts";
import { refusalOfListening } from "./tasks.ts";

export type Mcp = ReturnType<typeof createMcp>;

/** The protocol's side of `/mcp`; its tools call the gateway at `ownAddress`. */
export function createMcp(ownAddress: () => string, onerror: (error: Error) => void) {
  const evidence = new Evidence();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const authorization = requestInfo?.headers.get("authorization") ?? "";
      const ask = askOver(ownAddress(), authorization);
      return mcpServer(
        (method, path, asked) =>
          ask(method, path, { ...asked, headers: { ...asked?.headers, [partHeader]: "true" } }),
        evidence,
        requestInfo?.headers.get("svc-request-id") ?? undefined,
      );
    },
    { onerror },
  );
  return {
    fetch: handler.fetch.bind(handler),
    close: () => handler.close(),
    refusalOf: refusalOfListening,
  };
}
