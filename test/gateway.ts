import { setTimeout as sleep } from "node:timers/promises";
import { accountNamed, addCredits, changeAccount, createAccount } from "../db/accounts.ts";
import { audit } from "../db/audit.ts";
import { createKey } from "../db/keys.ts";
import { type CallerAnswer, disagreements, untilHoldsReturn } from "./books.ts";
import { type TestDatabase, testDatabase } from "./database.ts";
import { undocumented } from "./documented.ts";
import { faultPointNamed } from "./faults/fault-points.ts";
import { type GuardName, edited, guardNamed, weaken } from "./faults/guards.ts";
import { type ShortTime, shortTimesNamed } from "./faults/short-times.ts";
import { type Process, startProcess } from "./process.ts";
import { startRedis } from "./redis.ts";
import { type TestRedis, freePort } from "./redis-server.ts";

/** It takes seconds on a quiet machine; a test that waits this long has not failed yet. */
const startLimitMs = 180_000;

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
  pagination?: { has_more: boolean; next_cursor: string | null };
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

/** A line of a batch's results. */
export interface Line extends Partial<Envelope>, Partial<ErrorEnvelope> {
  custom_id: string;
  status: number;
  sequence: number;
}

export const pepper = "test-pepper-test-pepper-test-pepper-0";

export type { Process };

/** Holds of lost calls return soon after their deadline, so that no test waits a minute for its books. */
const shortHolds = { HOLD_GRACE_MS: "3000", SWEEP_EVERY_MS: "500" };

const ownPath =
  /^\/(account|operations|openapi\.json|health|webhooks|batches|web\/crawl|jobs(?!\/\w+\/result))/;

/** The real gateway: API and worker processes on a database and a Redis of their own. */
export class Gateway {
  readonly db: TestDatabase;
  readonly redis: TestRedis;
  readonly apis: { url: string; process: Process }[] = [];
  readonly workers: Process[] = [];
  readonly #env: Record<string, string>;
  readonly #without: GuardName | undefined;
  readonly #mayHold: readonly string[];
  #replaced: readonly string[] = [];
  readonly #all: Process[] = [];
  /** Callers' answers by request id. */
  readonly #answers = new Map<string, CallerAnswer>();
  /** Answers that are not as the OpenAPI document says; `stop` throws them. */
  readonly #undocumented: string[] = [];
  #unanswered = 0;

  private constructor(
    db: TestDatabase,
    redis: TestRedis,
    env: Record<string, string>,
    without: GuardName | undefined,
    mayHold: readonly string[] = [],
  ) {
    this.db = db;
    this.redis = redis;
    this.#env = env;
    this.#without = without;
    this.#mayHold = mayHold;
  }

