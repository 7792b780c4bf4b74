import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openApi } from "../../../api/openapi/openapi.ts";
import { areas } from "../../../contract/index.ts";
import { run } from "../../../local/process.ts";
import { root } from "../../imports.ts";

test("Redocly finds no fault in the OpenAPI document", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-openapi-"));
  try {
    const file = join(folder, "openapi.json");
    writeFileSync(file, JSON.stringify(openApi(areas), null, 2));
    const { ok, output } = await run(
      {
        argv: [join(root, "node_modules/.bin/redocly"), "lint", "--extends", "recommended", file],
        env: { ...process.env, REDOCLY_TELEMETRY: "off" },
      },
      240_000,
    );
    expect(ok, output).toBe(true);
    expect(output).toContain("API description is valid");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
