import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium } from "../local/chromium.ts";
import { installBrowser } from "../local/chromium-programs.ts";
import { DataFolder, dataDir } from "../local/data-folder.ts";
import { postgresPart } from "../local/postgres.ts";
import { redisPart } from "../local/redis.ts";
import { Supervised } from "../local/supervisor.ts";
import { notTested } from "./browser-kinds.ts";
import { fillCompileCache } from "./compile-cache.ts";
import { type OwnDatabase, templateDatabase } from "./database.ts";

const prefix = "gateway-test-";
const abandonedMs = 10 * 60_000;

/**
 * Starts the services of system tests and names them by environment variables: TEST_DATABASE_URL,
 * TEST_REDIS_URL, TEST_CHROMIUM and TEST_CHROMIUM_LAUNCHER (JSON array). A variable already set is
 * used unchanged.
 */
export default async function setup(): Promise<() => Promise<void>> {
  await clearAbandoned();
  const dir = fs.mkdtempSync(join(tmpdir(), prefix));
  fs.chmodSync(dir, 0o711);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const folder = await DataFolder.open(dir);
  const started: Supervised[] = [];
  let template: OwnDatabase | undefined;
  const stop = async () => {
    await template?.drop();
    await Promise.all(started.map((service) => service.stop()));
    folder.close();
    fs.rmSync(dir, { recursive: true, force: true });
  };
  try {
    const env = process.env;
    const redis = await redisPart(
      folder,
      say,
      { REDIS_URL: env["TEST_REDIS_URL"] },
      cache("packages"),
    );
    // No test crashes this server; those that crash a database start their own.
    const postgres = await postgresPart(folder, { DATABASE_URL: env["TEST_DATABASE_URL"] }, [
      "fsync=off",
      "full_page_writes=off",
    ]);
    for (const { plan } of [redis, postgres]) {
      if (plan) started.push(new Supervised(plan, folder, say));
    }
    for (const service of started) service.spawn();
    const configured = env["TEST_CHROMIUM"] ?? env["PUPPETEER_EXECUTABLE_PATH"];
    if (!configured) await installBrowser("shell");
    const chromium = await findChromium(cache("chromium") ?? join(dir, "chromium"), {
      allowNoSandbox: false,
      env: { PUPPETEER_EXECUTABLE_PATH: configured, BROWSER_KIND: env["BROWSER_KIND"] },
    });
    if (!configured && !chromium.source.includes("headless-shell")) say(notTested("shell"));
    await Promise.all([fillCompileCache(), ...started.map((service) => service.ready())]);
    env["TEST_DATABASE_URL"] = postgres.url;
    env["TEST_REDIS_URL"] = redis.url;
    template = await templateDatabase();
    env["TEST_CHROMIUM"] = chromium.executablePath;
    env["TEST_CHROMIUM_LAUNCHER"] = JSON.stringify(chromium.launcher);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Downloads and unpacked files are cached in the data folder, where this user may write to it. */
function cache(name: string): string | undefined {
  const folder = join(dataDir(), name);
  try {
    fs.mkdirSync(folder, { recursive: true });
    fs.accessSync(folder, fs.constants.W_OK);
    return folder;
  } catch {
    return undefined;
  }
}

/** A killed run leaves its services behind: opening its folder stops them. */
async function clearAbandoned(): Promise<void> {
  for (const name of fs.readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const dir = join(tmpdir(), name);
    try {
      if (Date.now() - fs.statSync(dir).ctimeMs < abandonedMs) continue;
      (await DataFolder.open(dir)).close();
      fs.rmSync(dir, { recursive: true, force: true });
    } catch {
      // The folder is in use, or another user's.
    }
  }
}
