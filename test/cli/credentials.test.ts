import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../../contract/index.ts";
import { creditsFor } from "../../contract/operation.ts";
import { type Envelope, Gateway, until } from "../gateway.ts";
import { compileCache } from "../process.ts";
import { type Simulator, startSimulator } from "../upstream/simulator.ts";
import { tikhub } from "../upstream/tikhub.ts";
import { cli, cliJson, type Fault } from "./cli.ts";

/** `gateway credentials`, from the command to the request that an upstream receives. */

const credentialsKey = "credentials-key-of-the-command-line";
const operators = "operators-tikhub-key";
const path = "/shortclip/search?q=bread&limit=3";
const search = operations.get("shortclip.search") as NonNullable<ReturnType<typeof operations.get>>;

let upstream: Simulator;
let gateway: Gateway;
let env: Record<string, string>;

beforeAll(async () => {
  upstream = await startSimulator([tikhub()]);
  gateway = await Gateway.start({
    pools: "social",
    env: {
      TIKHUB_BASE_URL: upstream.url,
      TIKHUB_API_KEY: operators,
      CREDENTIALS_KEY: credentialsKey,
    },
  });
  env = { DATABASE_URL: gateway.db.url, CREDENTIALS_KEY: credentialsKey };
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

/** Runs the command with a credential on its standard input. */
function set(input: string, ...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      ["cli/main.ts", "credentials", "set", ...args],
      {
        cwd: fileURLToPath(new URL("../..", import.meta.url)),
        env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, ...env },
      },
      (_error, stdout, stderr) =>
        done({ code: child.exitCode ?? -1, output: `${stdout}${stderr}` }),
    );
    child.stdin?.end(input);
  });
}

/** Calls until the credential that arrives is this one; returns the last answer. */
async function callWith(key: string, credential: string): Promise<Envelope> {
  let body: Envelope | undefined;
  await until(async () => {
    upstream.reset();
    const answer = await gateway.call<Envelope>(key, "GET", path);
    expect(answer.status, answer.text).toBe(200);
    body = answer.body;
    return upstream.calls().at(-1)?.headers["authorization"] === `Bearer ${credential}`;
  });
  return body as Envelope;
}

const owners = ["--account", "owner", "--upstream", "tikhub"];

test("an account's credential is set, used for its calls at its price, listed unseen, and removed", async () => {
  const owner = await gateway.key({ account: "owner", credits: 1000 });
  const other = await gateway.key({ credits: 1000 });
  const own = "owners-own-tikhub-key";
  const done = await set(`${own}\n`, ...owners, "--price-percent", "50", "--per-second", "5");
  expect(done).toMatchObject({ code: 0 });
  expect(done.output).toContain("TIKHUB_API_KEY");
  expect(done.output).not.toContain(own);

  const { billing } = await callWith(owner.key, own);
  const full = creditsFor(search, billing.records_charged);
  expect(billing.records_charged).toBe(3);
  expect(billing.credits_charged).toBe(Math.ceil(full / 2));
  expect((await callWith(other.key, operators)).billing.credits_charged).toBe(full);

  const { json } = await cliJson(["credentials", "list", "--account", "owner"], env);
  expect(json).toMatchObject({
    account: "owner",
    credentials: [
      { upstreams: ["tikhub"], variables: ["TIKHUB_API_KEY"], price_percent: 50, per_second: 5 },
    ],
  });
  expect(JSON.stringify(json)).not.toContain(own);

  expect(
    await cli(["credentials", "change", ...owners, "--price-percent", "0"], env),
  ).toMatchObject({ code: 0 });
  await until(async () => (await callWith(owner.key, own)).billing.credits_charged === 0);

  // A job of the account uses it as well.
  upstream.reset();
  const job = await gateway.call(owner.key, "POST", "/jobs", {
    body: { operation: "shortclip.search", input: { q: "bread", limit: 2 } },
  });
  expect(job.status, job.text).toBe(202);
  await until(() => upstream.calls().length > 0);
  expect(upstream.calls()[0]?.headers["authorization"]).toBe(`Bearer ${own}`);

  expect(await cli(["credentials", "remove", ...owners], env)).toMatchObject({ code: 0 });
  expect((await callWith(owner.key, operators)).billing.credits_charged).toBe(full);
  const changes = await gateway.db.sql<{ change: string }[]>`
    select concat_ws(' ', target, before, after) as change from changes where kind = 'credential' order by id`;
  expect(changes).toHaveLength(3);
  expect(JSON.stringify(changes)).not.toContain(own);
  expect(await gateway.violations()).toEqual([]);
});

test("a refused own credential is reported to its account and never replaced by the operator's", async () => {
  const { key } = await gateway.key({ account: "refused", credits: 100 });
  const done = await set("refused-own-key", "--account", "refused", "--upstream", "tikhub");
  expect(done.code, done.output).toBe(0);
  await callWith(key, "refused-own-key");
  upstream.play("*", { faults: [], rest: { kind: "status", status: 401, json: {} } });
  const answer = await gateway.call<Fault>(key, "GET", path);
  expect(answer).toMatchObject({ status: 503, body: { error: { type: "upstream_unavailable" } } });
  expect(answer.body.error.message).toContain("own credential");
  const sent = upstream.calls().map(({ headers }) => headers["authorization"]);
  expect(new Set(sent)).toEqual(new Set(["Bearer refused-own-key"]));
  upstream.reset();
});

test("the command refuses what it cannot store, and repeats no part of it", async () => {
  const secret = "a-secret-in-the-wrong-form";
  const wrong = await set(`OTHER_KEY=${secret}\nsecond line`, ...owners);
  expect(wrong.code).toBe(1);
  expect(wrong.output).toContain("TIKHUB_API_KEY");
  expect(wrong.output).not.toContain(secret);
  const pair = await set(secret, "--account", "owner", "--upstream", "dataforseo");
  expect(pair.output).toContain("DATAFORSEO_LOGIN=…, DATAFORSEO_PASSWORD=…");
  const unknown = ["credentials", "set", "--account", "owner", "--upstream", "nominatim"];
  expect(await cli(unknown, env)).toMatchObject({ code: 1 });
  const none = ["credentials", "remove", "--account", "owner", "--upstream", "reddit"];
  const { json } = await cliJson<Fault>(none, env);
  expect(json.error.type).toBe("credential_unknown");
});
