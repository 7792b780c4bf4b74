import { readFileSync } from "node:fs";
import * as z from "zod";
import { redisUrl } from "../runtime/redis/address.ts";
import { databaseUrl } from "../runtime/database-url.ts";
import { mostCallLogs } from "../db/call-logs.ts";
import { defaultQueueMs } from "./jobs/jobs.ts";
import { defaultStallMs } from "./edge/slow-readers.ts";

/** A secret comes from `NAME`, or from the file that `NAME_FILE` names. */
function withFiles(env: Record<string, string | undefined>, names: readonly string[]) {
  const read = { ...env };
  for (const name of names) {
    const file = env[`${name}_FILE`];
    if (read[name] === undefined && file) read[name] = readFileSync(file, "utf8").trim();
  }
  return read;
}

const list = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((entry) => entry.trim())
      .filter(Boolean),
  );

const environment = z.object({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  HOST: z.string().default("127.0.0.1"),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000),
  KEY_PEPPER: z.string().min(32),
  CURSOR_SECRET: z.string().min(32),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(100).default(6),
  /** Holds are voided this long after their deadline, in milliseconds. */
  HOLD_GRACE_MS: z.coerce.number().int().min(0).default(60_000),
  SWEEP_EVERY_MS: z.coerce.number().int().min(100).default(15_000),
  /** Addresses or CIDR ranges of load balancers, comma-separated: X-Forwarded-For is believed from them. */
  TRUSTED_PROXIES: list,
  /** Origins of web pages that may call from a browser, comma-separated; `*` is any. */
  WEB_ORIGINS: list,
  /**
   * Inside addresses that webhooks may be sent to, loopback ones by http as well (exceptions of the SSRF
   * filter).
   */
  WEBHOOK_ALLOW: list,
  EGRESS_DENY: list,
  RESOLVER: z.string().optional(),
  /** Seconds between attempts to deliver a webhook, the last one again and again. */
  WEBHOOK_PAUSES: list.transform((texts) => texts.map(Number)).pipe(z.array(z.number().min(0))),
  /** A connection is closed when no byte of its answer moves for this long, in milliseconds. */
  ANSWER_STALL_MS: z.coerce.number().int().min(100).default(defaultStallMs),
  /** The most bytes of kept answers per account and mode; beyond it, keys of new calls are refused. */
  REPLAY_BYTES_PER_ACCOUNT: z.coerce
    .number()
    .int()
    .min(0)
    .default(1024 ** 3),
  /** The most call logs kept, for a week at most; about a kilobyte each. */
  STORIES_KEPT: z.coerce.number().int().min(0).default(mostCallLogs),
  /** A job may wait in its queue for this long before its own deadline begins. */
  JOB_QUEUE_MS: z.coerce.number().int().min(1000).max(3600_000).default(defaultQueueMs),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
});

export type Config = z.output<typeof environment>;

/** Reads the environment of an API process; all problems are reported at once. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const secrets = ["DATABASE_URL", "REDIS_URL", "KEY_PEPPER", "CURSOR_SECRET"];
  const parsed = environment.safeParse(withFiles(env, secrets));
  if (!parsed.success) throw new Error(`Environment of the API:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
