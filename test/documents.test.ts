import { execFile, execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localAccount } from "../local/first-keys.ts";
import { type Command, commandsOf, documents, readDocument } from "./documents.ts";
import { type Envelope, Gateway, pepper, until } from "./gateway.ts";
import { root } from "./imports.ts";
import { type Origin, startOrigin } from "./origin.ts";
import { type Process, compileCache, startProcess } from "./process.ts";
import { seeded } from "./random.ts";
import { freePort } from "./redis-server.ts";
import { share } from "./share.ts";

/** Every shell command of the documents runs here against one gateway, or has its reason in this table. */
const notRun: { file?: RegExp; command: RegExp; reason: string }[] = [
  { file: /^docs\/webhooks\.md$/, command: /./, reason: "run by test/api/webhook-jobs.test.ts" },
  {
    file: /^docs\/backup\.md$/,
    command: /^(?:pg_dump|psql|pg_restore|redis-cli) /,
    reason: "run by test/faults/restore.test.ts",
  },
  {
    file: /^docs\/backup\.md$/,
    command: /^(?:cp|mv) .*\.data/,
    reason: "moves the data of a stopped npm start",
  },
  { file: /^api\/docs\/start\.md$/, command: /./, reason: "run by test/api/pages.test.ts" },
  { command: /^(?:\w+=\S+ )*npm start\b/, reason: "run by test/local/start.test.ts" },
  {
    command:
      /^(?:\w+=\S+ )?npm (?:test|run (?:check|test:faults|test:fates|test:image|test:generators|soak|attacks|bench))\b/,
    reason: "takes minutes",
  },
  { command: /^seq 600 /, reason: "takes minutes of load" },
  {
    command: /^npm run build -w client\b/,
    reason: "run before every test by test/client/built.ts",
  },
  {
    command: /^npm install .*\/client\.tgz"/,
    reason: "run by test/client/package.test.ts",
  },
  { command: /^claude /, reason: "needs Claude Code" },
  { command: /^docker /, reason: "needs a container engine" },
  { command: /^kubectl /, reason: "needs a cluster" },
  { command: /^cp deploy\/environment\.example /, reason: "writes into the project" },
  {
    command: /node local\/setup\.mjs worker\/main\.ts/,
    reason: "a worker runs until it is stopped",
  },
  { command: /gateway -- map /, reason: "needs an upstream's answer; test/cli/map.unit.test.ts" },
  { command: /gateway -- verify/, reason: "calls the real upstreams; test/cli/verify.test.ts" },
  {
    file: /^docs\/credentials\.md$/,
    command: /gateway -- credentials /,
    reason: "needs a customer's credential; test/cli/credentials.test.ts",
  },
  { command: /gateway -- shadow /, reason: "needs kept answers; test/cli/verify.test.ts" },
  {
    command: /gateway -- replay svc_/,
    reason: "needs a kept failure; test/worker/failures/failures.unit.test.ts",
  },
];

/** Commands that show a refusal, with a word of their answer. */
const refusals: [RegExp, string][] = [
  [/Svc-Test-Scenario: (?!slow|empty|truncated|second_page)/, '"error"'],
];

/** A running job may have ended before a busy machine stops it. */
const mayBeLate = (command: string, output: string) =>
  /DELETE .*\/jobs\//.test(command) && output.includes('"job_ended"');

const isAbout = (entry: (typeof notRun)[number], { file, text }: Command): boolean =>
  (entry.file?.test(file) ?? true) && entry.command.test(text);

const all = documents.flatMap((file) => commandsOf(file, readDocument(file)));
const runnable = Map.groupBy(
  all.filter((command) => !notRun.some((entry) => isAbout(entry, command))),
  ({ file }) => file,
);

