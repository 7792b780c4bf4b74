import * as z from "zod";
import { redisUrl } from "../runtime/redis/address.ts";
import { databaseUrl } from "../runtime/database-url.ts";
import { trustedProxies, withFiles } from "../runtime/environment.ts";
import { capacitySettings, capacityVariables } from "./capacity/settings.ts";

const secret = z.string().min(8, "at least 8 characters");

const userName = z.string().regex(/^[^:\p{Cc}]+$/u, "no colon and no control characters");

/** Every variable of the dashboards; docs/configuration.md is generated from this object. */
export const environment = z.object({
  REDIS_URL: redisUrl,
  DATABASE_URL: databaseUrl.optional().meta({
    description: "URL of Postgres, as for the API. Without it the pages show only data from Redis.",
    absent: "none",
  }),
  DASHBOARDS_PORT: z
    .string()
    .regex(/^\d{1,5}$/, "a port number")
    .transform(Number)
    .refine((port) => port <= 65_535, "a port number")
    .default(3001)
    .meta({ description: "Port that the dashboards listen on.", values: "0 to 65535" }),
  DASHBOARDS_HOST: z
    .string()
    .default("127.0.0.1")
    .describe("Address that the dashboards listen on."),
  DASHBOARDS_USER: userName.default("operator").describe("Name of the operator."),
  DASHBOARDS_PASSWORD: secret.describe("Password of the operator."),
  DASHBOARDS_VIEWER: userName
    .default("viewer")
    .describe("Name of the viewer, who sees everything and changes nothing."),
  DASHBOARDS_VIEWER_PASSWORD: secret.optional().meta({
    description: "Password of the viewer.",
    absent: "none: there is no viewer",
  }),
  DASHBOARDS_WRITABLE: z
    .enum(["true", "false"])
    .default("true")
    .transform((value) => value === "true")
    .describe("`false` makes the dashboards read-only for the operator as well."),
  METRICS_TOKEN: secret.regex(/^\S+$/, "no spaces").optional().meta({
    description: "Bearer token with which programs read `/metrics` and `/capacity`.",
    absent: "none: the operator's login only",
  }),
  TRUSTED_PROXIES: trustedProxies,
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"])
    .default("info")
    .describe("Lowest level of the log lines that are written."),
  ...capacityVariables,
});

const settings = environment.transform((env) => ({
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
  trustedProxies: env.TRUSTED_PROXIES,
  logLevel: env.LOG_LEVEL,
  capacity: capacitySettings(env),
}));

export type Config = z.output<typeof settings>;

/** Secrets that may come from a file named by the variable with `_FILE` appended. */
export const fileSecrets = [
  "DATABASE_URL",
  "REDIS_URL",
  "DASHBOARDS_PASSWORD",
  "DASHBOARDS_VIEWER_PASSWORD",
  "METRICS_TOKEN",
];

/** Throws one Error that lists every problem, never a secret's value. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const given = withFiles(env, fileSecrets, (problem) => problems.push(problem));
  const parsed = settings.safeParse(given);
  for (const issue of parsed.error?.issues ?? []) {
    const name = issue.path.join(".");
    problems.push(`${name}: ${given[name] === undefined ? "is not set" : issue.message}`);
  }
  if (problems.length > 0 || !parsed.success) {
    throw new Error(`The environment has these problems:\n  ${problems.join("\n  ")}`);
  }
  return parsed.data;
}
