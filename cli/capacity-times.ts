import { type Quota, quotasKey } from "../runtime/quota.ts";
import { readPublished } from "../dashboards/metrics.ts";
import { withRedis } from "./redis.ts";

/** Times and requests of jobs, from the figures that workers have published since Redis has its data. */
export interface WorkTimes {
  /** Of a pool, or of one of its operations. */
  of(
    pool: string,
    operation: string | null,
  ): { runs: number; meanMs: number; scv: number } | undefined;
  /** Upstreams that share an account, with its quota. */
  quotas: { names: string[]; perMinute: number }[];
  /** Requests that a call of the pool sends to these upstreams. */
  requestsPerCall(pool: string, upstreams: readonly string[]): number;
}

type Row = { labels: string[]; value: number };

export async function readWorkTimes(): Promise<WorkTimes> {
  const [{ totals }, stored] = await withRedis((redis) =>
    Promise.all([readPublished(redis), redis.hgetall(quotasKey)]),
  );
  const rows = new Map<string, Row[]>();
  for (const [field, value] of Object.entries(totals)) {
    const [name = "", ...labels] = JSON.parse(field) as string[];
    rows.set(name, [...(rows.get(name) ?? []), { labels, value: Number(value) }]);
  }
  const sum = (name: string, matches: (labels: readonly string[]) => boolean) =>
    (rows.get(name) ?? [])
      .filter(({ labels }) => matches(labels))
      .reduce((total, { value }) => total + value, 0);

  const runsOf = (pool: string, operation: string | null) => (labels: readonly string[]) =>
    labels[0] === pool && (operation === null || labels[1] === operation);
  const accounts = new Map<string, { names: string[]; perMinute: number }>();
  for (const [name, text] of Object.entries(stored)) {
    const { account, per_second: perSecond } = JSON.parse(text) as Quota;
    const known = accounts.get(account) ?? { names: [], perMinute: perSecond * 60 };
    known.names.push(name);
    accounts.set(account, known);
  }
  return {
    of(pool, operation) {
      const matches = runsOf(pool, operation);
      const runs = sum("gateway_operation_runs_total", matches);
      if (runs === 0) return undefined;
      const mean = sum("gateway_operation_run_seconds_total", matches) / runs;
      const squares = sum("gateway_operation_run_seconds_squared_total", matches) / runs;
      const scv = mean > 0 ? Math.max(0, squares / mean ** 2 - 1) : 0;
      return { runs, meanMs: mean * 1000, scv };
    },
    quotas: [...accounts.values()],
    requestsPerCall(pool, upstreams) {
      const own = new Set(
        (rows.get("gateway_operation_runs_total") ?? [])
          .filter(({ labels }) => labels[0] === pool)
          .map(({ labels }) => labels[1]),
      );
      const runs = sum("gateway_operation_runs_total", ([of]) => of === pool);
      const requests = sum(
        "gateway_upstream_calls_total",
        ([upstream = "", operation]) => upstreams.includes(upstream) && own.has(operation),
      );
      return runs === 0 ? 0 : requests / runs;
    },
  };
}
