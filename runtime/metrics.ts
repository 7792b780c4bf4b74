interface Declaration {
  kind: "counter" | "gauge" | "histogram";
  help: string;
  /** Values must come from a bounded set: never ids, URLs or text of a caller or an upstream. */
  labels: readonly string[];
  /** Upper bounds in seconds. */
  buckets?: readonly number[];
}

const fast = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] as const;

/** Every metric of API and worker processes; gauges of several processes are summed. */
export const processMetrics = {
  gateway_http_requests_total: {
    kind: "counter",
    help: "Answers sent by the API; operation is the id of the operation, or other for all other paths; mode is that of the key, or none.",
    labels: ["method", "operation", "status", "mode"],
  },
  gateway_http_request_duration_seconds: {
    kind: "histogram",
    help: "Time from arrival to the end of the answer.",
    labels: ["operation"],
    buckets: fast,
  },
  gateway_http_requests_in_flight: {
    kind: "gauge",
    help: "Requests the API processes are working on.",
    labels: [],
  },
  gateway_loop_held_seconds: {
    kind: "histogram",
    help: "Processor time of a piece of work that held the event loop of an API process for 50 ms or longer; operation is the id of the operation, or the template of the path.",
    labels: ["operation"],
    buckets: fast,
  },
  gateway_errors_total: {
    kind: "counter",
    help: "Error answers by error type.",
    labels: ["type"],
  },
  gateway_credit_steps_total: {
    kind: "counter",
    help: "Calls whose credits were reserved or settled; step is reserve or settle.",
    labels: ["step"],
  },
  gateway_credit_step_seconds_total: {
    kind: "counter",
    help: "Time that calls spent on reserving and settling their credits, locks included.",
    labels: ["step"],
  },
  gateway_queue_refused_total: {
    kind: "counter",
    help: "Calls refused because the queue of their pool was full.",
    labels: ["pool"],
  },
  gateway_results_received_total: {
    kind: "counter",
    help: "Finished calls by how the waiting API process received them: hint or poll.",
    labels: ["source"],
  },
  gateway_idempotent_answers_total: {
    kind: "counter",
    help: "Calls with a known Idempotency-Key: replayed or joined.",
    labels: ["kind"],
  },
  gateway_batch_items_total: {
    kind: "counter",
    help: "Items of batches by how their run ended: succeeded, failed, cancelled, again, gone (another process was first).",
    labels: ["outcome"],
  },
  gateway_credits_charged_total: {
    kind: "counter",
    help: "Credits charged, by mode of the key.",
    labels: ["mode"],
  },
  gateway_jobs_total: {
    kind: "counter",
    help: "Jobs ended by workers; outcome is ok, an error type, expired, cancelled, answered (by a worker lost since) or crashed.",
    labels: ["pool", "outcome"],
  },
  gateway_job_wait_seconds: {
    kind: "histogram",
    help: "Time a job spent in its queue before a worker took it.",
    labels: ["pool"],
    buckets: fast,
  },
  gateway_job_run_seconds: {
    kind: "histogram",
    help: "Time a worker spent on a job.",
    labels: ["pool"],
    buckets: fast,
  },
  gateway_jobs_taken_total: {
    kind: "counter",
    help: "Jobs whose time of being taken from the queue is known.",
    labels: ["pool"],
  },
  gateway_job_taking_seconds_total: {
    kind: "counter",
    help: "Time from having both a job and a free slot until the worker had the job.",
    labels: ["pool"],
  },
  gateway_jobs_added_total: {
    kind: "counter",
    help: "Jobs that the API put into a queue.",
    labels: ["pool"],
  },
  gateway_job_gap_seconds_total: {
    kind: "counter",
    help: "Time between one job of a pool and the next, as each API process saw them.",
    labels: ["pool"],
  },
  gateway_job_gap_seconds_squared_total: {
    kind: "counter",
    help: "Squares of the times between one job of a pool and the next: with their sum, how unevenly jobs arrive.",
    labels: ["pool"],
  },
  gateway_jobs_compared_total: {
    kind: "counter",
    help: "Jobs of finished stretches of 15 s whose seconds were compared, as each API process saw them.",
    labels: ["pool"],
  },
  gateway_jobs_variance_total: {
    kind: "counter",
    help: "Variance of the jobs of a second, times 15, summed over these stretches: divided by the jobs compared it is 1 for independent calls, and a burst's size for bursts.",
    labels: ["pool"],
  },
  gateway_calls_held_back_total: {
    kind: "counter",
    help: "Calls that were not queued: rate or concurrency is a limit of their account, queue is a full queue.",
    labels: ["pool", "reason"],
  },
  gateway_operation_runs_total: {
    kind: "counter",
    help: "Jobs that left a worker, by operation.",
    labels: ["pool", "operation"],
  },
  gateway_operation_run_seconds_total: {
    kind: "counter",
    help: "Time that jobs held a slot of a worker, including the time to take the job, by operation.",
    labels: ["pool", "operation"],
  },
  gateway_operation_run_seconds_squared_total: {
    kind: "counter",
    help: "Squares of the times that jobs held a slot: with their sum, how much they differ.",
    labels: ["pool", "operation"],
  },
  gateway_upstream_calls_total: {
    kind: "counter",
    help: "Requests sent upstream for an operation, retries included.",
    labels: ["upstream", "operation"],
  },
  gateway_upstream_quota_wait_seconds_total: {
    kind: "counter",
    help: "Time that calls of an operation waited for the limits of the upstream's account.",
    labels: ["upstream", "operation"],
  },
  gateway_upstream_cost_dollars_total: {
    kind: "counter",
    help: "Cost of an upstream's answers in dollars, where the upstream reports it.",
    labels: ["upstream", "operation"],
  },
  gateway_upstream_requests_total: {
    kind: "counter",
    help: "Requests sent upstream, retries included; status is the HTTP status or the name of a fault.",
    labels: ["upstream", "status"],
  },
  gateway_upstream_request_duration_seconds: {
    kind: "histogram",
    help: "Time of one request to an upstream.",
    labels: ["upstream"],
    buckets: fast,
  },
  gateway_upstream_retries_total: {
    kind: "counter",
    help: "Requests sent upstream again after a fault.",
    labels: ["upstream"],
  },
  gateway_upstream_breaker_open: {
    kind: "gauge",
    help: "Worker processes whose circuit breaker for this upstream is open.",
    labels: ["upstream"],
  },
  gateway_upstream_credential_present: {
    kind: "gauge",
    help: "Worker processes that have all variables of this upstream's credential, and the operator's contact where it requires one.",
    labels: ["upstream"],
  },
  gateway_browser_contexts: {
    kind: "gauge",
    help: "Browser contexts that exist, in use or held ready.",
    labels: [],
  },
  gateway_browser_resident_bytes: {
    kind: "gauge",
    help: "Resident memory of Chromium's processes at the last measurement.",
    labels: [],
  },
  gateway_browser_starts: {
    kind: "gauge",
    help: "Chromium processes started by running workers beyond their first.",
    labels: [],
  },
  gateway_webhook_attempts_total: {
    kind: "counter",
    help: "Attempts to deliver a webhook; outcome is the class of the answer's status (2xx), or the fault without an answer.",
    labels: ["outcome"],
  },
  gateway_upstream_failovers_total: {
    kind: "counter",
    help: "Turns of an operation from one upstream to the other that can answer it; reason is an error type, or resting where the first was not asked.",
    labels: ["operation", "from", "to", "reason"],
  },
  gateway_own_credential_faults_total: {
    kind: "counter",
    help: "Faults of an account's own credential that only the account can fix.",
    labels: ["upstream", "reason"],
  },
  gateway_shape_errors_total: {
    kind: "counter",
    help: "Answers of an upstream that did not fit the mapping of an operation.",
    labels: ["upstream", "operation"],
  },
  gateway_rows_dropped_total: {
    kind: "counter",
    help: "Rows left out of delivered answers because the mapping did not find a required field.",
    labels: ["upstream", "operation", "field"],
  },
  gateway_drift_total: {
    kind: "counter",
    help: "Changes found in the shape of an upstream's answers; change is gone, emptied, retyped or new.",
    labels: ["upstream", "operation", "change"],
  },
  gateway_drift_answers_total: {
    kind: "counter",
    help: "Answers of upstreams by whether their shape was read: read, repeated (the same request was read within the half minute) or skipped (the worker's time for it was used up).",
    labels: ["upstream", "outcome"],
  },
  gateway_drift_seconds_total: {
    kind: "counter",
    help: "Processor time that workers spent on the shapes of answers.",
    labels: ["upstream"],
  },
  gateway_canary_alarms_total: {
    kind: "counter",
    help: "Calls of `gateway verify --daily` that failed, by upstream.",
    labels: ["upstream"],
  },
  gateway_clock_skew_seconds: {
    kind: "gauge",
    help: "How far the clock of a process (host name and pid) is ahead of the clock of redis or postgres.",
    labels: ["process", "store"],
  },
  gateway_operator_alerts_total: {
    kind: "counter",
    help: "Faults that only the operator can fix: credential, funds or quota of an upstream account.",
    labels: ["upstream", "reason"],
  },
} as const satisfies Record<string, Declaration>;

