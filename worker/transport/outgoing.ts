import { userAgent } from "./contact.ts";
import type { Outgoing } from "./exchange.ts";
import type { Environment } from "./secrets.ts";
import type { Upstream, UpstreamRequest } from "./upstream.ts";

/** Base URL of an upstream. */
export interface Base {
  url: URL;
  /** True when the operator has set it. */
  configured: boolean;
  /** `host:port`. */
  address: string;
}

/** The operator's base URL or the default; undefined when the operator's is no http(s) URL of origin and path alone. */
export function baseUrlOf(upstream: Pick<Upstream, "baseUrl">, env: Environment): Base | undefined {
  const configured = env[upstream.baseUrl.env]?.trim();
  const url = URL.parse(configured || upstream.baseUrl.default);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username || url.password || url.search || url.hash) return undefined;
  return { url, configured: Boolean(configured), address: addressOf(url) };
}

function addressOf(url: URL): string {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return `${url.hostname.replace(/^\[|\]$/g, "")}:${port}`;
}

/** Builds the outgoing request. A path that would leave the upstream's base path is our bug, and throws. */
export function outgoingOf(
  base: Base,
  request: UpstreamRequest,
  authorization: Record<string, string>,
): Outgoing {
  if (!request.path.startsWith("/") || /\/(\.|%2e){1,2}(\/|$)/i.test(request.path)) {
    throw new Error(`not a path to send upstream: ${request.path}`);
  }
  const headers: Record<string, string> = { accept: "application/json", "user-agent": userAgent };
  let body: string | undefined;
  if (request.form) {
    body = new URLSearchParams(request.form).toString();
    headers["content-type"] = "application/x-www-form-urlencoded";
  } else if (request.body !== undefined) {
    body = JSON.stringify(request.body);
    headers["content-type"] = "application/json";
  }
  for (const [name, value] of [
    ...Object.entries(request.headers ?? {}),
    ...Object.entries(authorization),
  ]) {
    headers[name.toLowerCase()] = value;
  }
  return {
    origin: base.url.origin,
    path: prefixOf(base) + request.path + queryOf(request),
    method: request.method,
    headers,
    body,
  };
}

/** A request as text, the same for equal requests, without credentials. */
export function questionOf({ method, path, query, body, form, repeated }: UpstreamRequest): string {
  const more = repeated === undefined ? [] : [repeated];
  return JSON.stringify([method, path, query, body, form, ...more]);
}

function prefixOf(base: Base): string {
  return base.url.pathname.replace(/\/$/, "");
}

function queryOf(request: UpstreamRequest): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) query.append(name, written(value));
  }
  for (const [name, values] of Object.entries(request.repeated ?? {})) {
    for (const value of values) query.append(name, value);
  }
  if (query.size === 0) return "";
  // Some servers do not decode "+" as a blank.
  const text = query.toString().replaceAll("+", "%20");
  return (request.path.includes("?") ? "&" : "?") + text;
}

const plainDigits = new Intl.NumberFormat("en", { useGrouping: false, maximumFractionDigits: 20 });

/** A value as text; sources read no exponents, as in 5e-7. */
function written(value: string | number | boolean): string {
  const text = String(value);
  return typeof value === "number" && text.includes("e") ? plainDigits.format(value) : text;
}

/** Adds the credentials that an upstream takes in the query, and `more` parameters. */
export function withCredentials(
  outgoing: Outgoing,
  upstream: Pick<Upstream, "credentialQuery">,
  secrets: Record<string, string>,
  more: Readonly<Record<string, string>> = {},
): Outgoing {
  const credentials = Object.entries(upstream.credentialQuery ?? {}).flatMap(
    ([name, variable]): [string, string][] => {
      const secret = secrets[variable];
      return secret === undefined ? [] : [[name, secret]];
    },
  );
  const query = [...credentials, ...Object.entries(more)]
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  if (query === "") return outgoing;
  return { ...outgoing, path: outgoing.path + (outgoing.path.includes("?") ? "&" : "?") + query };
}

/** A request that a library passed to `fetch`. */
export interface Fetched {
  url: string;
  method: string;
  signal: AbortSignal;
  /** The request as text, the same for equal requests. */
  question: () => string;
  outgoing(base: Base, authorization: Record<string, string>): Outgoing;
}

const ownHeaders = new Set(["host", "connection", "content-length", "accept-encoding"]);

/** Reads a `fetch` request. The operator's base URL replaces every origin that the library uses. */
export async function fromFetch(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<Fetched> {
  const request = new Request(input, init);
  const url = new URL(request.url);
  const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
  const headers = Object.fromEntries(
    [...request.headers].filter(([name]) => !ownHeaders.has(name)),
  );
  return {
    url: request.url,
    method: request.method,
    signal: request.signal,
    question: () => JSON.stringify([request.method, request.url, body?.toString("latin1")]),
    outgoing: (base, authorization) => ({
      origin: base.configured ? base.url.origin : url.origin,
      path: (base.configured ? prefixOf(base) : "") + url.pathname + url.search,
      method: request.method,
      headers: { "user-agent": userAgent, ...headers, ...authorization },
      body,
    }),
  };
}