/** Programs of the documents, as the test runs them. */
function installPrograms(folder: string): void {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const scriptOf = (name: string) => join(root, scripts[name]?.split(" ").at(-1) ?? "");
  const curl = execFileSync("sh", ["-c", "command -v curl"], { encoding: "utf8" }).trim();
  const programs = {
    curl: `exec ${curl} --fail-with-body --max-time 120 "$@"`,
    npm: [
      `case "$1 $2 $3" in`,
      ...["gateway", "openapi"].map(
        (name) =>
          `"run -s ${name}") shift 3; [ "$1" != -- ] || shift; exec ${process.execPath} ${scriptOf(name)} "$@";;`,
      ),
      `esac; echo "npm $* has no entry in this test" >&2; exit 97`,
    ].join("\n"),
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
}

/** The account that `npm start` creates. */
const account = localAccount;
let gateway: Gateway;
let origin: Origin;
let dashboards: Process;
let folder: string;
let keys: Record<"live" | "test", string>;
let env: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gateway-documents-"));
  installPrograms(folder);
  origin = await startOrigin();
  gateway = await Gateway.start({
    pools: "browser,seo,seo-bulk,serp,social,webhooks",
    env: { EGRESS_ALLOW: origin.address },
  });
  const dashboardsPort = String(await freePort());
  const stores = { DATABASE_URL: gateway.db.url, REDIS_URL: gateway.redis.url };
  const login = { DASHBOARDS_PASSWORD: "password of the operator", METRICS_TOKEN: "the-token" };
  dashboards = startProcess("dashboards/main.ts", {
    ...stores,
    ...login,
    DASHBOARDS_PORT: dashboardsPort,
  });
  const rate = { account, rate: 10_000, credits: 100_000 };
  const [live, sample] = [
    await gateway.key({ ...rate, mode: "live" }),
    await gateway.key({ ...rate, mode: "test" }),
  ];
  keys = { live: live.key, test: sample.key };
  env = {
    PATH: `${folder}:${process.env["PATH"]}`,
    // As local/setup.mjs sets it, which the npm of this test leaves out.
    NODE_COMPILE_CACHE: compileCache,
    ...stores,
    ...login,
    KEY_PEPPER: pepper,
    DATA_DIR: join(folder, "none"),
    DASHBOARDS_URL: `http://127.0.0.1:${dashboardsPort}`,
    GATEWAY_URL: gateway.url,
    GATEWAY_KEY: keys.test,
    PUPPETEER_EXECUTABLE_PATH: process.env["TEST_CHROMIUM"] ?? "",
  };
  await until(() =>
    fetch(`${env["DASHBOARDS_URL"]}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
});
afterAll(async () => {
  await dashboards?.kill();
  await gateway?.stop();
  await origin?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const search = "/shortclip/search?q=tea&limit=3";

async function newJob(headers: Record<string, string> = {}): Promise<string> {
  const submitted = await gateway.call<Envelope>(keys.test, "GET", search, {
    headers: { prefer: "respond-async", ...headers },
  });
  expect(submitted.status, submitted.text).toBe(202);
  return submitted.body.request_id;
}

async function endedJob(): Promise<string> {
  const id = await newJob();
  const result = await gateway.call(keys.test, "GET", `/jobs/${id}/result?wait=60`);
  expect(result.status, result.text).toBe(200);
  return id;
}

async function newBatch(): Promise<string> {
  const items = [{ custom_id: "a", operation: "shortclip.search", input: { q: "tea" } }];
  const { body } = await gateway.call<{ id: string }>(keys.test, "POST", "/batches", {
    body: { items },
  });
  return body.id;
}

/** The blanks of the documents with their values; `printed` is the output of the document so far. */
const blanks: [RegExp, (command: string, printed: string) => string | Promise<string>][] = [
  [/svc_test_…/g, () => keys.test],
  [/svc_live_…/g, () => keys.live],
  [/https:\/\/example\.com\/?|http:\/\/127\.0\.0\.1:…\//g, () => `${origin.url}/page`],
  [/(?:http:\/\/)?localhost:3000/g, () => gateway.url],
  [/(?:http:\/\/)?localhost:3001/g, () => env["DASHBOARDS_URL"] as string],
  [/batch_…/g, (_, printed) => printed.match(/batch_[0-9a-f]{32}/g)?.at(-1) ?? newBatch()],
  [
    /svc_…/g,
    (command) =>
      command.includes("jobs cancel") ? newJob({ "svc-test-scenario": "slow" }) : endedJob(),
  ],
];

async function filled(command: string, printed: string): Promise<string> {
  let text = command;
  for (const [blank, value] of blanks) {
    if (text.search(blank) < 0) continue;
    const given = await value(command, printed);
    text = text.replace(blank, () => given);
  }
  return text;
}

/** Runs a command in the state that the commands before it left behind. */
function shell(command: string, state: string): Promise<{ code: number; output: string }> {
  const script = `set -ea\n[ ! -f "${state}" ] || . "${state}"\n${command}\nexport -p > "${state}"`;
  return new Promise((done) => {
    const child = execFile(
      // Without --norc bash takes the pipe of its input for a remote login, and reads the user's start file.
      "bash",
      ["--norc", "-c", script],
      { cwd: folder, env, maxBuffer: 64 << 20 },
      (_error, stdout, stderr) => done({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

/** Commands that end the decisions of `gateway control`. */
function undoOf({ text }: Command): string[] {
  const [, pool] = /control (?:pause|drain) (\S+)/.exec(text) ?? [];
  const [, target] = /control (?:off|cap) (\S+ \S+)/.exec(text) ?? [];
  const undo = pool ? `resume ${pool}` : target && `on ${target}`;
  return undo ? [`npm run -s gateway -- control ${undo} --why test`] : [];
}

/** The front page, and of the other documents one in four by the seed, as most commands stand in several. */
const chosen = share(
  "documents",
  [...runnable].filter(([file]) => file !== "README.md"),
  4,
);
const frontPage = [...runnable].filter(([file]) => file === "README.md");

test.each([...frontPage, ...chosen])(
  seeded("every command of %s works"),
  async (file, commands) => {
    const state = join(folder, `${file.replaceAll("/", "-")}.state`);
    let printed = "";
    for (const { line, text } of commands) {
      const command = await filled(text, printed);
      const { code, output } = await shell(command, state);
      printed += output;
      const where = `${file}:${line} ${command}\n${output}`;
      const refusal = refusals.find(([shown]) => shown.test(command))?.[1];
      if (refusal) expect(output, where).toContain(refusal);
      else if (!mayBeLate(command, output)) expect(code, where).toBe(0);
    }
    for (const undo of commands.flatMap(undoOf)) {
      const { code, output } = await shell(undo, state);
      expect(code, output).toBe(0);
    }
  },
);

test("commands were found; each reason is needed, and names tests that exist", () => {
  expect(all.length).toBeGreaterThan(60);
  expect([...runnable.values()].flat().length).toBeGreaterThan(20);
  const unneeded = notRun.filter((entry) => !all.some((command) => isAbout(entry, command)));
  expect(unneeded).toEqual([]);
  const named = notRun.flatMap(({ reason }) => reason.match(/test\/\S+\.ts/g) ?? []);
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