type Table = typeof processMetrics;
export type MetricName = keyof Table;
type NameOf<K> = { [N in MetricName]: Table[N]["kind"] extends K ? N : never }[MetricName];
export type MetricLabels<N extends MetricName> = Readonly<
  Record<Table[N]["labels"][number], string | number>
>;

/** Readings by field; a field is the JSON of `[name, label values..]` in the declared order. */
export interface MetricsSnapshot {
  /** Counters, which only rise. A histogram adds its fields `[.., "sum"]`, `[.., "count"]` and, for each bound with observations below it and above the previous one, `[.., bound]`. */
  totals: Map<string, number>;
  gauges: Map<string, number>;
}

export interface Metrics {
  count<N extends NameOf<"counter">>(name: N, labels: MetricLabels<N>, by?: number): void;
  /** Adds one observation to a histogram. */
  observe<N extends NameOf<"histogram">>(name: N, labels: MetricLabels<N>, seconds: number): void;
  gauge<N extends NameOf<"gauge">>(name: N, labels: MetricLabels<N>, value: number): void;
  snapshot(): MetricsSnapshot;
}

/** Beyond this many label sets of one metric all others are counted as "other". */
export const seriesLimit = 5_000;

interface Series {
  values: readonly (string | number)[];
  value: number;
  seconds: number;
  /** Observations per bound, not cumulative; the last one is above every bound. */
  counts: number[];
}

