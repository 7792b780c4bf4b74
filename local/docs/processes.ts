import * as api from "../../api/config.ts";
import { upstreams } from "../../worker/sandbox/upstreams.ts";
import * as dashboards from "../../dashboards/config.ts";
import * as worker from "../../worker/config.ts";
import * as egress from "../../worker/egress/config.ts";
import { limitsFrom } from "../../worker/upstreams/dataforseo/client.ts";
import { redditToken } from "../../worker/upstreams/reddit/client.ts";
import * as fonts from "../fonts.ts";
import { browserKind, compose, dataDir, traces } from "./elsewhere.ts";
import { type Variable, like, variablesOf } from "./variables.ts";

/** Each process with its variables. Rows of variables outside the schemas stand here and in elsewhere.ts. */

export interface Process {
  /** Heading of its section. */
  title: string;
  /** Name in the column "read by". */
  name: string;
  about: string;
  variables: Variable[];
}

const apiRows = variablesOf(api.environment, api.fileSecrets);
const workerRows = variablesOf(worker.environment, worker.fileSecrets);
const dashboardsRows = variablesOf(dashboards.environment, dashboards.fileSecrets);

const limits = limitsFrom({});

/** Every upstream has a base URL; several may share a credential. */
function upstreamRows(): Variable[] {
  const all = [...upstreams, redditToken];
  const names = [...new Set(all.flatMap(({ credentials }) => credentials))];
  const credentials = names.map((name): Variable => {
    const users = all.filter((one) => one.credentials.includes(name)).map((one) => one.name);
    return {
      name,
      default: "none",
      meaning: `Credential for ${[...new Set(users)].join(", ")}.`,
      file: true,
    };
  });
  const tokens = Map.groupBy(all, ({ optional }) => optional?.credential);
  for (const [name, users] of tokens) {
    if (name === undefined) continue;
    const named = users.map((one) => one.name).join(", ");
    const meaning = `Raises the limits of ${named}; not required.`;
    credentials.push({ name, default: "none", meaning, file: true });
  }
  const bases = [...Map.groupBy(all, ({ baseUrl }) => baseUrl.env)].map(
    ([name, users]): Variable => {
      const named = users.map((one) => one.name).join(", ");
      return {
        name,
        default: `\`${users[0]?.baseUrl.default}\``,
        meaning: `Base URL of ${named}.`,
      };
    },
  );
  return [
    ...credentials,
    {
      name: "DATAFORSEO_CALLS_PER_MINUTE",
      default: `\`${limits.perMinute}\``,
      values: "1 to 9999999",
      meaning: "Rate limit of the account at dataforseo, in calls a minute.",
    },
    {
      name: "DATAFORSEO_SIMULTANEOUS_CALLS",
      default: `\`${limits.simultaneous}\``,
      values: "1 to 9999999",
      meaning: "Concurrency limit of the account at dataforseo, where the provider has one.",
    },
    ...bases,
  ];
}

const found = { default: "the first that is found and renders" };
const generated = { default: "generated at the first start", file: true };
const runs = { default: "the gateway that runs in `DATA_DIR`" };
const ownRedis = { default: "a Redis that it starts", file: true };
const ownPostgres = { default: "a Postgres that it starts", file: true };

const start: Variable[] = [
  dataDir,
  ...like(apiRows, {
    DATABASE_URL: ownPostgres,
    REDIS_URL: ownRedis,
    HOST: {},
    PORT: { values: "1 to 65535", meaning: "Port that the API listens on." },
    KEY_PEPPER: generated,
    CURSOR_SECRET: generated,
  }),
  ...like(dashboardsRows, {
    DASHBOARDS_HOST: {},
    DASHBOARDS_PORT: { values: "1 to 65535" },
    DASHBOARDS_USER: {},
    DASHBOARDS_PASSWORD: { default: "generated at the first start, and printed", file: true },
    CAPACITY_CEILINGS: {
      default:
        "with `--autoscale`: `all=4`, for `browser` half the processors and at least 2; at least the floor",
    },
  }),
  ...like(workerRows, {
    EGRESS_ALLOW: {},
    FAILED_ANSWERS_KEY: { default: "derived from `KEY_PEPPER`", file: true },
    CREDENTIALS_KEY: { default: "derived from `KEY_PEPPER`", file: true },
    CREDENTIALS_KEY_PREVIOUS: {
      file: true,
      default: "with `CREDENTIALS_KEY`: the key derived from `KEY_PEPPER`",
    },
    PUPPETEER_EXECUTABLE_PATH: found,
  }),
  browserKind,
  ...variablesOf(fonts.environment),
  {
    name: "NODE_OPTIONS",
    default: "none",
    meaning: "Options of Node for every process, after `--v8-pool-size=1`.",
  },
  {
    name: "NODE_COMPILE_CACHE",
    default: "`node_modules/.cache/compile`",
    meaning: "Folder in which Node keeps compiled code.",
  },
];

