import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readRunning, readSecrets } from "../data-folder.ts";
import { freePort, run } from "../process.ts";

/** A gateway that `npm start` runs in a data folder of its own. */
export interface OwnGateway {
  folder: string;
  apiUrl: string;
  dashboardsUrl: string;
  user: string;
  password: string;
  demoUrl: string;
  /** Creates an account with this name and returns a key of it. */
  key(account: string, mode: "live" | "test", credits?: number): Promise<string>;
  /** Stops every process and removes the folder. */
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, "..", "..");
const startMs = 180_000;

/** Starts a gateway on free ports; rejects with its output where it does not start. */
export async function startOwnGateway(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<OwnGateway> {
  const folder = fs.mkdtempSync(join(tmpdir(), "gateway-pictures-"));
  fs.chmodSync(folder, 0o711);
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...inherited } = process.env;
  const env = {
    ...inherited,
    ...settings,
    DATA_DIR: folder,
    PORT: String(await freePort()),
    DASHBOARDS_PORT: String(await freePort()),
  };
  const child = spawn(process.execPath, [join(root, "local", "start.ts"), ...args], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGINT");
    await ended;
    fs.rmSync(folder, { recursive: true, force: true });
  };
  const until = performance.now() + startMs;
  while (!output.includes("Ctrl-C stops it.")) {
    if (child.exitCode !== null || performance.now() > until) {
      await stop();
      throw new Error(`The gateway did not start:\n${output}`);
    }
    await sleep(100);
  }
  const running = readRunning(folder);
  const secrets = readSecrets(folder);
  const demoUrl = /"url":"([^"]+)"/.exec(output)?.[1];
  if (!running || !secrets || demoUrl === undefined) {
    await stop();
    throw new Error(`The gateway has announced no addresses:\n${output}`);
  }
  return {
    folder,
    apiUrl: running.apiUrl,
    dashboardsUrl: running.dashboardsUrl,
    user: secrets.dashboardsUser,
    password: secrets.dashboardsPassword,
    demoUrl,
    async key(account, mode, credits) {
      const words = ["keys", "create", "--account", account, "--mode", mode, "--json"];
      if (credits !== undefined) words.push("--credits", String(credits));
      const argv = [process.execPath, join(root, "cli", "main.ts"), ...words] as const;
      const { ok, stdout, output: printed } = await run({ argv: [...argv], env, cwd: root });
      if (!ok) throw new Error(printed);
      return (JSON.parse(stdout) as { key: string }).key;
    },
    stop,
  };
}
