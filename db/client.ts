import postgres from "postgres";
import { limitTime } from "../runtime/retry.ts";
import { databaseAddress } from "./address.ts";
import { type PostgresJsDatabase, drizzle } from "./drizzle.ts";
import { DatabaseError, codeOf, noAnswer, translated } from "./errors.ts";
import { endsSession } from "./sqlstates.ts";
import * as schema from "./schema.ts";

/** `int8` arrives as a number: credits and counts stay far below 2^53. */
export type Sql = postgres.Sql<{ int8: number }>;
export type Fragment = postgres.Fragment;

/**
 * A pool of connections. Each statement stands alone: changes that belong together are one SQL function,
 * because postgres.js may send the rest of an interrupted transaction over a fresh connection.
 */
export interface Database {
  readonly sql: Sql;
  readonly orm: PostgresJsDatabase<typeof schema>;
  /**
   * The answer of a statement, or a DatabaseError `unavailable` when the database is out of reach
   * or has not answered within the limit (milliseconds; a call must still have time to answer 503).
   */
  answer<T>(statement: PromiseLike<T>, limitMs?: number): Promise<T>;
  /** Waits up to two seconds for running statements. */
  close(): Promise<void>;
}

export const answerLimitMs = 2000;

/** A pool is replaced at most this often: a frozen server accepts connections that it never ends. */
const renewEveryMs = 5000;
/** Statements of a replaced pool may take this long to end. */
const oldPoolMs = 12_000;

export interface ConnectOptions {
  /** Most connections. */
  max?: number | undefined;
  /** Shown in pg_stat_activity. */
  name?: string | undefined;
  /** Default limit of `answer`, in milliseconds. */
  patienceMs?: number | undefined;
  /** The server gives up a statement after this time, in milliseconds. */
  statementTimeoutMs?: number | undefined;
}

export function connect(
  url: string,
  {
    max = 10,
    name = "gateway",
    patienceMs = answerLimitMs,
    statementTimeoutMs = 10_000,
  }: ConnectOptions = {},
): Database {
  const address = databaseAddress(url);
  const open = (): Sql =>
    postgres(address.url, {
      ...address.options,
      max,
      connect_timeout: patienceMs / 1000,
      // The driver's default backs off for up to 20 s, which the first calls after an outage would wait.
      backoff: (retries) => Math.min(0.05 * 2 ** retries, 0.5),
      keep_alive: 10,
      fetch_types: false,
      types: {
        int8: { to: 20, from: [20], serialize: (value: number) => String(value), parse: Number },
      },
      onnotice: () => {},
      connection: {
        application_name: name,
        // A pooler refuses settings that it would have to repeat for every transaction.
        ...(address.isPooled
          ? {}
          : {
              statement_timeout: statementTimeoutMs,
              // No call waits longer than this for an answer.
              lock_timeout: answerLimitMs,
              // Just-in-time compilation takes longer than any statement of this layer. The driver sends no `false`.
              jit: "off",
            }),
      },
    });
  let pool = open();
  // References to `sql` stay valid when the pool is replaced.
  const sql = new Proxy(pool, {
    apply: (_, self, args) => Reflect.apply(pool, self, args) as unknown,
    get: (_, name) => Reflect.get(pool, name) as unknown,
  });
  const orm = drizzle(sql, { schema });
  let renewedAt = -Infinity;
  let answeredAt = performance.now();

  /** Gives new statements new connections; old connections end with their statements, or by force. */
  function renew(): void {
    const now = performance.now();
    if (now - renewedAt < renewEveryMs) return;
    renewedAt = now;
    const old = pool;
    pool = open();
    // drizzle sets its parsers of times in the options of a pool.
    drizzle(pool);
    void old.end({ timeout: oldPoolMs / 1000 });
  }

  async function answer<T>(statement: PromiseLike<T>, limitMs = patienceMs): Promise<T> {
    const startedAt = performance.now();
    try {
      const result = await limitTime(statement, limitMs, () => noAnswer(limitMs));
      answeredAt = performance.now();
      return result;
    } catch (error) {
      const isSilence = error instanceof DatabaseError;
      if (!isSilence && codeOf(error) !== "") answeredAt = performance.now();
      // No answer at all since the statement was sent: the server may be gone without closing connections.
      if (isSilence ? answeredAt < startedAt : endsSession(codeOf(error))) renew();
      throw translated(error);
    }
  }

  return { sql, orm, answer, close: () => pool.end({ timeout: 2 }) };
}
