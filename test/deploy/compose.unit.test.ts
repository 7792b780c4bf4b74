import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { environment as apiVariables, readConfig as readApi } from "../../api/config.ts";
import {
  defaultNice,
  environment as workerVariables,
  readConfig as readWorker,
} from "../../worker/config.ts";
import { processes } from "../../local/docs/processes.ts";
import { parse } from "yaml";
import * as z from "zod";
import { pools } from "../../contract/operation.ts";

/**
 * docker-compose.yml against the used part of the Compose specification, and against its own
 * promises.
 */

interface Service {
  image: string;
  build?: { dockerfile: string };
  command?: string[];
  restart: string;
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  networks: string[];
  volumes?: string[];
  healthcheck?: Record<string, string | string[]>;
  stop_grace_period?: string;
  cpu_shares?: number;
  [more: string]: unknown;
}

const root = join(import.meta.dirname, "..", "..");
const text = readFileSync(join(root, "docker-compose.yml"), "utf8");
const file = parse(text, { merge: true }) as {
  name: string;
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, object>;
};
const services = Object.entries(file.services);
const lasting = services.filter(([name]) => name !== "migrate");
const workers = services.filter(([name]) => name.startsWith("worker-"));

const unique = (item: z.ZodType<string>) =>
  z.array(item).refine((items) => new Set(items).size === items.length, "twice the same");
const named = <T extends z.ZodType>(value: T) =>
  z.record(z.string().regex(/^[a-zA-Z0-9._-]+$/), value);
const duration = z.string().regex(/^(\d+(us|ms|s|m|h))+$/);
const size = z.string().regex(/^\d+(\.\d+)?[bkmg]b?$/i);
const port = String.raw`(\$\{\w+:-[\d.]+:\d+\}|[\d.]+:\d+):\d+`;

/** The used part of the Compose specification, with its types, and no other name. */
const composed = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
  services: named(
    z.strictObject({
      image: z.string(),
      build: z
        .strictObject({
          context: z.string(),
          dockerfile: z.string(),
          args: z.record(z.string(), z.string()),
        })
        .optional(),
      init: z.boolean().optional(),
      command: z.array(z.string()).optional(),
      // Only the values of the specification that are intended here.
      restart: z.enum(["no", "unless-stopped"]),
      read_only: z.boolean().optional(),
      tmpfs: unique(z.string().regex(/^\/[\w/]+(:[a-z]+=\w+(,[a-z]+=\w+)*)?$/)).optional(),
      cap_drop: unique(z.string().regex(/^[A-Z_]+$/)).optional(),
      security_opt: unique(z.string().regex(/^[a-z-]+:.+$/)).optional(),
      environment: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string()).optional(),
      user: z.string().optional(),
      volumes: unique(z.string().regex(/^[\w.-]+:\/[\w/]+(:ro)?$/)).optional(),
      networks: unique(z.string()),
      depends_on: named(
        z.strictObject({
          condition: z.enum(["service_healthy", "service_completed_successfully"]),
        }),
      ).optional(),
      ports: unique(z.string().regex(new RegExp(`^${port}$`))).optional(),
      healthcheck: z
        .strictObject({
          test: z.tuple([z.enum(["CMD", "CMD-SHELL"]), z.string()], z.string()),
          interval: duration,
          timeout: duration,
          start_period: duration,
        })
        .optional(),
      stop_signal: z
        .string()
        .regex(/^SIG[A-Z0-9]+$/)
        .optional(),
      stop_grace_period: duration.optional(),
      shm_size: size.optional(),
      mem_limit: size.optional(),
      pids_limit: z.int().positive().optional(),
      cpu_shares: z.int().min(2).max(262_144).optional(),
      sysctls: z.record(z.string().regex(/^[a-z0-9_.]+$/), z.string()).optional(),
    }),
  ),
  networks: named(z.strictObject({ internal: z.boolean().optional() })),
  volumes: named(z.strictObject({})),
});

const own = Object.fromEntries(Object.entries(file).filter(([key]) => !key.startsWith("x-")));

test("it uses valid names and types of the Compose specification", () => {
  expect(composed.safeParse(own).error?.issues).toBeUndefined();
});

test.each([
  ["a name that is none", { healtcheck: {} }],
  ["a size with a space", { mem_limit: "6 gb" }],
  ["a time without a unit", { stop_grace_period: "140" }],
  ["a number where a text is required", { environment: { PORT: 3000 } }],
  ["a condition that is none", { depends_on: { redis: { condition: "healthy" } } }],
  ["a port that is reached from outside", { ports: ["3000:3000"] }],
  ["a command for the shell that names none", { healthcheck: { test: ["node"] } }],
])("%s is found", (_name, change) => {
  const api = { ...file.services["api"], ...change };
  expect(composed.safeParse({ ...own, services: { ...file.services, api } }).success).toBe(false);
});