  /**
   * `env` goes to every process, `pools` to the one started worker (none: no worker); `without`
   * names a guard that all processes and the database leave out.
   */
  static async start(
    options: {
      env?: Record<string, string>;
      pools?: string;
      api?: Record<string, string>;
      without?: GuardName;
      /** Times that all processes of this release shorten. */
      shorter?: readonly ShortTime[];
      /** Operations that may hold the event loop here. */
      mayHold?: readonly string[];
      /** Paths whose stored answers the test replaces, so that they are not as the OpenAPI document says. */
      replaced?: readonly string[];
      /** Folder of another release, and the database that it made. */
      release?: { folder: string; db: TestDatabase };
      /** Environment for proxies between the processes and their stores. */
      between?: (stores: { database: string; redis: string }) => Promise<Record<string, string>>;
    } = {},
  ): Promise<Gateway> {
    const { folder } = options.release ?? {};
    const [db, redis] = await Promise.all([
      options.release?.db ?? testDatabase(),
      startRedis({ own: true }),
    ]);
    const between = (await options.between?.({ database: db.url, redis: redis.url })) ?? {};
    const shorter = options.shorter?.length ? { SHORT_TIMES: options.shorter.join() } : {};
    const env = { ...shortHolds, ...shorter, ...options.env, ...between };
    const gateway = new Gateway(db, redis, env, options.without, options.mayHold);
    gateway.#replaced = options.replaced ?? [];
    try {
      if (options.without) await weaken(db.sql, options.without);
      const { pools } = options;
      await Promise.all([
        pools === undefined ? undefined : gateway.startWorker({ WORKER_POOLS: pools }, folder),
        gateway.startApi(options.api, undefined, folder),
      ]);
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
    /** Folder of another release. */
    folder = "",
  ): Promise<{ url: string; process: Process }> {
    const chosen = port ?? (await freePort());
    const process = this.#spawn(`${folder}api/main.ts`, { PORT: String(chosen), ...env });
    const api = { url: `http://127.0.0.1:${chosen}`, process };
    this.apis.push(api);
    await until(async () => {
      if (process.isOver()) throw new Error(process.log());
      // A refused connection costs milliseconds of processor time, a look at the log none.
      if (!process.log().includes("Server listening")) return false;
      return fetch(`${api.url}/health/ready`).then(
        (response) => response.ok,
        () => false,
      );
    }, startLimitMs);
    if (folder === "") this.#checkEdited(process, ["api/", "db/"], env["FAULT_POINT"]);
    return api;
  }

  async startWorker(env: Record<string, string> = {}, folder = ""): Promise<Process> {
    const process = this.#spawn(`${folder}worker/main.ts`, env);
    this.workers.push(process);
    await until(() => {
      if (process.isOver()) throw new Error(process.log());
      return process.log().includes('"working"');
    }, startLimitMs);
    if (folder === "") this.#checkEdited(process, ["worker/", "runtime/"]);
    return process;
  }

  /**
   * A key of a new account with this many credits in its mode, and the default limits unless given.
   */
  async key(
    options: {
      mode?: "live" | "test";
      credits?: number;
      account?: string;
      rate?: number;
      inFlight?: number;
    } = {},
  ): Promise<{ key: string; keyId: string; accountId: number }> {
    const { mode = "live", credits = 1000, rate, inFlight } = options;
    const name = options.account ?? `account-${Math.random().toString(36).slice(2)}`;
    const accountId =
      (await accountNamed(this.db, name))?.id ?? (await createAccount(this.db, name));
    if (rate !== undefined) await changeAccount(this.db, accountId, { ratePerSecond: rate });
    if (inFlight !== undefined) await changeAccount(this.db, accountId, { maxInFlight: inFlight });
    if (mode === "test") {
      const opening = (await accountNamed(this.db, name))?.balances.test.available ?? 0;
      if (credits !== opening)
        await addCredits(this.db, accountId, mode, credits - opening, "test");
    } else if (credits > 0) await addCredits(this.db, accountId, mode, credits, "test");
    const issued = await createKey(this.db, pepper, { accountId, mode });
    return { key: issued.key, keyId: issued.id, accountId };
  }

  /** Another key of the same account. */
  async secondKey(accountId: number, mode: "live" | "test"): Promise<string> {
    return (await createKey(this.db, pepper, { accountId, mode })).key;
  }

  /** Keys of separate accounts, for more load than one caller may make. */
  keys(count: number, options: { mode?: "live" | "test"; credits?: number } = {}) {
    return Promise.all(Array.from({ length: count }, () => this.key(options)));
  }

  async call<T = unknown>(
    key: string | undefined,
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    options: {
      body?: unknown;
      headers?: Record<string, string>;
      signal?: AbortSignal;
      url?: string;
    } = {},
  ): Promise<Answer<T>> {
    this.#unanswered += 1;
    const sent = new Headers({
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(options.body === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    });
    const response = await fetch(`${options.url ?? this.url}${path}`, {
      method,
      headers: sent,
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const text = await response.text();
    this.#unanswered -= 1;
    const { status, headers } = response;
    const body = parse(text);
    const { billing } = (body ?? {}) as Partial<Envelope>;
    // The gateway's own endpoints show a billing block and charge nothing.
    const isFree = ownPath.test(path) || headers.has("svc-dry-run");
    const credits = isFree ? undefined : billing?.credits_charged;
    // A submitted job may be charged before its result is requested.
    if (status === 202) this.#unanswered += 1;
    else this.#answers.set(headers.get("svc-request-id") ?? "", { status, credits });
    const fault = undocumented({ method, path, sent, status, headers, text });
    if (fault && !this.#replaced.includes(path))
      this.#undocumented.push(`${method} ${path}: ${fault}`);
    return { status, headers, text, body: body as T };
  }

  /** The results of a batch; each line is a caller's answer to one call. */
  async results(key: string, id: string, query = "", url = this.url): Promise<Line[]> {
    const response = await fetch(`${url}/batches/${id}/results${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status}: ${text}`);
    const lines = text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
    for (const line of lines) this.record(line);
    return lines;
  }

  /** Records a line of results that was read in another way. */
  record(line: Line): void {
    const id = line.request_id ?? line.error?.request_id ?? "";
    this.#answers.set(id, { status: line.status, credits: line.billing?.credits_charged });
  }

  async balance(
    accountId: number,
    mode: "live" | "test" = "live",
  ): Promise<{ balance: number; held: number }> {
    const [row] = await this.db.sql<{ balance: number; held: number }[]>`
      select balance, held from balances where account_id = ${accountId} and mode = ${mode}`;
    return row as { balance: number; held: number };
  }

  /**
   * Invariants that every fault must keep once all calls are over: every hold returns in time, the
   * ledger keeps its rules and agrees with the callers' answers, and no process died unasked or
   * logged a bug.
   */
  async violations(): Promise<string[]> {
    const { sql } = this.db;
    const found: string[] = [];
    const graceMs = Number(this.#env["HOLD_GRACE_MS"]);
    const returnsMs = await untilHoldsReturn(sql, graceMs);
    if (returnsMs !== undefined) {
      await until(
        async () => (await untilHoldsReturn(sql, graceMs)) === undefined,
        Math.max(0, returnsMs),
      ).catch(() => found.push(`credits are held ${graceMs} + 20000 ms after the last deadline`));
    }
    found.push(...(await audit(this.db)).map((violation) => JSON.stringify(violation)));
    found.push(...(await disagreements(sql, this.#answers, this.#unanswered)));
    found.push(...this.#all.flatMap((process) => process.complaints()), ...this.#held());
    return found;
  }

  #held(): string[] {
    return this.#all
      .flatMap((process) => process.held())
      .filter(({ operation }) => !this.#mayHold.includes(operation))
      .map((held) => `held the event loop: ${JSON.stringify(held)}`);
  }

  /**
   * `violations`, once every call has its answer: the deadlines of lost calls pass at once, so that their holds
   * return after the grace alone.
   */
  async violationsAfterAnswers(): Promise<string[]> {
    await this.db.sql`update holds set deadline = now() where state = 'open' and deadline > now()`;
    return this.violations();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((process) => process.kill("SIGKILL")));
    await this.redis.stop();
    await this.db.drop();
    const held = this.#held();
    // A gateway without one of its guards may answer anything.
    const faults = [...held, ...(this.#without ? [] : this.#undocumented)];
    if (faults.length > 0) throw new Error(faults.join("\n"));
  }

  #spawn(script: string, env: Record<string, string>): Process {
    const hook = new URL("./faults/edit-sources.ts", import.meta.url).href;
    const edits = this.#without ?? env["FAULT_POINT"] ?? this.#env["SHORT_TIMES"];
    const args = edits ? ["--import", hook] : [];
    const started = startProcess(
      script,
      {
        DATABASE_URL: this.db.url,
        REDIS_URL: this.redis.url,
        KEY_PEPPER: pepper,
        CURSOR_SECRET: "test-cursor-secret-test-cursor-secret",
        PUPPETEER_EXECUTABLE_PATH: process.env["TEST_CHROMIUM"],
        CHROMIUM_LAUNCHER: process.env["TEST_CHROMIUM_LAUNCHER"] ?? "[]",
        ...(this.#without ? { WITHOUT_GUARD: this.#without } : {}),
        ...this.#env,
        ...env,
      },
      args,
    );
    this.#all.push(started);
    return started;
  }

  /** A file that was never loaded was never edited. */
  #checkEdited(process: Process, folders: string[], faultPoint?: string): void {
    const edits = [
      ...(this.#without ? (guardNamed(this.#without).edits ?? []) : []),
      ...(faultPoint ? faultPointNamed(faultPoint) : []),
      ...(this.#env["SHORT_TIMES"] ? shortTimesNamed(this.#env["SHORT_TIMES"]) : []),
    ];
    for (const { file } of edits) {
      if (!folders.some((folder) => file.startsWith(folder))) continue;
      if (!process.log().includes(edited(file))) throw new Error(`${file} was not edited`);
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Waits until `condition` holds; throws after `withinMs`, much longer than any machine needs. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs = 60_000,
): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within ${withinMs} ms`);
    await sleep(50);
  }
}
