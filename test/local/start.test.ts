import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterEach, expect, test } from "vitest";
import { DataFolder, readRunning } from "../../local/data-folder.ts";
import { demoText, linkedText } from "../../local/demo-site.ts";
import { freePort, isRunning } from "../../local/process.ts";
import type { ProcessId } from "../../local/process.ts";
import { redisPart } from "../../local/redis.ts";
import { Supervised } from "../../local/supervisor.ts";
import type { Plan } from "../../local/supervisor.ts";
import { scriptsWithoutFont } from "../../local/fonts.ts";

const root = join(import.meta.dirname, "../..");
/** Half a minute on a quiet machine. */
const upMs = 240_000;

interface Instance {
  dir: string;
  child: ChildProcess;
  output: () => string;
  exit: Promise<number | null>;
  port: number;
  dashboardsPort: number;
}

const instances: Instance[] = [];
const folders = new Set<string>();

function newFolder(): string {
  const dir = fs.mkdtempSync(join(tmpdir(), "gateway-start-"));
  fs.chmodSync(dir, 0o711);
  folders.add(dir);
  return dir;
}

async function start(
  dir: string,
  extra: NodeJS.ProcessEnv = {},
  args: string[] = [],
): Promise<Instance> {
  const port = Number(extra["PORT"] ?? (await freePort()));
  const dashboardsPort = await freePort();
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...inherited } = process.env;
  const env = {
    ...inherited,
    DATA_DIR: dir,
    DASHBOARDS_PORT: String(dashboardsPort),
    PUPPETEER_EXECUTABLE_PATH: process.env["TEST_CHROMIUM"],
    INSTALL_FONTS: "false",
    ...extra,
    PORT: String(port),
  };
  const child = spawn(process.execPath, [join(root, "local/start.ts"), ...args], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const exit = once(child, "close").then(([code]) => code as number | null);
  const instance = { dir, child, output: () => output, exit, port, dashboardsPort };
  instances.push(instance);
  return instance;
}

async function up(instance: Instance): Promise<void> {
  const ended = instance.exit.then(() => {
    throw new Error(`The start ended: ${instance.output()}`);
  });
  const running = expect.poll(instance.output, { timeout: upMs }).toContain("Ctrl-C stops it.");
  await Promise.race([running, ended]);
  ended.catch(() => {});
}

/** All processes recorded as running in the data folder. */
function processes(dir: string): ProcessId[] {
  const file = join(dir, "processes.json");
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")) as ProcessId[]) : [];
}

async function stop(instance: Instance): Promise<number | null> {
  instance.child.kill("SIGINT");
  return instance.exit;
}

afterEach(async () => {
  for (const instance of instances.splice(0)) {
    if (instance.child.exitCode === null && instance.child.signalCode === null) {
      await stop(instance);
    }
    for (const id of processes(instance.dir)) if (isRunning(id)) process.kill(id.pid, "SIGKILL");
  }
  for (const dir of folders) fs.rmSync(dir, { recursive: true, force: true });
  folders.clear();
});

const keyIn = (text: string, mode: string) =>
  new RegExp(`svc_${mode}_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}`).exec(text)?.[0];

