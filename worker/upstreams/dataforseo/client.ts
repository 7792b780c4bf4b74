import type { ErrorType } from "../../../contract/errors.ts";
import { operations } from "../../../contract/index.ts";
import { SettingsError, settingsOrExit } from "../../../runtime/settings.ts";
import type { Call } from "../../connector.ts";
import type { Environment } from "../../transport/secrets.ts";
import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { type Wire, array, at, integer, need, number, object } from "#wire";

const unavailable = {
  ok: false,
  type: "upstream_unavailable",
  message: "The data source is not available at the moment",
} as const;
const faulty = {
  ok: false,
  type: "upstream_error",
  message: "The data source answered with an error",
} as const;
const shapeless = {
  ok: false,
  type: "response_shape_error",
  message: "The data source answered in an unexpected shape",
  // The call is already charged; a retry would be charged again.
  retry: false,
} as const;
const oursWrong = { ok: false, type: "internal_error", message: "Internal error" } as const;

type Refusal = Extract<Verdict, { ok: false }>;
const operatorOnly = (operator: string): Refusal => ({
  ...unavailable,
  unavailable: true,
  operator,
});

const throttled: Refusal = {
  ...unavailable,
  unavailable: true,
  retry: true,
  pauseMs: 2000,
  retryAfter: 15,
};
const unwell: Refusal = { ...unavailable, unavailable: true, retry: true };
const refusedCredential = operatorOnly("credential refused");
const unverified = operatorOnly("account not verified");
const outOfFunds = operatorOnly("out of funds");

/** Codes with a special meaning; any other 4xxxx or 5xxxx is an `upstream_error`. */
const codes: Readonly<Record<number, Verdict>> = {
  20000: { ok: true },
  // No failures: nothing was found, or the result is incomplete.
  40102: { ok: true },
  40106: { ok: true },
  20100: shapeless,
  40601: shapeless,
  40602: shapeless,
  40000: oursWrong,
  40006: oursWrong,
  40502: oursWrong,
  40503: oursWrong,
  40506: oursWrong,
  40100: refusedCredential,
  40104: unverified,
  40200: outOfFunds,
  40210: outOfFunds,
  40201: operatorOnly("account blocked"),
  40203: operatorOnly("cost limit reached"),
  // The other interfaces of the same account still work.
  40204: { ...operatorOnly("no subscription for this interface"), unavailable: false },
  40207: operatorOnly("address not on the account's list"),
  40202: throttled,
  40209: throttled,
  40205: { ...unavailable, retryAfter: 30 },
  40206: { ...unavailable, retryAfter: 30 },
  // A retry mostly succeeds, so it is made although it may be charged.
  40101: { ...faulty, retry: true, retries: 3 },
  40103: { ...faulty, retry: true },
  50000: { ...faulty, retry: true },
  50001: unwell,
  50301: unwell,
  50303: unwell,
  50304: unwell,
  50401: unwell,
};

/** The caller's fields that an upstream field may stem from; errors name the first that the operation has. */
const callerFields: Readonly<Record<string, readonly string[]>> = {
  keyword: ["keyword", "query"],
  keywords: ["keywords"],
  target: ["target"],
  targets: ["targets", "pages", "target1", "groups", "target"],
  target1: ["target1"],
  target2: ["target2"],
  pages: ["pages"],
  exclude_pages: ["exclude_pages"],
  exclude_targets: ["exclude_targets"],
  location_name: ["location"],
  location_code: ["location"],
  location_coordinate: ["coordinate", "location"],
  language_name: ["language"],
  language_code: ["language"],
  depth: ["depth", "limit"],
  limit: ["limit"],
  offset: ["offset"],
  filters: ["filters"],
  initial_dataset_filters: ["filters"],
  backlinks_filters: ["backlinks_filters"],
  order_by: ["order_by"],
  date_from: ["date_from"],
  date_to: ["date_to"],
  se_domain: ["google_domain"],
  remove_from_url: ["remove_url_params"],
  search_param: ["google_search_params"],
  calculate_rectangles: ["include_pixel_rankings"],
  browser_screen_width: ["viewport"],
  browser_screen_height: ["viewport"],
  browser_screen_resolution_ratio: ["viewport"],
  hotel_identifier: ["hotel_identifier"],
  exclude_domains: ["exclude_domains"],
  intersecting_domains: ["intersecting_domains"],
  cursor_pointer: ["cursor_pointer"],
  match_value: ["target"],
  find_targets_in: ["target_element_types"],
  check_in: ["check_in"],
  check_out: ["check_out"],
  currency: ["currency"],
  prices_start_date: ["prices_start_date"],
  prices_end_date: ["prices_end_date"],
};

/** The operation of a call, and the caller's input where several of its fields can be at fault. */
interface Asked {
  operation: string;
  input?: object | undefined;
}

/** The caller's field behind a field of the upstream: one that the input has, where it is known. */
function callerField({ operation, input }: Asked, upstreamField: string): string | undefined {
  const name = upstreamField.replace(/^target_(\d)$/, "target$1");
  const candidates = Object.hasOwn(callerFields, name) ? callerFields[name] : undefined;
  const shape = operations.get(operation)?.input.shape ?? {};
  const known = candidates?.filter((field) => Object.hasOwn(shape, field));
  const given: Task = { ...input };
  return known?.find((field) => given[field] !== undefined) ?? known?.[0];
}

