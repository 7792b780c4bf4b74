import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { renderMetrics } from "../../dashboards/metrics.ts";
import { jobStates } from "../../dashboards/state.ts";
import { thisProcess } from "../../runtime/build.ts";
import { processMetrics } from "../../runtime/metrics.ts";

/** Boards and rules against the served metrics. `promtool` runs in prometheus.test.ts. */

const root = join(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

interface Rule {
  alert?: string;
  record?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}
const rules = (
  parse(read("deploy/prometheus/rules.yml")) as { groups: { rules: Rule[] }[] }
).groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);

interface Board {
  uid: string;
  title: string;
  templating: { list: { name: string; query: string | { query: string } }[] };
  annotations: { list: { name: string; expr: string }[] };
  panels: { title: string; gridPos: { x: number; w: number }; targets: { expr: string }[] }[];
}
const boards = globSync("deploy/grafana/*.json", { cwd: root }).map((path) => ({
  path,
  board: JSON.parse(read(path)) as Board,
}));

/** Metric names served by /metrics, each with its labels. */
async function served(): Promise<Map<string, Set<string>>> {
  const queue = {
    jobs: Object.fromEntries(jobStates.map((state) => [state, 1])),
    oldestWaitingSeconds: 1,
    workers: 1,
    slots: 1,
    running: 1,
    beats: [{ slots_bound: "demand" }],
  };
  const process = { role: "worker", memoryBytes: 1, gauges: {}, about: { ...thisProcess } };
  const stored = {
    accounts: [{ account: "a", mode: "live" as const, calls: 1, errors: 1, credits: 1 }],
    controls: [{ kind: "pool", effect: "drain" } as never],
    lastDecision: 1,
  };
  const reading = {
    at: 0,
    pools: [{ pool: "seo", ...queue } as never],
    webhooks: { pool: "webhooks", ...queue } as never,
    redis: { usedBytes: 1, limitBytes: 1, keys: 1, clients: 1 } as never,
    published: { totals: {}, processes: [process] },
  };
  const { body } = await renderMetrics(reading, stored);
  const found = new Map<string, Set<string>>();
  for (const [, name] of body.matchAll(/^# TYPE (\S+)/gm)) found.set(name as string, new Set());
  for (const [, name, labels = ""] of body.matchAll(/^(gateway_\w+)(?:\{(.*?)\})? /gm)) {
    const known = found.get(name as string) ?? new Set();
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label as string);
    found.set(name as string, known);
  }
  for (const [name, { kind, labels }] of Object.entries(processMetrics)) {
    const known = new Set<string>(labels);
    found.set(name, known);
    if (kind !== "histogram") continue;
    for (const part of ["sum", "count"]) found.set(`${name}_${part}`, known);
    found.set(`${name}_bucket`, new Set([...known, "le"]));
  }
  return found;
}

/** Metrics and labels of an expression that are not served. */
function unknownIn(expr: string, known: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const names = [...expr.matchAll(/\bgateway_\w+/g)].map(([name]) => name);
  if (names.length === 0) return [`no metric in ${expr}`];
  const wrong = names.filter((name) => !known.has(name)).map((name) => `no metric ${name}`);
  for (const [, name = "", selected = ""] of expr.matchAll(/(gateway_\w+)\{([^}]*)\}/g)) {
    for (const [, label = ""] of selected.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
      if (!known.get(name)?.has(label)) wrong.push(`${name} has no label ${label}`);
    }
  }
  const labels = new Set(names.flatMap((name) => [...(known.get(name) ?? [])]));
  for (const [, list = ""] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)) {
    for (const label of list
      .split(",")
      .map((word) => word.trim())
      .filter(Boolean)) {
      if (!labels.has(label)) wrong.push(`no metric of ${expr} has the label ${label}`);
    }
  }
  return wrong;
}

test("an expression with an unknown metric or label is found", async () => {
  const known = await served();
  expect(unknownIn("sum by (pool) (rate(gateway_jobs_total[5m]))", known)).toEqual([]);
  expect(unknownIn("gateway_jobs", known)).toEqual(["no metric gateway_jobs"]);
  expect(unknownIn('gateway_jobs_total{poool="seo"}', known)).toHaveLength(1);
  expect(unknownIn("sum by (le) (gateway_jobs_total)", known)).toHaveLength(1);
});

