import { describe, expect, test } from "vitest";
import { build, buildText } from "../../runtime/build.ts";
import { cli, cliJson, cliProcess } from "./cli.ts";
import type { Fault } from "./cli.ts";

const key = "svc_live_abcdefgh_0000000000000000000000000000000000000000000000000";

describe("arguments", () => {
  test.each([
    [["keys", "create", "--account", "a", "--mode", "demo"], "--mode"],
    [["keys", "create", "--account", "a", "--mode", "live", "--credits", "0"], "--credits"],
    [["keys", "rotate"], "id"],
    [["credits", "add", "--account", "a", "--mode", "live"], "--credits"],
    [["accounts", "create", "a", "--rate", "x"], "--rate"],
    [["accounts", "set", "a"], "--rate"],
    [["accounts", "set", "a", "--enable", "--disable"], "--disable"],
    [["usage", "--account", "a", "--from", "2026-02-02", "--to", "2026-02-01"], "--from"],
    [["accounts", "list", "--all"], "--all"],
    [["account"], "account"],
  ])("%j: a fault that names %s", async (args, name) => {
    const { code, json } = await cliJson<Fault>(args);
    expect(code).toBe(1);
    expect(json.error.type).toBe("usage");
    expect(json.error.message).toContain(name);
  });

  test("people read the fault on standard error, as one sentence", async () => {
    const { code, stdout, stderr } = await cliProcess(["accounts", "create", "a", "--rate", "0"]);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr.trim()).toBe(
      "option '--rate <n>' argument '0' is invalid. It must be a whole number from 1 to 1000000.",
    );
  });

  test("a key given in place of an id is not repeated", async () => {
    const { code, stderr } = await cli(["keys", "revoke", key]);
    expect(code).toBe(1);
    expect(stderr).toContain("<id>");
    expect(stderr).not.toContain(key.slice(-20));
  });

  test("help is no fault; a missing command is", async () => {
    const help = await cliProcess(["keys", "create", "--help"]);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain("--credits");
    const missing = await cliJson<Fault>(["keys"], {}, cliProcess);
    expect(missing.code).toBe(1);
    expect(missing.json.error.message).toBe("a command is missing");
  });

  test("--version names the release and its commit, also as JSON", async () => {
    expect((await cli(["--version"])).stdout).toBe(`${buildText(build)}\n`);
    expect((await cliJson(["--version"])).json).toEqual({ ...build });
  });

  test("--json may stand before the command", async () => {
    const { code, stdout } = await cli(["--json", "accounts", "list"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { type: "not_running" } });
  });
});
