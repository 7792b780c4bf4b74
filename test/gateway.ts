import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { accountNamed, addCredits, createAccount } from "../db/accounts.ts";
import { audit } from "../db/audit.ts";
import { createKey } from "../db/keys.ts";
import { type TestDatabase, testDatabase } from "./database.ts";
import { type TestRedis, freePort, startRedis } from "./redis.ts";

/** A running process of the gateway with what it wrote. */
export interface Process {
  child: ChildProcess;
  /** Everything written to standard output and error so far. */
  log(): string;
  /** Resolves with the exit code, or the signal's name. */
  ended: Promise<number | string>;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  text: string;
  body: T;
}

/** The success envelope, as far as tests read it. */
export interface Envelope<D = unknown> {
  request_id: string;
  data: D;
  pagination?: { has_more: boolean; next_cursor?: string };
  billing: {
    credits_charged: number;
    records_charged: number;
    balance_remaining: number;
    truncated_due_to_balance: boolean;
  };
}

export interface ErrorEnvelope {
  error: {
    type: string;
    message: string;
    request_id: string;
    issues?: { in: string; path: string; code: string; message: string }[];
    billing?: { balance_remaining: number; credits_required?: number };
  };
}

export const pepper = "test-pepper-test-pepper-test-pepper-0";
const root = fileURLToPath(new URL("..", import.meta.url));

/** The real gateway: API and worker processes on a database and a Redis of their own. */
export class Gateway {
  readonly db: TestDatabase;
  readonly redis: TestRedis;
  readonly apis: { url: string; process: Process }[] = [];
  readonly workers: Process[] = [];
  readonly #env: Record<string, string>;
  readonly #all: Process[] = [];

  private constructor(db: TestDatabase, redis: TestRedis, env: Record<string, string>) {
    this.db = db;
    this.redis = redis;
    this.#env = env;
  }

  /** `env` goes to every process; `pools` to the one worker that is started (none: no worker). */
  static async start(
    options: { env?: Record<string, string>; pools?: string; api?: Record<string, string> } = {},
  ): Promise<Gateway> {
    const db = await testDatabase();
    const redis = await startRedis({ own: true });
    const gateway = new Gateway(db, redis, options.env ?? {});
    try {
      if (options.pools !== undefined) await gateway.startWorker({ WORKER_POOLS: options.pools });
      await gateway.startApi(options.api);
    } catch (error) {
      const logs = gateway.#all.map((process) => process.log()).join("\n");
      await gateway.stop();
      throw new Error(`the gateway did not start:\n${logs}`, { cause: error });
    }
    return gateway;
  }

  get url(): string {
    return (this.apis.at(-1) as { url: string }).url;
  }

  async startApi(
    env: Record<string, string> = {},
    port?: number,
  ): Promise<{ url: string; process: Process }> {
    const chosen = port ?? (await freePort());
    const process = this.#spawn("api/main.ts", { PORT: String(chosen), ...env });
    const api = { url: `http://127.0.0.1:${chosen}`, process };
    this.apis.push(api);
    await until(async () => {
      if (process.child.exitCode !== null) throw new Error(process.log());
      return fetch(`${api.url}/health/ready`).then(
        (response) => response.ok,
        () => false,
      );
    }, 20_000);
    return api;
  }

  async startWorker(env: Record<string, string> = {}): Promise<Process> {
    const process = this.#spawn("worker/main.ts", env);
    this.workers.push(process);
    await until(() => {
      if (process.child.exitCode !== null) throw new Error(process.log());
      return process.log().includes('"working"');
    }, 30_000);
    return process;
  }

  /** A key of a new account with this many credits in its mode, above the limits of an ordinary account. */
  async key(
    options: {
      mode?: "live" | "test";
      credits?: number;
      account?: string;
      rate?: number;
      inFlight?: number;
    } = {},
  ): Promise<{ key: string; keyId: string; accountId: number }> {
    const { mode = "live", credits = 1000, rate = 10_000, inFlight = 10_000 } = options;
    const name = options.account ?? `account-${Math.random().toString(36).slice(2)}`;
    const accountId =
      (await accountNamed(this.db, name))?.id ?? (await createAccount(this.db, name));
    await this.db
      .sql`update accounts set rate_per_second = ${rate}, max_in_flight = ${inFlight} where id = ${accountId}`;
    if (mode === "test") {
      const opening = (await accountNamed(this.db, name))?.balances.test.available ?? 0;
      if (credits !== opening)
        await addCredits(this.db, accountId, mode, credits - opening, "test");
    } else if (credits > 0) await addCredits(this.db, accountId, mode, credits, "test");
    const issued = await createKey(this.db, pepper, { accountId, mode });
    return { key: issued.key, keyId: issued.id, accountId };
  }

  async call<T = unknown>(
    key: string | undefined,
    method: "GET" | "POST",
    path: string,
    options: {
      body?: unknown;
      headers?: Record<string, string>;
      signal?: AbortSignal;
      url?: string;
    } = {},
  ): Promise<Answer<T>> {
    const response = await fetch(`${options.url ?? this.url}${path}`, {
      method,
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(options.body === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers,
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parse(text) as T };
  }

  async balance(
    accountId: number,
    mode: "live" | "test" = "live",
  ): Promise<{ balance: number; held: number }> {
    const [row] = await this.db.sql<{ balance: number; held: number }[]>`
      select balance, held from balances where account_id = ${accountId} and mode = ${mode}`;
    return row as { balance: number; held: number };
  }

  /** What no fault may break: the ledger's own rules, and that no process complained of a bug. */
  async violations(): Promise<string[]> {
    const found = (await audit(this.db)).map((violation) => JSON.stringify(violation));
    for (const process of this.#all) {
      const log = process.log();
      for (const sign of [
        "MaxListenersExceededWarning",
        "unhandledRejection",
        "UnhandledPromise",
        "uncaughtException",
      ]) {
        if (log.includes(sign)) found.push(`${sign} in a log`);
      }
    }
    return found;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((process) => process.kill("SIGKILL")));
    await this.redis.stop();
    await this.db.drop();
  }

  #spawn(script: string, env: Record<string, string>): Process {
    const child = spawn(process.execPath, [script], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        DATABASE_URL: this.db.url,
        REDIS_URL: this.redis.url,
        KEY_PEPPER: pepper,
        CURSOR_SECRET: "test-cursor-secret-test-cursor-secret",
        PUPPETEER_EXECUTABLE_PATH: process.env["TEST_CHROMIUM"],
        CHROMIUM_LAUNCHER: process.env["TEST_CHROMIUM_LAUNCHER"] ?? "[]",
        ...this.#env,
        ...env,
      },
    });
    let log = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (log += text));
    }
    const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
    const started: Process = {
      child,
      log: () => log,
      ended,
      async kill(signal = "SIGKILL") {
        if (child.exitCode !== null || child.signalCode !== null) return;
        // A stopped process hears nothing but these two.
        if (signal !== "SIGKILL") child.kill("SIGCONT");
        child.kill(signal);
        await ended;
      },
    };
    this.#all.push(started);
    return started;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Waits until `condition` holds; throws after `withinMs`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within ${withinMs} ms`);
    await sleep(50);
  }
}