const commandLine: Variable[] = [
  {
    name: "GATEWAY_URL",
    default: "the gateway that runs in `DATA_DIR`, else `http://localhost:3000`",
    meaning: "URL of the gateway that `gateway call` and `gateway mcp` call.",
  },
  {
    name: "GATEWAY_KEY",
    default: "required by both",
    meaning: "Key with which `gateway call` and `gateway mcp` call.",
  },
  dataDir,
  ...like(apiRows, {
    DATABASE_URL: { ...runs, file: true },
    REDIS_URL: { ...runs, file: true },
    REDIS_PREFIX: {},
    KEY_PEPPER: {
      ...runs,
      file: true,
      meaning: "The API's pepper, for commands that create keys.",
    },
  }),
  {
    name: "DASHBOARDS_URL",
    ...runs,
    file: true,
    meaning: "URL of the dashboards, which `gateway capacity` reads.",
  },
  ...like(dashboardsRows, {
    METRICS_TOKEN: { default: "none: the operator's login", file: true },
    DASHBOARDS_USER: { file: true },
    DASHBOARDS_PASSWORD: { ...runs, file: true },
  }),
  ...like(workerRows, {
    FAILED_ANSWERS_KEY: { ...runs, file: true, meaning: "The workers' key, for `gateway replay`." },
    CREDENTIALS_KEY: {
      ...runs,
      file: true,
      meaning: "The key of API and workers, for `gateway credentials`.",
    },
    CREDENTIALS_KEY_PREVIOUS: {
      ...runs,
      file: true,
      meaning: "Their former key, for `gateway credentials rotate`.",
    },
    EGRESS_ALLOW: {},
    EGRESS_DENY: {},
    RESOLVER: {},
    PUPPETEER_EXECUTABLE_PATH: found,
  }),
  browserKind,
];

const scripts: Variable[] = [
  ...like(apiRows, { DATABASE_URL: { ...runs, file: true } }).map((row) => ({
    ...row,
    meaning: "`npm run migrate`: URL of the database to migrate.",
  })),
  {
    name: "SOAK_SECONDS",
    default: "`1200`",
    values: "20 to 86400",
    meaning: "`npm run soak`: seconds of traffic.",
  },
  {
    name: "SOAK_JSON",
    default: "none",
    meaning: "`npm run soak`: file that receives the figures as JSON.",
  },
];

export const processes: readonly Process[] = [
  {
    title: "API",
    name: "API",
    about: "`api/main.ts`. An empty variable counts as absent.",
    variables: [...apiRows, ...traces],
  },
  {
    title: "Workers",
    name: "workers",
    about: "`worker/main.ts`. An empty variable counts as absent.",
    variables: [...workerRows, ...traces],
  },
  {
    title: "Upstreams",
    name: "upstreams",
    about:
      "Workers read these, and `gateway doctor` reports missing credentials. [upstreams.md](upstreams.md) lists the areas of each upstream.",
    variables: upstreamRows(),
  },
  {
    title: "Dashboards",
    name: "dashboards",
    about: "`dashboards/main.ts`. An empty variable counts as absent.",
    variables: dashboardsRows,
  },
  {
    title: "Egress service",
    name: "egress service",
    about: "`worker/egress/main.ts`, for browser workers without a way out of their own.",
    variables: variablesOf(egress.environment),
  },
  {
    title: "npm start",
    name: "`npm start`",
    about:
      "`npm start` passes its environment on, so that the variables of API, workers and dashboards apply as well; each process gets only the secrets that it needs.",
    variables: start,
  },
  {
    title: "The gateway command",
    name: "`gateway`",
    about: "`npm run -s gateway -- …`.",
    variables: commandLine,
  },
  { title: "Scripts", name: "scripts", about: "Further `npm run` scripts.", variables: scripts },
  {
    title: "docker-compose.yml",
    name: "compose",
    about:
      "Compose reads these from `.env` and passes the variables of the processes on; `deploy/environment.example` is a template.",
    variables: compose,
  },
];
