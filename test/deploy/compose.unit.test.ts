import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { pools } from "../../contract/operation.ts";

/** docker-compose.yml against the Compose specification, as far as it is used, and against what it promises. */

interface Service {
  image: string;
  build?: { dockerfile: string };
  command?: string[];
  restart: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  networks: string[];
  volumes?: string[];
  healthcheck?: Record<string, string | string[]>;
  stop_grace_period?: string;
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

/** Attributes of a service in the Compose specification that are used here. */
const attributes = new Set(
  "image build init command restart read_only tmpfs cap_drop security_opt environment user volumes networks depends_on ports healthcheck stop_signal stop_grace_period shm_size mem_limit pids_limit sysctls".split(
    " ",
  ),
);
const duration = /^(\d+(us|ms|s|m|h))+$/;
const size = /^\d+[bkmg]b?$/i;

test("it uses what the Compose specification has, written as it asks", () => {
  const top = Object.keys(file).filter((key) => !key.startsWith("x-"));
  expect(top.toSorted()).toEqual(["name", "networks", "services", "volumes"]);
  expect(file.name).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
  for (const [name, service] of services) {
    const unknown = Object.keys(service).filter((key) => !attributes.has(key));
    expect(unknown, name).toEqual([]);
    expect(service.restart, name).toMatch(/^(no|unless-stopped)$/);
    for (const key of ["shm_size", "mem_limit"])
      if (service[key] !== undefined) expect(service[key], name).toMatch(size);
    const { test: command, ...times } = service.healthcheck ?? { test: ["CMD"] };
    expect(command?.[0], name).toMatch(/^CMD(-SHELL)?$/);
    expect(Object.keys(times).toSorted()).toEqual(
      service.healthcheck ? ["interval", "start_period", "timeout"] : [],
    );
    const all = [...Object.values(times), service.stop_grace_period ?? "1s"];
    for (const value of all) expect(value, name).toMatch(duration);
    for (const value of Object.values(service.environment ?? {}))
      expect(typeof value).toBe("string");
  }
});

test("what one service names of another is there", () => {
  for (const [name, { depends_on = {}, networks, volumes = [] }] of services) {
    for (const network of networks) expect(Object.keys(file.networks), name).toContain(network);
    for (const volume of volumes)
      expect(Object.keys(file.volumes), name).toContain(volume.split(":")[0]);
    for (const [other, { condition }] of Object.entries(depends_on)) {
      const target = file.services[other];
      expect(target, `${name} waits for ${other}`).toBeDefined();
      // Neither would ever come true.
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

test("every variable is in the example of an environment, and every one there is used", () => {
  const used = [...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name as string);
  const example = readFileSync(join(root, "deploy", "environment.example"), "utf8");
  const told = [...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name as string);
  expect([...new Set(used)].toSorted()).toEqual(told.toSorted());
});

test("nothing runs with rights that it does not need", () => {
  for (const [name, service] of services) {
    expect(service.read_only, name).toBe(true);
    expect(service.cap_drop, name).toEqual(["ALL"]);
    expect(service.security_opt, name).toContain("no-new-privileges:true");
  }
  for (const [name, { environment = {}, networks }] of workers) {
    const foreign = /^(DATABASE_URL|KEY_PEPPER|CURSOR_SECRET|DASHBOARDS_)/;
    expect(
      Object.keys(environment).filter((key) => foreign.test(key)),
      name,
    ).toEqual([]);
    expect(networks, name).not.toContain("store");
  }
  // A browser gets out by way of the egress service only, and has no upstream's credential near it.
  const browser = file.services["worker-browser"] as Service;
  expect(browser.networks.toSorted()).toEqual(["browsers", "inside"]);
  expect(
    Object.keys(browser.environment ?? {}).filter((key) => /KEY|SECRET|LOGIN/.test(key)),
  ).toEqual([]);
  for (const name of ["inside", "store", "browsers"])
    expect(file.networks[name]?.internal, name).toBe(true);
});

test("what fails is started again, what stops may end its calls, and no work is dropped", () => {
  for (const [name, { restart, healthcheck }] of lasting) {
    expect(restart, name).toBe("unless-stopped");
    expect(healthcheck, name).toBeDefined();
  }
  for (const [name, { stop_grace_period = "0s" }] of [
    ...workers,
    ["api", file.services["api"] as Service] as const,
  ])
    expect(Number.parseInt(stop_grace_period, 10), name).toBeGreaterThan(135);
  const redis = (file.services["redis"] as Service).command?.join(" ") ?? "";
  expect(redis).toContain("--maxmemory-policy noeviction");
  expect(redis).toContain("--appendonly yes");
  const served = workers.flatMap(([, { environment }]) =>
    (environment?.["WORKER_POOLS"] ?? "").split(","),
  );
  expect(pools.filter((pool) => !served.includes(pool))).toEqual([]);
});
