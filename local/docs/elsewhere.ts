import type { Variable } from "./variables.ts";

/** Variables that no schema of a process has. */

export const traces: Variable[] = [
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    default: "none: no traces",
    meaning:
      "URL of a collector for traces by OTLP over HTTP, as JSON; `docs/observability.md` describes the spans.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    default: "`OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/traces`",
    meaning: "The same with its whole path, for traces only.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    default: "none",
    meaning: "Credentials for the collector: `name=value`, comma-separated.",
  },
  {
    name: "OTEL_TRACES_SAMPLER",
    default: "`parentbased_traceidratio`",
    values: "always_on, always_off, traceidratio; each also with parentbased_ in front",
    meaning: "Sampler that decides which requests have a trace.",
  },
  {
    name: "OTEL_TRACES_SAMPLER_ARG",
    default: "`0.01`",
    values: "0 to 1",
    meaning: "Share of the requests that the sampler takes.",
  },
  {
    name: "OTEL_BSP_SCHEDULE_DELAY",
    default: "`1000`",
    meaning: "Milliseconds that a span waits for its batch at most.",
  },
  {
    name: "OTEL_SERVICE_NAME",
    default: "`gateway-api`, `gateway-worker`",
    meaning: "Name of the service in its traces.",
  },
  {
    name: "OTEL_RESOURCE_ATTRIBUTES",
    default: "none",
    meaning: "Further attributes of the process in its traces: `name=value`, comma-separated.",
  },
  {
    name: "OTEL_SDK_DISABLED",
    default: "`false`",
    values: "true, false",
    meaning: "`true` switches traces off.",
  },
  {
    name: "OTEL_TRACES_EXPORTER",
    default: "`otlp`",
    values: "otlp, none",
    meaning: "`none` switches traces off.",
  },
];

export const dataDir: Variable = {
  name: "DATA_DIR",
  default: "`.data` in the project",
  meaning:
    "Folder of the stores, secrets, ports and logs of `npm start`; each instance has its own.",
};

export const browserKind: Variable = {
  name: "BROWSER_KIND",
  default: "a headless shell, else the full browser",
  values: "shell, full",
  meaning: "Kind of Chromium to look for; `docs/browser.md` compares both.",
};

export const compose: Variable[] = [
  {
    name: "POSTGRES_PASSWORD",
    default: "required",
    meaning: "Password of the Postgres container.",
  },
  { name: "REDIS_PASSWORD", default: "required", meaning: "Password of the Redis container." },
  { name: "REDIS_MAXMEMORY", default: "`1gb`", meaning: "Memory limit of the Redis container." },
  {
    name: "API_ADDRESS",
    default: "`127.0.0.1:3000`",
    meaning: "Address and port of the host where the API is published.",
  },
  {
    name: "DASHBOARDS_ADDRESS",
    default: "`127.0.0.1:3001`",
    meaning: "Address and port of the host where the dashboards are published.",
  },
  {
    name: "CHROMIUM_PACKAGE",
    default: "`chromium-headless-shell`",
    values: "chromium-headless-shell, chromium",
    meaning: "Debian package of the browser in the image.",
  },
  ...["BROWSER", "SEO", "SEO_BULK", "SERP", "SOCIAL", "WEBHOOKS"].map((pool) => ({
    name: `WORKER_SLOTS_${pool}`,
    default: "as `WORKER_SLOTS` of the workers",
    values: "1 to 1000",
    meaning: `\`WORKER_SLOTS\` of the service \`worker-${pool.toLowerCase().replace("_", "-")}\`.`,
  })),
];
