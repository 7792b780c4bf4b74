import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { operations } from "../../contract/index.ts";
import { pools } from "../../contract/operation.ts";
import { decideAll } from "../../dashboards/capacity/decide.ts";
import { defaultSettings } from "../../dashboards/capacity/settings.ts";
import { notPublic } from "../../runtime/egress/addresses.ts";
import { Recording } from "../dashboards/capacity/samples.ts";
// Names, types and required marks used by the manifests, taken from the published schemas through
// the packages named there. `true`: the property exists, and no manifest sets it.
import published from "./kubernetes.schemas.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");
const folder = join(root, "deploy/kubernetes");

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  // Validated against the published schemas before anything is read from it.
  // oxlint-disable-next-line typescript/no-explicit-any
  spec: any;
}
interface Kustomization {
  kind: "Kustomization" | "Component";
  namespace?: string;
  resources?: string[];
  components?: string[];
  replicas?: { name: string; count: number }[];
  images?: { name: string }[];
}

const files = globSync("**/*.yaml", { cwd: folder }).toSorted();
const isKustomization = (file: string) => file.endsWith("kustomization.yaml");
const read = (file: string): Manifest[] =>
  parseAllDocuments(readFileSync(join(folder, file), "utf8")).map((document) => {
    if (document.errors[0]) throw document.errors[0];
    return document.toJS() as Manifest;
  });
const kustomization = (path: string) =>
  parse(readFileSync(join(folder, path, "kustomization.yaml"), "utf8")) as Kustomization;

/** Manifests of a folder and of all folders it refers to. */
function rendered(path: string, seen: string[] = []): Manifest[] {
  const { resources = [], components = [] } = kustomization(path);
  return [...resources, ...components].flatMap((name) => {
    const target = relative(folder, join(folder, path, name));
    seen.push(target);
    return target.endsWith(".yaml") ? read(target) : rendered(target, seen);
  });
}

const overlays = ["overlays/small", "overlays/production"];
const of = (kind: string, all: Manifest[]) => all.filter((one) => one.kind === kind);
const named = (kind: string, name: string, all: Manifest[]) =>
  all.find((one) => one.kind === kind && one.metadata.name === name);

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajv.addSchema({ $id: "published", $defs: published.$defs });
const validators = new Map(
  Object.entries(published.kinds).map(([kind, schema]) => [
    kind,
    ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll("#/$defs/", "published#/$defs/")) as object,
    ),
  ]),
);
const faults = (manifest: Manifest) => {
  const validate = validators.get(`${manifest.apiVersion}/${manifest.kind}`);
  if (!validate) return [`no schema of ${manifest.apiVersion} ${manifest.kind}`];
  validate(manifest);
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
};

test.each(files.filter((file) => !isKustomization(file)))(
  "%s fits the published schemas",
  (file) => {
    for (const manifest of read(file)) {
      expect(faults(manifest), `${manifest.kind} ${manifest.metadata.name}`).toEqual([]);
    }
  },
);

test("a misspelt or missing field is found", () => {
  const [deployment] = read("base/worker-serp.yaml") as [Manifest];
  const misspelt = structuredClone(deployment);
  misspelt.spec.template.spec.containers[0].comand = ["node"];
  expect(faults(misspelt)).toHaveLength(1);
  const missing = structuredClone(deployment);
  delete missing.spec.selector;
  expect(faults(missing)).toHaveLength(1);
  const [, scaled] = read("keda/scaled-objects.yaml") as [Manifest, Manifest];
  const wrong = structuredClone(scaled);
  wrong.spec.maxReplicaCount = "20";
  expect(faults(wrong)).toHaveLength(1);
});

test("every file belongs to a kustomization, and every name in one exists", () => {
  const seen = overlays.flatMap((overlay) => {
    const found: string[] = [];
    rendered(overlay, found);
    return found;
  });
  const listed = new Set(seen.filter((name) => name.endsWith(".yaml")));
  expect([...listed].toSorted()).toEqual(files.filter((file) => !isKustomization(file)));
  for (const overlay of overlays) {
    const { images = [], replicas = [], namespace } = kustomization(overlay);
    expect(namespace).toBe("gateway");
    const all = rendered(overlay);
    for (const { name } of replicas) expect(named("Deployment", name, all), name).toBeDefined();
    for (const { name } of images) {
      const used = of("Deployment", all).map((one) => one.spec.template.spec.containers[0].image);
      expect(used).toContain(name);
    }
    const ids = all.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(ids).size).toBe(ids.length);
  }
});

