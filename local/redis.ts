import * as fs from "node:fs";
import { join } from "node:path";
import { openRedis } from "../runtime/redis/connection.ts";
import { type RedisFacts, redisFactsOf, redisObjection } from "../runtime/redis/requirements.ts";
import type { DataFolder } from "./data-folder.ts";
import { findInPath, run } from "./process.ts";
import { repairAppendOnlyFile } from "./redis-repair.ts";
import { LocalProblem, messageOf } from "./problem.ts";
import type { Plan } from "./supervisor.ts";
import { installByApt, installByBrew, libraryFolders, unpackByApt } from "./system-packages.ts";

/** A Redis: an external one (no plan), or a local one that the plan starts. */
export interface RedisPart {
  url: string;
  source: string;
  plan?: Plan;
}

interface Program {
  file: string;
  source: string;
  libraries: string[];
}

/** Connects once; rejects when Redis does not answer within `timeoutMs`. */
export async function redisFacts(url: string, timeoutMs = 5000): Promise<RedisFacts> {
  const redis = openRedis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    enableOfflineQueue: false,
  });
  // Without a listener ioredis prints the error, which the rejected promise reports anyway.
  let cause: unknown;
  redis.on("error", (error) => {
    cause = error;
  });
  try {
    await redis.connect();
    return redisFactsOf(await redis.info());
  } catch (error) {
    throw cause ?? error;
  } finally {
    redis.disconnect();
  }
}

async function externalRedis(url: string): Promise<RedisPart> {
  let facts: RedisFacts;
  try {
    facts = await redisFacts(url);
  } catch (error) {
    throw new LocalProblem(`The Redis of REDIS_URL does not answer: ${messageOf(error)}.`, {
      cause: error,
    });
  }
  const objection = redisObjection(facts);
  if (objection !== undefined) throw new LocalProblem(objection);
  return { url, source: "REDIS_URL" };
}

async function works(program: Program): Promise<boolean> {
  const { ok, stdout } = await run(
    { argv: [program.file, "--version"], env: envOf(program) },
    5000,
  );
  const version = /v=(\d+)\.(\d+)/.exec(stdout);
  if (!ok || version === null) return false;
  const [major, minor] = [Number(version[1]), Number(version[2])];
  return major > 6 || (major === 6 && minor >= 2);
}

const envOf = (program: Program): NodeJS.ProcessEnv =>
  program.libraries.length === 0
    ? process.env
    : { ...process.env, LD_LIBRARY_PATH: program.libraries.join(":") };

const names = ["redis-server", "valkey-server"];

async function installed(): Promise<Program | undefined> {
  const brewed = ["/opt/homebrew/bin", "/usr/local/bin"].flatMap((dir) =>
    names.map((name) => join(dir, name)),
  );
  const files = [...names.map((name) => findInPath(name)), ...brewed.filter(fs.existsSync)];
  for (const file of files) {
    if (file === undefined) continue;
    const program = { file, source: `installed, ${file}`, libraries: [] };
    if (await works(program)) return program;
  }
  return undefined;
}

/** A Redis unpacked below `home` by an earlier start, or unpacked now. */
async function unpackedRedis(home: string): Promise<Program | undefined> {
  const find = async (): Promise<Program | undefined> => {
    const unpacked = join(home, "unpacked");
    // On Debian the server and this tool are the same program, which acts by the name it is called with.
    for (const name of ["redis-server", "redis-check-rdb"]) {
      const file = join(unpacked, "usr", "bin", name);
      if (!fs.existsSync(file)) continue;
      const server = join(home, "redis-server");
      fs.rmSync(server, { force: true });
      fs.symlinkSync(file, server);
      const program = {
        file: server,
        source: "unpacked from the system's packages",
        libraries: libraryFolders(unpacked),
      };
      if (await works(program)) return program;
    }
    return undefined;
  };
  const before = await find();
  if (before) return before;
  return (await unpackByApt("redis-tools", home)) === undefined ? undefined : find();
}

async function findRedis(packages: string, print: (line: string) => void): Promise<Program> {
  const found = await installed();
  if (found) return found;
  print("Redis is not installed; downloading it ...");
  if ((await installByApt("redis-server")) || (await installByBrew("redis"))) {
    const fresh = await installed();
    if (fresh) return fresh;
  }
  const unpacked = await unpackedRedis(join(packages, "redis"));
  if (unpacked) return unpacked;
  throw new LocalProblem(
    "No Redis was found and none could be downloaded: install redis-server 6.2 or later (Debian: apt-get install redis-server, macOS: brew install redis), or set REDIS_URL.",
  );
}

/**
 * Chooses a Redis; throws LocalProblem with one sentence when there is none.
 * `packages` is the folder for a downloaded Redis.
 */
export async function redisPart(
  folder: DataFolder,
  print: (line: string) => void,
  env: NodeJS.ProcessEnv = process.env,
  packages: string = folder.path("packages"),
): Promise<RedisPart> {
  if (env["REDIS_URL"]) return externalRedis(env["REDIS_URL"]);
  const program = await findRedis(packages, print);
  const port = await folder.port("redis");
  const password = folder.secrets().redisPassword;
  const home = folder.path("redis");
  fs.mkdirSync(home, { recursive: true, mode: 0o700 });
  const config = join(home, "redis.conf");
  const quoted = (text: string) => JSON.stringify(text);
  fs.writeFileSync(
    config,
    [
      "bind 127.0.0.1",
      `port ${port}`,
      `requirepass ${password}`,
      `dir ${quoted(home)}`,
      "daemonize no",
      "supervised no",
      "appendonly yes",
      "appendfsync everysec",
      'save ""',
      "maxmemory 1gb",
      "maxmemory-policy noeviction",
    ].join("\n"),
    { mode: 0o600 },
  );
  const url = `redis://:${password}@127.0.0.1:${port}`;
  return {
    url,
    source: program.source,
    plan: {
      name: "redis",
      argv: [program.file, config],
      env: envOf(program),
      cwd: home,
      stopSignal: "SIGTERM",
      graceMs: 10_000,
      repair: (log) => repairAppendOnlyFile({ home, file: program.file, env: envOf(program), log }),
      readyMs: 30_000,
      ready: async () => {
        const objection = redisObjection(await redisFacts(url, 2000));
        if (objection !== undefined) throw new Error(objection);
      },
    },
  };
}
