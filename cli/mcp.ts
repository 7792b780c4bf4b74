import { once } from "node:events";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Command } from "commander";
import { askOver } from "../api/mcp/gateway.ts";
import { mcpServer } from "../api/mcp/server.ts";
import { CliProblem } from "./problem.ts";

const usualUrl = "http://localhost:3000";

/** `gateway mcp`: the tools of `/mcp` over standard input and output, for agents that start their servers. */
export function addMcp(program: Command): void {
  program
    .command("mcp")
    .description(
      "Serves the Model Context Protocol over standard input and output. The key is taken from GATEWAY_KEY.",
    )
    .option(
      "--url <url>",
      "where the gateway is (GATEWAY_URL)",
      process.env["GATEWAY_URL"] ?? usualUrl,
    )
    .action(async ({ url }: { url: string }) => {
      const key = process.env["GATEWAY_KEY"];
      if (!key) throw new CliProblem("usage", "GATEWAY_KEY: is required, a key of the gateway");
      if (!URL.canParse(url)) throw new CliProblem("usage", "--url: must be a URL");
      const served = serveStdio(() => mcpServer(askOver(url, `Bearer ${key}`)));
      await once(process.stdin, "close");
      await served.close();
    });
}
