import { Gauge, Registry, type Metric } from "@prometheus-io/client";
import type { Redis } from "ioredis";
import { type ProcessAbout, thisProcess } from "../runtime/build.ts";
import { processMetrics } from "../runtime/metrics.ts";
import { totalsKey } from "../runtime/metrics-publisher.ts";
import { type PublishedProcess, readProcesses } from "../runtime/processes.ts";
import { redisTime } from "../runtime/store-clock.ts";
import { jobStates, type PoolState, type QueueState, type RedisState } from "./state.ts";
import { type StoredReading, registerStarts, registerStored } from "./stored-metrics.ts";
import { zeroSeries } from "./zero-series.ts";

/** The metrics that API and worker processes have published. */
export interface Published {
  /** Field -> value, as `MetricsSnapshot.totals`, over all processes, past ones included. */
  totals: Record<string, string>;
  processes: PublishedProcess[];
}

export async function readPublished(redis: Redis): Promise<Published> {
  const [totals, now] = await Promise.all([redis.hgetall(totalsKey), redisTime(redis)]);
  return { totals, processes: await readProcesses(redis, now) };
}

/** Every process whose build is known here: those that publish, and these dashboards. */
export const fleet = ({
  processes,
}: Published): { role: string; about?: ProcessAbout | undefined }[] => [
  ...processes,
  { role: "dashboards", about: thisProcess },
];

interface Line {
  metricName?: string;
  labels: Record<string, string | number>;
  value: number;
}

/** Values of one metric: joined label values -> last part of the field ("" if none) -> value. */
type Readings = Map<string, { labels: Record<string, string>; parts: Map<string, number> }>;

function readingsOf({ totals, processes }: Published): Map<string, Readings> {
  const byMetric = new Map<string, Readings>();
  const add = (field: string, value: number) => {
    const [name = "", ...rest] = JSON.parse(field) as string[];
    const declared = processMetrics[name as keyof typeof processMetrics];
    // Another release of the gateway wrote this field.
    if (
      !declared ||
      rest.length !== declared.labels.length + Number(declared.kind === "histogram")
    ) {
      return;
    }
    const values = rest.slice(0, declared.labels.length);
    const readings: Readings = byMetric.get(name) ?? new Map();
    byMetric.set(name, readings);
    const labels = Object.fromEntries(declared.labels.map((label, i) => [label, values[i] ?? ""]));
    const key = JSON.stringify(values);
    const one = readings.get(key) ?? { labels, parts: new Map<string, number>() };
    readings.set(key, one);
    const part = String(rest[declared.labels.length] ?? "");
    one.parts.set(part, (one.parts.get(part) ?? 0) + value);
  };
  for (const [name, series] of Object.entries(zeroSeries)) {
    for (const values of series) add(JSON.stringify([name, ...values]), 0);
  }
  for (const [field, value] of Object.entries(totals)) add(field, Number(value));
  for (const { gauges } of processes) {
    for (const [field, value] of Object.entries(gauges)) add(field, value);
  }
  return byMetric;
}

function histogramLines(name: string, buckets: readonly number[], readings: Readings): Line[] {
  return [...readings.values()].flatMap(({ labels, parts }) => {
    const count = parts.get("count") ?? 0;
    let below = 0;
    const lines: Line[] = buckets.map((bound) => {
      below += parts.get(String(bound)) ?? 0;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: bound }, value: below };
    });
    return [
      ...lines,
      { metricName: `${name}_bucket`, labels: { ...labels, le: "+Inf" }, value: count },
      { metricName: `${name}_sum`, labels, value: parts.get("sum") ?? 0 },
      { metricName: `${name}_count`, labels, value: count },
    ];
  });
}

function registerPublished(registry: Registry, published: Published): void {
  const byMetric = readingsOf(published);
  for (const [name, declared] of Object.entries(processMetrics)) {
    const readings: Readings = byMetric.get(name) ?? new Map();
    const values: Line[] =
      declared.kind === "histogram"
        ? histogramLines(name, declared.buckets, readings)
        : [...readings.values()].map(({ labels, parts }) => ({
            labels,
            value: parts.get("") ?? 0,
          }));
    const metric = { name, help: declared.help, type: declared.kind, values };
    // The client's own classes count in this process; its registry needs only `name` and `get`.
    registry.registerMetric({ name, get: async () => metric } as unknown as Metric);
  }
}