test.each(overlays)("%s: every reference resolves", (overlay) => {
  const all = rendered(overlay);
  const labels = [...of("Deployment", all), ...of("StatefulSet", all), ...of("Job", all)].map(
    (one) => one.spec.template.metadata.labels as Record<string, string>,
  );
  const matches = (selector: Record<string, string>) =>
    labels.some((own) => Object.entries(selector).every(([name, value]) => own[name] === value));
  for (const one of of("Service", all))
    expect(matches(one.spec.selector), one.metadata.name).toBe(true);
  for (const kind of ["Deployment", "StatefulSet", "PodDisruptionBudget"]) {
    for (const one of of(kind, all)) {
      expect(matches(one.spec.selector.matchLabels), one.metadata.name).toBe(true);
    }
  }
  for (const one of of("NetworkPolicy", all)) {
    const selector = (one.spec.podSelector.matchLabels ?? {}) as Record<string, string>;
    expect(matches(selector), one.metadata.name).toBe(true);
  }
  const pods = [...of("Deployment", all), ...of("StatefulSet", all), ...of("Job", all)];
  for (const one of pods) {
    const { containers, volumes, securityContext: ofPod } = one.spec.template.spec;
    expect(ofPod, one.metadata.name).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    for (const { name, emptyDir } of volumes)
      expect(emptyDir.sizeLimit, `${one.metadata.name} ${name}`).toMatch(/^\d+[MG]i$/);
    for (const { volumeMounts, securityContext } of containers) {
      const claims = (one.spec.volumeClaimTemplates ?? []) as { metadata: { name: string } }[];
      const there = [
        ...volumes.map(({ name }: { name: string }) => name),
        ...claims.map(({ metadata }) => metadata.name),
      ];
      for (const { name } of volumeMounts) expect(there, one.metadata.name).toContain(name);
      expect(securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
    }
    const { command = [] } = containers[0] as { command?: string[] };
    if (command[0] === "node")
      expect(() => readFileSync(join(root, command[1] ?? ""))).not.toThrow();
  }
});

/**
 * Longest possible call of the pool; durations that depend on the input are computed for a huge
 * one.
 */
const longestMs = (pool: string) =>
  Math.max(
    ...[...operations.values()]
      .filter((operation) => operation.pool === pool)
      .map((operation) =>
        operation.deadlineMs({ ...(operation.example as object), timeout_ms: 1e9 } as never),
      ),
  );

test("each pool has a Deployment that lets its longest call end", () => {
  const all = rendered("overlays/production");
  for (const pool of pools) {
    const { spec } = named("Deployment", `worker-${pool}`, all) as Manifest;
    const pod = spec.template.spec;
    expect(pod.containers[0].env).toContainEqual({ name: "WORKER_POOLS", value: pool });
    expect(longestMs(pool)).toBeGreaterThan(30_000);
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(
      longestMs(pool) + 10_000,
    );
    // A Deployment scaled by KEDA must not set replicas: every apply would reset them.
    expect(spec.replicas).toBeUndefined();
    expect(named("PodDisruptionBudget", `worker-${pool}`, all)).toBeDefined();
  }
  const longest = Math.max(...pools.map(longestMs));
  const api = named("Deployment", "api", all) as Manifest;
  expect(api.spec.template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(longest);
});

test("KEDA scales each pool by the number that /capacity answers, within the same bounds", () => {
  const all = rendered("overlays/production");
  const samples = new Recording("serp").steps(12, { perSecond: 4, now: { running: 4 } });
  const { answer } = decideAll(samples, defaultSettings(), {});
  const dashboards = named("Deployment", "dashboards", all) as Manifest;
  const { env } = dashboards.spec.template.spec.containers[0] as {
    env: { name: string; value?: string }[];
  };
  const bound = (name: string) => env.find((one) => one.name === name)?.value;
  for (const pool of pools) {
    const { spec } = named("ScaledObject", `worker-${pool}`, all) as Manifest;
    expect(spec.scaleTargetRef).toEqual({ name: `worker-${pool}` });
    expect(bound("CAPACITY_FLOORS")).toBe(`all=${spec.minReplicaCount}`);
    expect(bound("CAPACITY_CEILINGS")).toBe(`all=${spec.maxReplicaCount}`);
    const [trigger] = spec.triggers;
    const path = (trigger.metadata.valueLocation as string).split(".");
    const value = path.reduce<unknown>((found, name) => (found as Record<string, unknown>)[name], {
      pools: answer,
    });
    expect(value).toBe(answer[pool].workers.desired);
    const url = new URL(trigger.metadata.url as string);
    const [service, namespace] = url.hostname.split(".");
    const { ports } = (named("Service", service ?? "", all) as Manifest).spec;
    expect(namespace).toBe(kustomization("overlays/production").namespace);
    expect(ports).toContainEqual(expect.objectContaining({ port: Number(url.port) }));
    expect(url.pathname).toBe("/capacity");
    expect(named("TriggerAuthentication", trigger.authenticationRef.name, all)).toBeDefined();
  }
  const [monitor] = of("ServiceMonitor", all) as [Manifest];
  const service = named("Service", monitor.spec.selector.matchLabels.app, all) as Manifest;
  expect(service.metadata.labels).toEqual(monitor.spec.selector.matchLabels);
  expect(service.spec.ports[0].name).toBe(monitor.spec.endpoints[0].port);
});

interface Composed {
  services: Record<
    string,
    { command?: string[]; networks?: string[]; environment?: Record<string, string> }
  >;
}
const composed = () =>
  parse(readFileSync(join(root, "docker-compose.yml"), "utf8"), { merge: true }) as Composed;

test("the services of docker-compose.yml run here too, and trace where a collector is named", () => {
  const { services } = composed();
  const there = Object.entries(services).filter(([, { command }]) => command?.[0] === "node");
  for (const [name, { environment = {} }] of there) {
    const all = rendered("base");
    const one = named("Deployment", name, all) ?? named("Job", name, all);
    expect(one, name).toBeDefined();
    const sources = (one?.spec.template.spec.containers[0].envFrom ?? []) as object[];
    const traced = { secretRef: { name: "gateway-traces", optional: true } };
    expect(sources, name).toEqual("OTEL_EXPORTER_OTLP_ENDPOINT" in environment ? [traced] : []);
  }
});

test("the network outside reaches what the SSRF filter calls public, on web ports", () => {
  const [rule, ...others] = named("NetworkPolicy", "outside", rendered("base"))?.spec.egress ?? [];
  expect(others).toEqual([]);
  expect(rule.ports).toEqual([80, 443, 8443].map((port) => ({ protocol: "TCP", port })));
  const blocks = rule.to.map(({ ipBlock }: { ipBlock: object }) => ipBlock);
  expect(blocks).toEqual([
    { cidr: "0.0.0.0/0", except: notPublic.filter((cidr) => !cidr.includes(":")) },
    { cidr: "2000::/3", except: [...notPublic.filter((cidr) => cidr.includes(":")), "2002::/16"] },
  ]);
});

test("networks and environment are those of docker-compose.yml", () => {
  const { services } = composed();
  const networks = ["inside", "store", "browsers", "outside"];
  // Compose publishes a port only in a network with a way out; the egress service is reached by its
  // name.
  const otherwise: Record<string, string> = { dashboards: "outside", egress: "browsers" };
  for (const one of [...of("Deployment", rendered("base")), ...of("Job", rendered("base"))]) {
    const { name } = one.metadata;
    const service = services[name];
    const pod = one.spec.template;
    const own = networks.filter((network) => pod.metadata.labels[network] === "true");
    const there = (service?.networks ?? []).filter((network) => network !== otherwise[name]);
    expect(own.toSorted(), name).toEqual(there.toSorted());
    const known = Object.keys(service?.environment ?? {});
    for (const { name: variable } of pod.spec.containers[0].env as { name: string }[]) {
      expect(known, `${name} ${variable}`).toContain(variable);
    }
  }
});

test("the page's command makes a PrometheusRule of every rule", () => {
  const page = readFileSync(join(folder, "README.md"), "utf8");
  const command = /<\((printf .*?)\)$/ms.exec(page)?.[1] ?? "";
  const printed = execFileSync("sh", ["-c", command], { cwd: root, encoding: "utf8" });
  const rules = readFileSync(join(root, "deploy/prometheus/rules.yml"), "utf8");
  expect(parse(printed)).toEqual({
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "gateway" },
    spec: parse(rules) as unknown,
  });
});

test("pods reach the DNS cache of their node as well as the cluster's DNS", () => {
  const names = named("NetworkPolicy", "names", rendered("base"));
  expect(names?.spec.egress[0].to).toContainEqual({ ipBlock: { cidr: "169.254.20.10/32" } });
});
