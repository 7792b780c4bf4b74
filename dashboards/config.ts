import * as z from "zod";
import { redisPrefixVariable, redisUrl } from "../runtime/redis/address.ts";
import { databaseUrl } from "../runtime/database-url.ts";
import { flag, host, list, logLevel, port, trustedProxies } from "../runtime/environment.ts";
import { type Environment, readSettings } from "../runtime/settings.ts";
import { aboveCeiling, capacitySettings, capacityVariables } from "./capacity/settings.ts";
import { namedUsers } from "./users.ts";

const secret = z.string().min(8, "at least 8 characters");

const userName = z
  .string()
  .regex(/^(?=.*\S)[^:\p{Cc}]+$/u, "a name without colons and control characters");

const defaultViewer = "viewer";

/** Every variable of the dashboards; docs/configuration.md is generated from this object. */
export const environment = z.object({
  REDIS_URL: redisUrl,
  REDIS_PREFIX: redisPrefixVariable,
  DATABASE_URL: databaseUrl.optional().meta({
    description: "URL of Postgres, as for the API. Without it the pages show only data from Redis.",
    absent: "none",
  }),
  DASHBOARDS_PORT: port.default(3001).describe("Port that the dashboards listen on."),
  DASHBOARDS_HOST: host.default("127.0.0.1").describe("Address that the dashboards listen on."),
  DASHBOARDS_USER: userName.default("operator").describe("Name of the operator."),
  DASHBOARDS_PASSWORD: secret.describe("Password of the operator."),
  DASHBOARDS_VIEWER: userName
    .default(defaultViewer)
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
  DASHBOARDS_WRITABLE: flag
    .default(true)
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
  if (env.DASHBOARDS_VIEWER_PASSWORD !== undefined && env.DASHBOARDS_VIEWER === env.DASHBOARDS_USER)
    object("DASHBOARDS_VIEWER", "is the operator already");
  if (env.DASHBOARDS_VIEWER_PASSWORD === undefined && env.DASHBOARDS_VIEWER !== defaultViewer)
    object("DASHBOARDS_VIEWER", "needs DASHBOARDS_VIEWER_PASSWORD: nobody else is a viewer");
  const pool = aboveCeiling(env);
  if (pool)
    object("CAPACITY_FLOORS", `the one of ${pool} is above its ceiling in CAPACITY_CEILINGS`);
  if (env.DASHBOARDS_PROXY_HEADER === undefined && env.DASHBOARDS_PROXY_OPERATORS.length > 0)
    object("DASHBOARDS_PROXY_OPERATORS", "needs DASHBOARDS_PROXY_HEADER, which names the users");
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

/** Reads the environment of the dashboards. Throws SettingsError. */
export const readConfig = (env: Environment): Config => readSettings(settings, env, fileSecrets);