/** State of the whole gateway; `undefined` when Redis does not answer. */
export interface Reading {
  /** Unix time in milliseconds, on the clock of Redis. */
  at: number;
  pools: PoolState[];
  webhooks: QueueState<"webhooks">;
  redis: RedisState;
  published: Published;
}

function registerState(registry: Registry, reading: Reading): void {
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const jobs = gauge("gateway_queue_jobs", "Jobs by pool and state.", ["pool", "state"]);
  const oldest = gauge(
    "gateway_queue_oldest_waiting_seconds",
    "Age of the oldest waiting job; 0 when none waits.",
    ["pool"],
  );
  // Workers prove that they are alive by a heartbeat in Redis.
  const workers = gauge("gateway_workers", "Worker processes with a fresh heartbeat.", ["pool"]);
  const slots = gauge("gateway_worker_slots", "Jobs the live workers run at once at present.", [
    "pool",
  ]);
  const bounds = gauge(
    "gateway_worker_slots_bound",
    "Live workers by what keeps their slots at the present number: processors, memory, browser, worker, quota, maximum, demand or setting.",
    ["pool", "bound"],
  );
  const running = gauge("gateway_worker_running", "Jobs the live workers run now.", ["pool"]);
  for (const one of [...reading.pools, reading.webhooks]) {
    const { pool } = one;
    for (const state of jobStates) jobs.set({ pool, state }, one.jobs[state]);
    oldest.set({ pool }, one.oldestWaitingSeconds);
    workers.set({ pool }, one.workers);
    slots.set({ pool }, one.slots);
    for (const { slots_bound: bound = "setting" } of one.beats) bounds.inc({ pool, bound });
    running.set({ pool }, one.running);
  }

  const alive = gauge("gateway_processes", "Processes that published lately.", ["role"]);
  const memory = gauge("gateway_process_memory_bytes", "Resident memory of live processes.", [
    "role",
  ]);
  for (const role of ["api", "worker"]) {
    const some = reading.published.processes.filter((one) => one.role === role);
    alive.set({ role }, some.length);
    memory.set(
      { role },
      some.reduce((sum, one) => sum + one.memoryBytes, 0),
    );
  }

  const builds = gauge(
    "gateway_build_info",
    "Live processes by version and commit; the dashboards that answer are one of them.",
    ["role", "version", "commit"],
  );
  for (const { role, about } of fleet(reading.published)) {
    builds.inc({ role, version: about?.version ?? "unknown", commit: about?.commit ?? "unknown" });
  }

  const { redis } = reading;
  gauge("gateway_redis_memory_used_bytes", "Memory Redis uses.", []).set(redis.usedBytes);
  gauge("gateway_redis_memory_limit_bytes", "Redis maxmemory; 0 is none.", []).set(
    redis.limitBytes,
  );
  gauge(
    "gateway_redis_append_only",
    "1 while Redis writes its append-only file; 0 means that a restart of Redis loses queued calls.",
    [],
  ).set(redis.appendOnly ? 1 : 0);
  gauge(
    "gateway_redis_noeviction",
    "1 while Redis has maxmemory-policy noeviction; 0 means that a full Redis drops queued calls.",
    [],
  ).set(redis.noEviction ? 1 : 0);
  gauge("gateway_redis_keys", "Keys in the gateway's Redis database.", []).set(redis.keys);
  gauge("gateway_redis_clients", "Connections to Redis.", []).set(redis.clients);
}

/** The Prometheus text. Without a reading it only reports that Redis is down. */
export async function renderMetrics(
  reading: Reading | undefined,
  stored?: StoredReading,
): Promise<{ type: string; body: string }> {
  const registry = new Registry();
  new Gauge({
    name: "gateway_redis_up",
    help: "1 when Redis answers the dashboards.",
    registers: [registry],
  }).set(reading ? 1 : 0);
  if (reading) {
    registerState(registry, reading);
    registerPublished(registry, reading.published);
    registerStarts(registry, reading.published.processes);
  }
  if (stored) registerStored(registry, stored);
  return { type: registry.contentType, body: await registry.metrics() };
}
