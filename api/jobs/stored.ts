import type { AdoptedJob } from "../../db/jobs.ts";
import { isScenario } from "../../contract/scenario.ts";
import type { TraceContext } from "../../runtime/trace.ts";
import type { Request } from "../call.ts";
import type { Query } from "../edge/text.ts";

/** The stored request of a job: everything that is needed to parse it again. */
interface Stored {
  method: string;
  path: string;
  parameters: Record<string, string>;
  query: [string, string][];
  body?: unknown;
  version: string;
  scenario?: string | undefined;
  max_credits?: number | undefined;
  /** The caller's Idempotency-Key, or an internal one. */
  key: string;
  /** Unix time in milliseconds, on the clock of the machine that received it. */
  arrived_at: number;
  /** Set for a sampled request. */
  trace?: TraceContext | undefined;
}

export function stored(request: Request, key: string): string {
  const { method, path, raw, version, scenario, maxCredits, arrivedAt, trace } = request;
  const form: Stored = {
    method,
    path,
    parameters: { ...raw.path },
    query: [...raw.query.entries()],
    body: raw.body,
    version,
    scenario,
    max_credits: maxCredits,
    key,
    arrived_at: arrivedAt,
    trace,
  };
  return JSON.stringify(form);
}

/** No connection can end this request. */
const never = new AbortController().signal;

/** Rebuilds the request of a job that another process accepted. */
export function restored(job: AdoptedJob, text: string): Request {
  const {
    method,
    path,
    parameters,
    query,
    body,
    version,
    scenario,
    max_credits,
    key,
    arrived_at,
    trace,
  } = JSON.parse(text) as Stored;
  const { requestId, accountId, accountName, keyId, mode, ratePerSecond, maxInFlight } = job;
  return {
    requestId,
    caller: { keyId, accountId, accountName, mode, ratePerSecond, maxInFlight },
    method,
    path,
    raw: { path: parameters, query: new URLSearchParams(query) as Query, body },
    version,
    idempotencyKey: key,
    scenario: scenario !== undefined && isScenario(scenario) ? scenario : undefined,
    maxCredits: max_credits,
    arrivedAt: arrived_at,
    gone: never,
    trace,
  };
}
