import { readFileSync } from "node:fs";
import * as z from "zod";
import { redisUrl } from "../runtime/redis/address.ts";
import { databaseUrl } from "../runtime/database-url.ts";
import { capacitySettings, capacityVariables } from "./capacity/settings.ts";

const secret = z.string().min(8, "at least 8 characters");

const environment = z
  .object({
    REDIS_URL: redisUrl,
    /** Without a database the pages show only data from Redis. */
    DATABASE_URL: databaseUrl.optional(),
    DASHBOARDS_PORT: z
      .string()
      .regex(/^\d{1,5}$/, "a port number")
      .transform(Number)
      .refine((port) => port <= 65_535, "a port number")
      .default(3001),
    DASHBOARDS_HOST: z.string().default("127.0.0.1"),
    DASHBOARDS_USER: z
      .string()
      .regex(/^[^:\p{Cc}]+$/u, "no colon and no control characters")
      .default("operator"),
    DASHBOARDS_PASSWORD: secret,
    /** The viewer sees everything and changes nothing. */
    DASHBOARDS_VIEWER: z
      .string()
      .regex(/^[^:\p{Cc}]+$/u, "no colon and no control characters")
      .default("viewer"),
    DASHBOARDS_VIEWER_PASSWORD: secret.optional(),
    /** False makes the dashboards read-only for the operator as well. */
    DASHBOARDS_WRITABLE: z
      .enum(["true", "false"])
      .default("true")
      .transform((value) => value === "true"),
    METRICS_TOKEN: secret.regex(/^\S+$/, "no spaces").optional(),
    LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
    ...capacityVariables,
  })
  .transform((env) => ({
    redisUrl: env.REDIS_URL,
    databaseUrl: env.DATABASE_URL,
    port: env.DASHBOARDS_PORT,
    host: env.DASHBOARDS_HOST,
    user: env.DASHBOARDS_USER,
    password: env.DASHBOARDS_PASSWORD,
    viewer:
      env.DASHBOARDS_VIEWER_PASSWORD === undefined
        ? undefined
        : { user: env.DASHBOARDS_VIEWER, password: env.DASHBOARDS_VIEWER_PASSWORD },
    writable: env.DASHBOARDS_WRITABLE,
    metricsToken: env.METRICS_TOKEN,
    logLevel: env.LOG_LEVEL,
    capacity: capacitySettings(env),
  }));

export type Config = z.output<typeof environment>;

/** Secrets that may come from a file named by the variable with `_FILE` appended. */
const fileSecrets = [
  "DATABASE_URL",
  "DASHBOARDS_PASSWORD",
  "DASHBOARDS_VIEWER_PASSWORD",
  "METRICS_TOKEN",
];

/** Throws one Error that lists every problem, never a secret's value. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  // An empty variable counts as unset: compose files pass missing variables on as empty ones.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  for (const name of fileSecrets) {
    const file = given[`${name}_FILE`];
    if (given[name] || !file) continue;
    try {
      given[name] = readFileSync(file, "utf8").trim();
    } catch (error) {
      problems.push(`${name}_FILE: cannot be read (${(error as NodeJS.ErrnoException).code})`);
      given[name] = "unreadable file";
    }
  }
  const parsed = environment.safeParse(given);
  for (const issue of parsed.error?.issues ?? []) {
    const name = issue.path.join(".");
    problems.push(`${name}: ${given[name] === undefined ? "is not set" : issue.message}`);
  }
  if (problems.length > 0 || !parsed.success) {
    throw new Error(`The environment has these problems:\n  ${problems.join("\n  ")}`);
  }
  return parsed.data;
}
