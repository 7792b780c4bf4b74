import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../../contract/index.ts";
import { creditsFor } from "../../contract/operation.ts";
import { storedCredentials } from "../../db/credentials.ts";
import { openStored } from "../../runtime/own-credentials.ts";
import { type Envelope, Gateway, until } from "../gateway.ts";
import { compileCache } from "../process.ts";
import { type Simulator, startSimulator } from "../upstream/simulator.ts";
import { tikhub } from "../upstream/tikhub.ts";
import { cli, cliJson, type Fault } from "./cli.ts";

/** `gateway credentials`, from the command to the request that an upstream receives. */

const credentialsKey = "credentials-key-of-the-command-line";
const answersKey = "key-of-the-kept-answers-in-tests-0000";
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
      FAILED_ANSWERS_KEY: answersKey,
    },
  });
  env = {
    DATABASE_URL: gateway.db.url,
    REDIS_URL: gateway.redis.url,
    CREDENTIALS_KEY: credentialsKey,
    FAILED_ANSWERS_KEY: answersKey,
  };
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

const credentialOf = ({ headers }: { headers: Record<string, string> }) => headers["authorization"];

test("calls, jobs, batches, verify and its daily call each use the credential of their own account", async () => {
  const callers = await Promise.all(
    ["ash", "birch", "cedar"].map(async (account) => ({
      account,
      key: (await gateway.key({ account, credits: 1000 })).key,
      // The last one has none.
      credential: account === "cedar" ? operators : `own-credential-of-${account}`,
    })),
  );
  for (const { account, key, credential } of callers) {
    if (credential === operators) continue;
    const done = await set(credential, "--account", account, "--upstream", "tikhub");
    expect(done.code, done.output).toBe(0);
    await callWith(key, credential);
  }
  upstream.reset();
  const input = (q: string) => ({ q, limit: 2 });
  const operation = "shortclip.search";
  const items = (account: string) =>
    ["i", "ii"].map((one) => ({
      custom_id: one,
      operation,
      input: input(`${account} item ${one}`),
    }));
  const [ran, daily, ...sent] = await Promise.all([
    cli(["verify", operation, "--yes", "--json"], env),
    cli(["verify", "shortclip.users.get", "--daily", "--json"], env),
    ...callers.flatMap(({ account, key }) => [
      gateway.call(key, "GET", `/shortclip/search?q=${account}%20call&limit=2`),
      gateway.call(key, "POST", "/jobs", { body: { operation, input: input(`${account} job`) } }),
      gateway.call(key, "POST", "/batches", { body: { items: items(account) } }),
    ]),
  ]);
  expect([ran.code, daily.code], `${ran.stdout} ${daily.stdout}`).toEqual([0, 0]);
  for (const answer of sent) expect(answer.status, answer.text).toBeLessThan(300);
  const asked = () =>
    upstream.calls().map((one) => JSON.stringify([one.path, one.query, one.body]));
  const ways = ["call", "job", "item i", "item ii"];
  const phrases = callers.flatMap(({ account }) => ways.map((way) => `${account} ${way}"`));
  await until(() => phrases.every((phrase) => asked().some((text) => text.includes(phrase))));
  const wrong = upstream.calls().filter((one) => {
    const text = JSON.stringify([one.query, one.body]);
    const owner = callers.find(({ account }) => text.includes(`${account} `));
    return credentialOf(one) !== `Bearer ${owner?.credential ?? operators}`;
  });
  expect(wrong).toEqual([]);
  // Two pages of verify and the daily call.
  expect(upstream.calls().length).toBeGreaterThanOrEqual(phrases.length + 3);
});

test("replay and shadow send nothing, and keep no own credential", async () => {
  const { key } = await gateway.key({ account: "replayed", credits: 100 });
  const own = "own-credential-of-the-replayed";
  await set(own, "--account", "replayed", "--upstream", "tikhub");
  await callWith(key, own);
  const changed = { code: 200, data: { other: `Bearer ${own}` } };
  upstream.play("*", { faults: [], rest: { kind: "status", status: 200, json: changed } });
  const failed = await gateway.call<Fault>(key, "GET", path);
  expect(failed.body.error.type).toBe("response_shape_error");
  const before = upstream.calls().length;
  const requestId = failed.headers.get("svc-request-id") as string;
  let replayed = { code: 0, stdout: "" };
  await until(async () => {
    replayed = await cli(["replay", requestId, "--json"], env);
    return replayed.stdout.includes("kept answers") || replayed.stdout.includes('"before"');
  });
  expect(replayed.code, replayed.stdout).toBe(1);
  const folder = await mkdtemp(join(tmpdir(), "shadow-"));
  const saved = await cli(["shadow", "save", join(folder, "saved.json")], env);
  expect(saved.code, saved.stderr).toBe(0);
  const texts = [replayed.stdout, await readFile(join(folder, "saved.json"), "utf8")];
  await rm(folder, { recursive: true });
  for (const text of texts) expect(text).not.toContain(own);
  expect(upstream.calls()).toHaveLength(before);
  upstream.reset();
});

test("rotate encrypts what the former key encrypted under the new one, and names what neither decrypts", async () => {
  const next = "credentials-key-that-comes-after-it";
  const rotate = (keys: Record<string, string>) =>
    cliJson<Record<string, unknown>>(["credentials", "rotate"], { ...env, ...keys });
  const stored = await storedCredentials(gateway.db);
  expect(stored.length).toBeGreaterThan(1);
  const lost = await rotate({ CREDENTIALS_KEY: next });
  expect(lost).toMatchObject({ code: 1, json: { ok: false, encrypted_again: 0 } });
  expect(lost.json["unreadable"]).toHaveLength(stored.length);
  const keys = { CREDENTIALS_KEY: next, CREDENTIALS_KEY_PREVIOUS: credentialsKey };
  const done = { ok: true, encrypted_again: stored.length, already_current: 0, unreadable: [] };
  expect(await rotate(keys)).toMatchObject({ code: 0, json: done });
  for (const { id, accountId, names, sealed } of await storedCredentials(gateway.db)) {
    expect(openStored([next], accountId, names, sealed)?.secrets).toBeDefined();
    expect(openStored([credentialsKey], accountId, names, sealed)).toBeUndefined();
    // With its id a credential keeps its limits, breaker and tokens.
    expect(stored.some((one) => one.id === id)).toBe(true);
  }
  const again = { encrypted_again: 0, already_current: stored.length };
  expect(await rotate({ CREDENTIALS_KEY: next })).toMatchObject({ code: 0, json: again });
  const back = { CREDENTIALS_KEY: credentialsKey, CREDENTIALS_KEY_PREVIOUS: next };
  expect(await rotate(back)).toMatchObject({ code: 0 });
  const [row] = await gateway.db.sql<{ after: object }[]>`
    select after from changes where kind = 'credential' order by id desc limit 1`;
  expect(row?.after).toEqual({ price_percent: 100, encrypted_again: true });
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
