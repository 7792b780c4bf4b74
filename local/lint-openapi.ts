import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApi } from "../api/openapi/openapi.ts";
import { areas } from "../contract/index.ts";

/** Has Redocly read the whole OpenAPI document. */

const redocly = join(import.meta.dirname, "..", "node_modules", ".bin", "redocly");
const folder = mkdtempSync(join(tmpdir(), "gateway-openapi-"));
const file = join(folder, "openapi.json");
writeFileSync(file, JSON.stringify(openApi(areas), null, 2));
const child = spawn(redocly, ["lint", "--extends", "recommended", file], { stdio: "inherit" });
child.once("close", (code) => {
  rmSync(folder, { recursive: true });
  process.exitCode = code ?? 1;
});