export function createMetrics(): Metrics {
  const table: Record<string, Declaration> = processMetrics;
  const registry = new Map(Object.keys(table).map((name) => [name, new Map<string, Series>()]));

  function series(name: MetricName, labels: Readonly<Record<string, string | number>>): Series {
    const known = registry.get(name) as Map<string, Series>;
    const declared: readonly string[] = processMetrics[name].labels;
    let key = "";
    for (const label of declared) key += `${labels[label]}\n`;
    const found = known.get(key);
    if (found) return found;
    const full = known.size >= seriesLimit;
    if (full) key = "other";
    const values = declared.map((label) => (full ? "other" : String(labels[label])));
    const made = known.get(key) ?? { values, value: 0, seconds: 0, counts: [] };
    known.set(key, made);
    return made;
  }

  function snapshot(): MetricsSnapshot {
    const totals = new Map<string, number>();
    const gauges = new Map<string, number>();
    for (const [name, known] of registry) {
      const { kind, buckets } = table[name] as Declaration;
      for (const { values, value, seconds, counts } of known.values()) {
        const field = (...last: (string | number)[]) => JSON.stringify([name, ...values, ...last]);
        if (kind === "gauge") gauges.set(field(), value);
        else totals.set(field(...(kind === "histogram" ? ["count"] : [])), value);
        if (kind !== "histogram") continue;
        totals.set(field("sum"), seconds);
        for (const [index, bound] of (buckets ?? []).entries()) {
          if (counts[index]) totals.set(field(bound), counts[index]);
        }
      }
    }
    return { totals, gauges };
  }

  return {
    count(name, labels, by = 1) {
      if (by > 0 && by < Infinity) series(name, labels).value += by;
    },
    observe(name, labels, seconds) {
      const one = series(name, labels);
      // A start time read from another machine's clock may lie in the future.
      const spent = seconds > 0 && seconds < Infinity ? seconds : 0;
      const bounds: readonly number[] = processMetrics[name].buckets;
      let index = 0;
      while (index < bounds.length && spent > (bounds[index] as number)) index++;
      one.counts[index] = (one.counts[index] ?? 0) + 1;
      one.seconds += spent;
      one.value++;
    },
    gauge(name, labels, value) {
      series(name, labels).value = value;
    },
    snapshot,
  };
}