test("every reference from one service to another exists", () => {
  for (const [name, { depends_on = {}, networks, volumes = [] }] of services) {
    for (const network of networks) expect(Object.keys(file.networks), name).toContain(network);
    for (const volume of volumes)
      expect(Object.keys(file.volumes), name).toContain(volume.split(":")[0]);
    for (const [other, { condition }] of Object.entries(depends_on)) {
      const target = file.services[other];
      expect(target, `${name} waits for ${other}`).toBeDefined();
      // Neither condition would ever become true.
      if (condition === "service_healthy") expect(target?.healthcheck, other).toBeDefined();
      else {
        expect(condition).toBe("service_completed_successfully");
        expect(target?.restart).toBe("no");
      }
      const shared = target?.networks.filter((network) => networks.includes(network));
      expect(shared?.length, `${name} reaches ${other}`).toBeGreaterThan(0);
    }
  }
  for (const [name, { command = [], healthcheck, build }] of services) {
    const words = [...command, ...[healthcheck?.["test"] ?? []].flat()];
    const scripts = words.filter((word) => /^[\w/-]+\.ts$/.test(word));
    for (const script of [...scripts, ...(build ? [build.dockerfile] : [])])
      expect(existsSync(join(root, script)), `${name}: ${script}`).toBe(true);
  }
});

test("every variable is in the example environment, and every one there is used", () => {
  const used = [...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name as string);
  const example = readFileSync(join(root, "deploy", "environment.example"), "utf8");
  const documented = [...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name as string);
  expect([...new Set(used)].toSorted()).toEqual(documented.toSorted());
});

/** The image, or the roles of the services, set these; a value from .env would be wrong for most services. */
const fixed =
  /^(NODE_ENV|(DASHBOARDS_)?(HOST|PORT)|OTEL_SERVICE_NAME|PUPPETEER_EXECUTABLE_PATH|CHROMIUM_(LAUNCHER|SANDBOX))$/;

test.each([
  ["API", ["api"]],
  ["dashboards", ["dashboards"]],
  ["egress service", ["egress"]],
  ["workers", workers.map(([name]) => name)],
  ["upstreams", workers.map(([name]) => name)],
])("compose passes every variable of %s on", (reader, names) => {
  const read = processes.find(({ name }) => name === reader)?.variables ?? [];
  const passed = names.flatMap((name) => Object.keys(file.services[name]?.environment ?? {}));
  expect(read.length).toBeGreaterThan(4);
  const absent = read.map(({ name }) => name).filter((name) => !passed.includes(name));
  expect(absent.filter((name) => !fixed.test(name))).toEqual([]);
});

test("an empty variable of .env leaves the default of API and workers", () => {
  const secret = "x".repeat(32);
  const api = {
    DATABASE_URL: "postgres://gateway@postgres/gateway",
    REDIS_URL: "redis://redis:6379",
    KEY_PEPPER: secret,
    CURSOR_SECRET: secret,
  };
  const emptied = (schema: z.ZodObject) =>
    Object.fromEntries(Object.keys(schema.shape).map((name) => [name, ""]));
  expect(readApi({ ...emptied(apiVariables), ...api })).toEqual(readApi(api));
  const worker = { REDIS_URL: api.REDIS_URL };
  expect(readWorker({ ...emptied(workerVariables), ...worker })).toEqual(readWorker(worker));
});

test("nothing runs with unneeded privileges", () => {
  for (const [name, service] of services) {
    expect(service.read_only, name).toBe(true);
    expect(service.cap_drop, name).toEqual(["ALL"]);
    expect(service.security_opt, name).toContain("no-new-privileges:true");
    for (const folder of service.tmpfs ?? []) expect(folder, name).toMatch(/[:,]size=\d+[mg]\b/);
  }
  for (const [name, { environment = {}, networks }] of workers) {
    const foreign = /^(DATABASE_URL|KEY_PEPPER|CURSOR_SECRET|DASHBOARDS_)/;
    expect(
      Object.keys(environment).filter((key) => foreign.test(key)),
      name,
    ).toEqual([]);
    expect(networks, name).not.toContain("store");
  }
  // A browser's only way out is the egress service, and no upstream credential is near it.
  const browser = file.services["worker-browser"] as Service;
  expect(browser.networks.toSorted()).toEqual(["browsers", "inside"]);
  expect(
    Object.keys(browser.environment ?? {}).filter((key) => /KEY|SECRET|LOGIN/.test(key)),
  ).toEqual([]);
  for (const name of ["inside", "store", "browsers"])
    expect(file.networks[name]?.internal, name).toBe(true);
});

test("failed services restart, stopping services may finish their calls, and no work is dropped", () => {
  for (const [name, { restart, healthcheck }] of lasting) {
    expect(restart, name).toBe("unless-stopped");
    expect(healthcheck, name).toBeDefined();
  }
  for (const [name, { stop_grace_period = "0s" }] of [
    ...workers,
    ["api", file.services["api"] as Service] as const,
  ])
    expect(Number.parseInt(stop_grace_period, 10), name).toBeGreaterThan(135);
  // The default weight of a container is 1024; a worker's corresponds to its niceness outside of
  // one.
  for (const [name, { cpu_shares = 1024 }] of workers)
    expect(cpu_shares, name).toBe(Math.floor(1024 / 1.25 ** defaultNice));
  const redis = (file.services["redis"] as Service).command?.join(" ") ?? "";
  expect(redis).toContain("--maxmemory-policy noeviction");
  expect(redis).toContain("--appendonly yes");
  const served = workers.flatMap(([, { environment }]) =>
    (environment?.["WORKER_POOLS"] ?? "").split(","),
  );
  expect(pools.filter((pool) => !served.includes(pool))).toEqual([]);
});
