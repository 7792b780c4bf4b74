import * as z from "zod";
import { redisPrefixVariable, redisUrl } from "../runtime/redis/address.ts";
import { databaseUrl } from "../runtime/database-url.ts";
import {
  credentialsVariables,
  egressVariables,
  host,
  list,
  logLevel,
  longSecret,
  milliseconds,
  port,
  requireCurrentKey,
  trustedProxies,
  wholeNumber,
} from "../runtime/environment.ts";
import { type Environment, readSettings } from "../runtime/settings.ts";
import { mostCallLogs } from "../db/call-logs.ts";
import { defaultQueueMs } from "./jobs/jobs.ts";
import { defaultStallMs } from "./edge/slow-readers.ts";
import { defaultPauses } from "./webhooks/retry.ts";

/** Longest pause between two attempts to deliver a webhook, in seconds: the whole time of its attempts. */
const longestPause = 86_400;

/** Whether browsers may send this text as the Origin of a page; `*` stands for all of them. */
function isOrigin(text: string): boolean {
  if (text === "*" || text === "null") return true;
  const url = URL.parse(text);
  // The origins of browsers' extensions, for example, have schemes that URL knows no origin of.
  return /^https?:/.test(text) ? url?.origin === text : /^[a-z][\w+.-]*:\/\/[^\s/?#@]+$/.test(text);
}

/** Every variable of an API process; docs/configuration.md is generated from this object. */
export const environment = z.object({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  REDIS_PREFIX: redisPrefixVariable,
  HOST: host.default("127.0.0.1").describe("Address that the API listens on."),
  PORT: port.default(3000).describe("Port that the API listens on; 0 takes any free port."),
  KEY_PEPPER: longSecret.describe(
    "Secret that the hashes of keys depend on. With another value every key is invalid and stored webhook secrets cannot be read.",
  ),
  CURSOR_SECRET: longSecret.describe(
    "Secret that signs cursors. With another value every cursor is invalid.",
  ),
  ...credentialsVariables,
  DATABASE_CONNECTIONS: wholeNumber(2, 100)
    .default(6)
    .describe("Connections of an API process to Postgres; one more is for usage reports."),
  HOLD_GRACE_MS: milliseconds(0)
    .default(60_000)
    .describe("Milliseconds after a call's deadline when its hold is void."),
  SWEEP_EVERY_MS: milliseconds(100)
    .default(15_000)
    .describe(
      "Milliseconds between two sweeps, which release void holds; every tenth deletes old rows.",
    ),
  TRUSTED_PROXIES: trustedProxies,
  WEB_ORIGINS: list
    .refine((origins) => origins.every(isOrigin), "origins such as https://app.example, or *")
    .describe(
      "Origins of web pages that may call from a browser (CORS), comma-separated; `*` is any.",
    ),
  WEBHOOK_ALLOW: egressVariables.WEBHOOK_ALLOW,
  EGRESS_DENY: egressVariables.EGRESS_DENY,
  RESOLVER: egressVariables.RESOLVER,
  WEBHOOK_PAUSES: list
    .transform((texts) => texts.map(Number))
    .refine(
      (pauses) => pauses.every((seconds) => seconds >= 0 && seconds <= longestPause),
      `seconds from 0 to ${longestPause}, comma-separated`,
    )
    .meta({
      description:
        "Seconds between attempts to deliver a webhook, comma-separated; the last pause repeats.",
      absent: `\`${defaultPauses.join(",")}\``,
    }),
  ANSWER_STALL_MS: milliseconds(100)
    .default(defaultStallMs)
    .describe(
      "Milliseconds for which a caller may read no byte of an answer; then the API closes the connection.",
    ),
  REPLAY_BYTES_PER_ACCOUNT: wholeNumber(0, 1024 ** 4)
    .default(1024 ** 3)
    .describe(
      "Bytes of stored answers that an account may have in a mode. Beyond that, calls with a new Idempotency-Key and new jobs are refused.",
    ),
  STORIES_KEPT: wholeNumber(0, 1_000_000_000)
    .default(mostCallLogs)
    .describe(
      "Timelines of calls that Postgres keeps, for a week at most; each needs about a kilobyte.",
    ),
  JOB_QUEUE_MS: milliseconds(1000, 3600_000)
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

/** Reads the environment of an API process. Throws SettingsError. */
export const readConfig = (env: Environment): Config =>
  readSettings(environment.superRefine(requireCurrentKey), env, fileSecrets);
