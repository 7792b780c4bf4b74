import * as z from "zod";
import { redisUrl } from "../runtime/redis/address.ts";
import { databaseUrl } from "../runtime/database-url.ts";
import { list, logLevel, trustedProxies, withFiles } from "../runtime/environment.ts";
import { capacitySettings, capacityVariables } from "./capacity/settings.ts";
import { namedUsers } from "./users.ts";

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
  DASHBOARDS_USERS: namedUsers.meta({
    description:
      "Users by name, as `name:role:hash` that `gateway users hash` prints, separated by line ends; the role is `operator` or `viewer`.",
    absent: "none: one operator, and the viewer",
  }),
  DASHBOARDS_PROXY_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, "the name of a header")
    .transform((name) => name.toLowerCase())
    .optional()
    .meta({
      description:
        "Header in which a proxy of `TRUSTED_PROXIES` names the user whom it has authenticated, such as `X-Forwarded-Email` of oauth2-proxy.",
      absent: "none: users log in here",
    }),
  DASHBOARDS_PROXY_OPERATORS: list.describe(
    "Users of `DASHBOARDS_PROXY_HEADER` who are operators, comma-separated; `*` means all. The others are viewers.",
  ),
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
  LOG_LEVEL: logLevel,
  ...capacityVariables,
});

/** Objections that concern more than one variable. */
function objections(env: z.output<typeof environment>, context: z.RefinementCtx): void {
  const object = (name: string, message: string) =>
    context.addIssue({ code: "custom", path: [name], message, input: env });
  const taken = [
    env.DASHBOARDS_USER,
    ...(env.DASHBOARDS_VIEWER_PASSWORD ? [env.DASHBOARDS_VIEWER] : []),
  ];
  const twice = env.DASHBOARDS_USERS.find(({ user }) => taken.includes(user));
  if (twice) object("DASHBOARDS_USERS", `${twice.user} is the operator or the viewer already`);
  if (env.DASHBOARDS_PROXY_HEADER !== undefined && env.TRUSTED_PROXIES.length === 0)
    object("DASHBOARDS_PROXY_HEADER", "needs TRUSTED_PROXIES: anybody else could send the header");
}

const settings = environment.superRefine(objections).transform((env) => ({
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
  users: env.DASHBOARDS_USERS,
  proxyUsers:
    env.DASHBOARDS_PROXY_HEADER === undefined
      ? undefined
      : {
          header: env.DASHBOARDS_PROXY_HEADER,
          operators: env.DASHBOARDS_PROXY_OPERATORS,
          proxies: env.TRUSTED_PROXIES,
        },
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
  "DASHBOARDS_USERS",
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
