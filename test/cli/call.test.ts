import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { identify } from "../../local/process.ts";
import { Gateway } from "../gateway.ts";
import { cli, cliProcess } from "./cli.ts";

let gateway: Gateway;
let env: Record<string, string>;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social,serp" });
  const { key } = await gateway.key({ mode: "test", credits: 10_000 });
  env = { GATEWAY_URL: gateway.url, GATEWAY_KEY: key };
});
afterAll(() => gateway?.stop());

const call = (...args: string[]) => cli(["call", ...args], env);

test("an operation is called with its fields as options, and prints JSON when not on a terminal", async () => {
  const { code, stdout } = await cliProcess(
    ["call", "shortclip.search", "--q", "street food", "--limit=3"],
    env,
  );
  expect(code).toBe(0);
  const answer = JSON.parse(stdout) as { data: unknown[]; billing: { credits_charged: number } };
  expect(answer.data).toHaveLength(3);
  expect(answer.billing.credits_charged).toBe(3);
});

test("output as a table, and as a record per line", async () => {
  const input = ["shortclip.search", "--q", "tea", "--limit", "2"];
  const lines = (await call(...input, "--format", "table")).stdout.trim().split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^id\s/);
  const records = (await call(...input, "--format", "ndjson")).stdout.trim().split("\n");
  expect(records.map((line) => typeof (JSON.parse(line) as { id: unknown }).id)).toEqual([
    "string",
    "string",
  ]);
});

test("every page of a list, and no more than requested", async () => {
  const input = ["shortclip.search", "--q", "tea", "--limit", "10", "--format", "ndjson", "--all"];
  const spent = async () => {
    const [row] = await gateway.db.sql<{ credits: number }[]>`
      select coalesce(sum(credits), 0)::int as credits from usage`;
    return row?.credits ?? 0;
  };
  const before = await spent();
  const some = await call(...input, "--most", "15");
  expect(some.stdout.trim().split("\n")).toHaveLength(15);
  const ids = some.stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { id: string }).id);
  expect(new Set(ids).size).toBe(15);
  expect((await spent()) - before).toBe(15);
});

test("faults name the field or the reason, and set the exit code", async () => {
  const unknown = await call("shortclip.search", "--word", "tea");
  expect([unknown.code, unknown.stdout]).toEqual([1, ""]);
  expect(unknown.stderr).toContain("--q");
  // A program must not mistake a list of operations for an answer.
  for (const misspelt of [["shortclip.serch"], ["shortclip", "--q", "tea"]]) {
    const { code, stdout, stderr } = await call(...misspelt);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^There is no operation shortclip.*; perhaps .*shortclip\./);
  }
  const missing = await call("shortclip.search", "--limit", "3");
  expect(missing.stderr).toMatch(/^validation_error: q/);
  const played = await call("shortclip.search", "--q", "tea", "--scenario", "not_found");
  expect(played.stderr).toMatch(/^not_found: .*svc_/);
  const nobody = await cli(["call", "maps.search", "--query", "x"], {});
  expect(nobody.stderr).toContain("GATEWAY_KEY");
});

test("a GATEWAY_URL that is no URL is named", async () => {
  const { code, stderr } = await cli(["call", "shortclip.search"], { ...env, GATEWAY_URL: "gate" });
  expect(code).toBe(1);
  expect(stderr).toMatch(/'gate' from env 'GATEWAY_URL' is invalid. It must be a URL such as/);
});

test("without GATEWAY_URL it calls the gateway that runs in DATA_DIR", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-running-"));
  writeFileSync(join(folder, "owner.json"), JSON.stringify(identify(process.pid)));
  writeFileSync(join(folder, "running.json"), JSON.stringify({ apiUrl: gateway.url }));
  const { GATEWAY_URL: _url, ...others } = env;
  const answer = await cli(["call", "shortclip.search", "--q", "tea", "--limit", "1"], {
    ...others,
    DATA_DIR: folder,
  });
  rmSync(folder, { recursive: true });
  expect([answer.code, answer.stderr]).toEqual([0, ""]);
});

test("words find operations, --help explains one", async () => {
  const found = await call("comments", "of", "a", "tiktok", "video");
  expect(found.stdout).toContain("shortclip.videos.comments");
  const help = await call("maps.search", "--help");
  expect(help.stdout).toMatch(/--query\s+required/);
  expect(help.stdout).toContain("--device");
  expect(help.stdout).toMatch(/--dry-run\s+show the cost without calling/);
  expect((await call("--help")).stdout).toContain("--format <format>");
});

test("a shell completes operations, fields and their choices", async () => {
  const complete = async (line: string) =>
    (await cli(["complete", `gateway ${line}`])).stdout.trim().split("\n");
  expect(await complete("call maps.s")).toEqual(["maps.search"]);
  expect(await complete("call maps.search --dev")).toEqual(["--device"]);
  expect(await complete("call maps.search --device ")).toEqual(["desktop", "mobile"]);
  expect((await cliProcess(["completion"])).stdout).toContain(
    "complete -o default -F _gateway gateway",
  );
});