test("every metric and label of every board is served", async () => {
  expect(boards.map(({ path }) => path).toSorted()).toEqual([
    "deploy/grafana/accounts.json",
    "deploy/grafana/fleet.json",
    "deploy/grafana/money.json",
    "deploy/grafana/pool.json",
    "deploy/grafana/upstream.json",
  ]);
  const known = await served();
  const wrong = boards.flatMap(({ path, board }) => [
    ...board.panels.flatMap(({ title, targets }) =>
      targets.flatMap(({ expr }) =>
        unknownIn(expr, known).map((what) => `${path}, ${title}: ${what}`),
      ),
    ),
    ...board.annotations.list.flatMap(({ name, expr }) =>
      unknownIn(expr, known).map((what) => `${path}, ${name}: ${what}`),
    ),
    ...board.templating.list.flatMap(({ query }) => {
      const text = typeof query === "string" ? query : query.query;
      const [, metric = "", label = ""] = /^label_values\((\w+), (\w+)\)$/.exec(text) ?? [];
      if (text === "prometheus" || known.get(metric)?.has(label)) return [];
      return [`${path}: ${text}`];
    }),
  ]);
  expect(wrong).toEqual([]);
  expect(new Set(boards.map(({ board }) => board.uid)).size).toBe(boards.length);
});

test("every variable of a board is its own or Grafana's", () => {
  for (const { path, board } of boards) {
    const own = new Set(board.templating.list.map(({ name }) => name));
    const used = [...JSON.stringify(board.panels).matchAll(/\$\{?(\w+)\}?/g)].map(
      ([, name]) => name,
    );
    const foreign = used.filter((name) => !own.has(name as string) && !name?.startsWith("__"));
    expect(foreign, path).toEqual([]);
    for (const { gridPos } of board.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  }
});

test("every metric and label of every rule is served, every recorded series is recorded", async () => {
  const known = await served();
  const recorded = new Set(rules.flatMap(({ record }) => record ?? []));
  const wrong = rules.flatMap(({ alert, record, expr }) => {
    const series = [...expr.matchAll(/\bgateway:[\w:]+/g)].map(([name]) => name);
    if (series.length > 0) return series.filter((name) => !recorded.has(name));
    return unknownIn(expr, known).map((what) => `${alert ?? record}: ${what}`);
  });
  expect(wrong).toEqual([]);
});

test("bounds of buckets exist", () => {
  const usedBounds = rules.flatMap(({ expr }) =>
    [...expr.matchAll(/[{,]le="([^"]+)"/g)].map(([, le]) => le),
  );
  const bounds = processMetrics.gateway_job_wait_seconds.buckets.map(String);
  expect(usedBounds.length).toBeGreaterThan(0);
  expect(usedBounds.filter((le) => !bounds.includes(le as string))).toEqual([]);
});

test("every alert describes the fault and links to the remedy", () => {
  const headings = [...read("docs/observability.md").matchAll(/^### (\w+)\n\n(\S.*)$/gm)].map(
    ([, name]) => name as string,
  );
  expect(alerts.map(({ alert = "" }) => alert).toSorted()).toEqual(headings.toSorted());
  for (const { alert = "", labels, annotations } of alerts) {
    expect(labels?.["severity"], alert).toMatch(/^(page|ticket)$/);
    expect(annotations?.["summary"], alert).toMatch(/\w/);
    expect(annotations?.["runbook_url"]).toBe(
      `{{ $externalLabels.dashboards }}/runbooks#${alert.toLowerCase()}`,
    );
  }
});

test("every alert has a test in which it fires", () => {
  const { tests } = parse(read("deploy/prometheus/rules.test.yml")) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: object[] }[] }[];
  };
  const fired = tests
    .flatMap((one) => one.alert_rule_test)
    .filter(({ exp_alerts: expected = [] }) => expected.length > 0)
    .map(({ alertname }) => alertname);
  expect([...new Set(fired)].toSorted()).toEqual(alerts.map(({ alert = "" }) => alert).toSorted());
});
