import { once } from "node:events";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Command } from "commander";
import { askOver } from "../api/mcp/gateway.ts";
import { mcpServer } from "../api/mcp/server.ts";
import { gatewayKey, gatewayUrl } from "./call.ts";

/** `gateway mcp`: serves the tools of `/mcp` over standard input and output, for agents that start MCP servers. */
export function addMcp(program: Command): void {
  program
    .command("mcp")
    .description(
      "Serves the Model Context Protocol over standard input and output, with the key in GATEWAY_KEY.",
    )
    .addOption(gatewayUrl())
    .action(async ({ url }: { url: string }) => {
      const key = gatewayKey();
      const served = serveStdio(() => mcpServer(askOver(url, `Bearer ${key}`)));
      await once(process.stdin, "close");
      await served.close();
    });
}