async function balance(instance: Instance, key: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${instance.port}/account`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(200);
  return response.text();
}

function shell(command: string): Promise<string> {
  return new Promise((done) => {
    const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (text: Buffer) => (output += text.toString()));
    child.once("close", () => done(output));
  });
}

test(
  "the printed lines work, a second instance runs beside, data survives, nothing is left",
  { timeout: 3 * upMs },
  async () => {
    const [first, second] = [
      await start(newFolder(), {}, ["--autoscale"]),
      await start(newFolder()),
    ];
    await Promise.all([up(first), up(second)]);
    const printed = first.output();
    const boxes = await scriptsWithoutFont();
    expect(printed.includes("Screenshots show boxes")).toBe(boxes.length > 0);
    const live = keyIn(printed, "live") as string;
    expect(live).toBeDefined();
    expect(keyIn(printed, "test")).toBeDefined();
    expect(keyIn(second.output(), "live")).not.toBe(live);
    await expect.poll(first.output).toContain("Autoscale: following /capacity");
    expect(second.output()).not.toContain("Autoscale");

    const line = printed.split("\n").find((text) => text.includes("curl ")) ?? "";
    const answer = JSON.parse(await shell(line)) as {
      data: { markdown: string };
      billing: { credits_charged: number };
    };
    expect(answer.data.markdown).toContain(demoText);
    expect(answer.billing.credits_charged).toBe(1);
    expect(await balance(first, live)).toContain("9999");
    const crawl = printed.split("\n").find((text) => text.includes("web.crawl")) ?? "";
    const pages = (await shell(crawl)).split("\n").filter((text) => text.startsWith("{"));
    expect(pages).toHaveLength(3);
    expect(pages.join()).toContain(linkedText);
    expect(await balance(first, live)).toContain("9996");
    const login = await fetch(`http://127.0.0.1:${first.dashboardsPort}/health`);
    expect(login.status).toBe(200);
    expect(readRunning(first.dir)?.apiUrl).toBe(`http://127.0.0.1:${first.port}`);

    // The same folder cannot be started twice.
    const secondStart = await start(first.dir);
    expect(await secondStart.exit).toBe(1);
    expect(secondStart.output()).toMatch(/The data folder .* is in use by a gateway/);

    const ids = processes(first.dir);
    expect(ids.length).toBe(6);
    expect(await stop(first)).toBe(0);
    expect(ids.filter(isRunning)).toEqual([]);
    expect(processes(first.dir)).toEqual([]);

    const again = await start(first.dir);
    await up(again);
    expect(again.output()).not.toContain("svc_");
    expect(await balance(again, live)).toContain("9996");

    // Killed without a chance to clean up: the next start recovers.
    const orphans = processes(again.dir);
    again.child.kill("SIGKILL");
    await again.exit;
    expect(orphans.every(isRunning)).toBe(true);
    const recovered = await start(first.dir, { PORT: String(again.port) });
    await up(recovered);
    expect(orphans.filter(isRunning)).toEqual([]);
    expect(await balance(recovered, live)).toContain("9996");
    expect(await stop(recovered)).toBe(0);
    expect(await stop(second)).toBe(0);
  },
);

async function refusal(dir: string, env: NodeJS.ProcessEnv): Promise<string> {
  const instance = await start(dir, env);
  expect(await instance.exit).toBe(1);
  expect(processes(dir)).toEqual([]);
  expect(instance.output()).not.toMatch(/^\s+at /m);
  return instance.output().trim();
}

test("a port in use gives one sentence", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  expect(await refusal(newFolder(), { PORT: String(port) })).toBe(
    `Port ${port} on 127.0.0.1 is in use by another program: stop that one, or set PORT to a free port.`,
  );
  server.close();
});

test("an unreadable data folder gives one sentence", async () => {
  const file = join(newFolder(), "file");
  fs.writeFileSync(file, "");
  expect(await refusal(join(file, "data"), {})).toMatch(
    /^The data folder .* cannot be read and written \(ENOTDIR\).*DATA_DIR\.$/,
  );
});

test("a Redis that may evict queued work gives one sentence", async () => {
  const folder = await DataFolder.open(newFolder());
  const { url, plan } = await redisPart(folder, () => {}, {});
  const service = new Supervised(plan as Plan, folder, () => {});
  const redis = new Redis(url, { lazyConnect: true });
  try {
    service.spawn();
    await service.ready();
    await redis.connect();
    await redis.config("SET", "maxmemory-policy", "volatile-lru");
    expect(await refusal(newFolder(), { REDIS_URL: url })).toMatch(
      /^Redis has maxmemory-policy volatile-lru.*noeviction/,
    );
  } finally {
    redis.disconnect();
    await service.stop();
    folder.close();
  }
});