function invalidField(field: string | undefined): Verdict {
  if (field === undefined) return oursWrong;
  const type: ErrorType = "validation_error";
  return {
    ok: false,
    type,
    field,
    message: `${field}: the data source does not accept this value`,
  };
}

/**
 * Classifies a reply by its HTTP status, then by the code of its one task. The code of the call, which may
 * be absent, counts only without a task. A failure that was charged is not retried.
 */
export function judge(reply: Reply, operation: string, input?: object): Verdict {
  const verdict = verdictOn(reply, { operation, input });
  if (verdict.ok || !verdict.retry || verdict.retries !== undefined) return verdict;
  return costOf(reply.body) > 0 ? { ...verdict, retry: false } : verdict;
}

function verdictOn({ status, body }: Reply, asked: Asked): Verdict {
  if (status === 401) return refusedCredential;
  if (status === 402) return outOfFunds;
  if (status === 403) return unverified;
  if (status === 404) return faulty;
  if (status === 429) return throttled;
  if (status === 408 || status === 425 || status >= 500) return unwell;
  const task = at(body, "tasks", 0);
  const code = integer(at(task, "status_code"));
  if (code === undefined) {
    const top = integer(at(body, "status_code"));
    if (top === undefined) return status === 200 ? shapeless : faulty;
    return top === 20000 ? shapeless : verdictOnCode(top, at(body, "status_message"), asked);
  }
  const verdict = verdictOnCode(code, at(task, "status_message"), asked);
  if (!verdict.ok) return verdict;
  const result = at(task, "result") ?? null;
  return result === null || array(result) ? verdict : shapeless;
}

function verdictOnCode(code: number, message: unknown, asked: Asked): Verdict {
  if (code === 40501) {
    const named = typeof message === "string" ? /'([a-z0-9_.]{1,100})'/i.exec(message)?.[1] : "";
    return invalidField(callerField(asked, named ?? ""));
  }
  if (code === 40504) return invalidField(callerField(asked, "targets"));
  return codes[code] ?? (code >= 40000 && code < 60000 ? faulty : shapeless);
}

function costOf(body: unknown): number {
  return number(at(body, "tasks", 0, "cost")) ?? number(at(body, "cost")) ?? 0;
}

/**
 * Limits of the account: a rate limit in calls a minute, and a concurrency limit of some interfaces. The
 * defaults stay a little below the provider's documented limits.
 */
export function limitsFrom(env: Environment): { perMinute: number; simultaneous: number } {
  return {
    perMinute: positive(env, "DATAFORSEO_CALLS_PER_MINUTE") ?? 1900,
    simultaneous: positive(env, "DATAFORSEO_SIMULTANEOUS_CALLS") ?? 30,
  };
}

function positive(env: Environment, name: string): number | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw new SettingsError(`${name}: a whole number from 1 to 9999999 (it is "${text}")`);
  return Number(text);
}

const { perMinute, simultaneous } = settingsOrExit(() => limitsFrom(process.env));
const callsPerMinute = {
  perSecond: perMinute / 60,
  // This burst plus a minute at the steady rate stays within 2,000.
  burst: Math.max(1, Math.round(perMinute / 20)),
};

/** Interfaces with a documented concurrency limit. */
const crowded = /^\/v3\/(dataforseo_labs|ai_optimization\/ai_keyword_data)\//;

/** DataForSEO for one operation and path, which decide the field names in errors and the limits. */
export function dataforseo(operation: string, path: string, input?: object): Upstream {
  return {
    name: "dataforseo",
    baseUrl: { env: "DATAFORSEO_BASE_URL", default: "https://api.dataforseo.com" },
    credentials: ["DATAFORSEO_LOGIN", "DATAFORSEO_PASSWORD"],
    authorize({ DATAFORSEO_LOGIN: login, DATAFORSEO_PASSWORD: password }) {
      const basic = Buffer.from(`${login}:${password}`).toString("base64");
      return { authorization: `Basic ${basic}` };
    },
    limits: crowded.test(path) ? { ...callsPerMinute, simultaneous } : callsPerMinute,
    cost: ({ body }) => costOf(body),
    judge: (reply) => judge(reply, operation, input),
  };
}

/** Encodes a keyword or query: the upstream decodes percent signs and reads a plus as a blank. */
export function literal(text: string): string {
  return text.replace(/[%+]/g, encodeURIComponent);
}

/** A task for an interface; undefined members are not sent. */
export type Task = Readonly<Record<string, unknown>>;

/**
 * One call with one task. Returns `tasks[0].result[0]`, or undefined when there is no result at all, or no
 * search result. With the caller's `input` an error names the field that the caller used.
 */
export async function ask(
  call: Call,
  path: string,
  task: Task,
  input?: object,
): Promise<Wire | undefined> {
  const upstream = dataforseo(call.operation, path, input);
  const { body } = await call.send(upstream, { method: "POST", path, body: [task] });
  return resultOf(body);
}

/** The result of a good answer. */
export function resultOf(body: unknown): Wire | undefined {
  const task = at(body, "tasks", 0);
  if (integer(at(task, "status_code")) === 40102) return undefined;
  const result = at(task, "result", 0) ?? undefined;
  return result === undefined ? undefined : need(object(result), "tasks[0].result[0]");
}

/** The list of a result; a missing list or null is empty. */
export function itemsOf(result: Wire | undefined): readonly unknown[] {
  if (result === undefined || result.items === null) return [];
  return need(array(result.items), "items");
}
