import * as z from "zod";
import { redisUrl } from "../runtime/redis/address.ts";
import { databaseUrl } from "../runtime/database-url.ts";
import {
  credentialsVariables,
  egressVariables,
  list,
  logLevel,
  trustedProxies,
  withFiles,
} from "../runtime/environment.ts";
import { mostCallLogs } from "../db/call-logs.ts";
import { defaultQueueMs } from "./jobs/jobs.ts";
import { defaultStallMs } from "./edge/slow-readers.ts";
import { defaultPauses } from "./webhooks/retry.ts";

/** Every variable of an API process; docs/configuration.md is generated from this object. */
export const environment = z.object({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  HOST: z.string().default("127.0.0.1").describe("Address that the API listens on."),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(3000)
    .describe("Port that the API listens on; 0 takes any free port."),
  KEY_PEPPER: z
    .string()
    .min(32)
    .describe(
      "Secret that the hashes of keys depend on. With another value every key is invalid and stored webhook secrets cannot be read.",
    ),
  CURSOR_SECRET: z
    .string()
    .min(32)
    .describe("Secret that signs cursors. With another value every cursor is invalid."),
  ...credentialsVariables,
  DATABASE_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(2)
    .max(100)
    .default(6)
    .describe("Connections of an API process to Postgres; one more is for usage reports."),
  HOLD_GRACE_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(60_000)
    .describe("Milliseconds after a call's deadline when its hold is void."),
  SWEEP_EVERY_MS: z.coerce
    .number()
    .int()
    .min(100)
    .default(15_000)
    .describe(
      "Milliseconds between two sweeps, which release void holds; every tenth deletes old rows.",
    ),
  TRUSTED_PROXIES: trustedProxies,
  WEB_ORIGINS: list.describe(
    "Origins of web pages that may call from a browser (CORS), comma-separated; `*` is any.",
  ),
  WEBHOOK_ALLOW: egressVariables.WEBHOOK_ALLOW,
  EGRESS_DENY: egressVariables.EGRESS_DENY,
  RESOLVER: egressVariables.RESOLVER,
  WEBHOOK_PAUSES: list
    .transform((texts) => texts.map(Number))
    .pipe(z.array(z.number().min(0)))
    .meta({
      description:
        "Seconds between attempts to deliver a webhook, comma-separated; the last pause repeats.",
      absent: `\`${defaultPauses.join(",")}\``,
    }),
  ANSWER_STALL_MS: z.coerce
    .number()
    .int()
    .min(100)
    .default(defaultStallMs)
    .describe(
      "Milliseconds for which a caller may read no byte of an answer; then the API closes the connection.",
    ),
  REPLAY_BYTES_PER_ACCOUNT: z.coerce
    .number()
    .int()
    .min(0)
    .default(1024 ** 3)
    .describe(
      "Bytes of stored answers that an account may have in a mode. Beyond that, calls with a new Idempotency-Key and new jobs are refused.",
    ),
  STORIES_KEPT: z.coerce
    .number()
    .int()
    .min(0)
    .default(mostCallLogs)
    .describe(
      "Timelines of calls that Postgres keeps, for a week at most; each needs about a kilobyte.",
    ),
  JOB_QUEUE_MS: z.coerce
    .number()
    .int()
    .min(1000)
    .max(3600_000)
    .default(defaultQueueMs)
    .describe("Milliseconds that a job may wait in its queue before its own time limit begins."),
  LOG_LEVEL: logLevel,
});

/** Variables that may come from the file that the variable with `_FILE` appended names. */
export const fileSecrets = [
  "DATABASE_URL",
  "REDIS_URL",
  "KEY_PEPPER",
  "CURSOR_SECRET",
  "CREDENTIALS_KEY",
  "CREDENTIALS_KEY_PREVIOUS",
];

export type Config = z.output<typeof environment>;

/** Reads the environment of an API process; all problems are reported at once. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const parsed = environment.safeParse(withFiles(env, fileSecrets));
  if (!parsed.success) throw new Error(`Environment of the API:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
