import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

/** A checkout with an installed Node and this integrity recorded by npm for its package. */
function setUp(integrity: string) {
  const root = mkdtempSync(join(tmpdir(), "gateway-integrity-"));
  const put = (path: string, text: string) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  mkdirSync(join(root, "local"));
  cpSync(join(import.meta.dirname, "../../local/setup.mjs"), join(root, "local/setup.mjs"));
  put("local/node-integrity.json", JSON.stringify({ "1.0.0": { "node-here": "sha512-right" } }));
  put("package-lock.json", "{}");
  put("node_modules/node/package.json", JSON.stringify({ version: "1.0.0" }));
  const packages = { "node_modules/node-here": { integrity } };
  put("node_modules/node/node_modules/.package-lock.json", JSON.stringify({ packages }));
  put("script.mjs", "console.log('ran')");
  put("bin/npm", "#!/bin/sh\nexit 0\n");
  chmodSync(join(root, "bin/npm"), 0o755);
  mkdirSync(join(root, "node_modules/.bin"));
  symlinkSync(process.execPath, join(root, "node_modules/.bin/node"));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["local/setup.mjs", "script.mjs"],
    {
      cwd: root,
      env: { PATH: `${join(root, "bin")}:${process.env["PATH"]}` },
      encoding: "utf8",
    },
  );
  const kept = existsSync(join(root, "node_modules/node"));
  rmSync(root, { recursive: true, force: true });
  return { status, stdout, stderr, kept };
}

test("the Node pinned in the repository runs", () => {
  expect(setUp("sha512-right")).toMatchObject({ status: 0, stdout: "ran\n", kept: true });
});

test("any other Node is removed and nothing runs", () => {
  const { status, stdout, stderr, kept } = setUp("sha512-wrong");
  expect({ status, stdout, kept }).toEqual({ status: 1, stdout: "", kept: false });
  expect(stderr).toContain("local/node-integrity.json");
});

test("an installation says that it runs, and about how long", () => {
  const { stderr } = setUp("sha512-right");
  expect(stderr).toContain("Installing packages (once, about a minute) ...");
});
