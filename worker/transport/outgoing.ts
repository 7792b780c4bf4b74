import type { Outgoing } from "./exchange.ts";
import type { Environment } from "./secrets.ts";
import type { Upstream, UpstreamRequest } from "./upstream.ts";

/** Where an upstream is asked. */
export interface Base {
  url: URL;
  /** Set by the operator, not the usual one. */
  configured: boolean;
  /** `host:port`. */
  address: string;
}

const userAgent = "public-data-gateway/1.0";

/** The operator's base URL or the usual one; undefined when the operator's is no http(s) URL. */
export function baseUrlOf(upstream: Upstream, env: Environment): Base | undefined {
  const configured = env[upstream.baseUrl.env]?.trim();
  const url = URL.parse(configured || upstream.baseUrl.usual);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return { url, configured: Boolean(configured), address: addressOf(url) };
}

function addressOf(url: URL): string {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return `${url.hostname.replace(/^\[|\]$/g, "")}:${port}`;
}

/** The request as it goes out. A path that would leave the upstream's own path is a bug of ours and throws. */
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

function prefixOf(base: Base): string {
  return base.url.pathname.replace(/\/$/, "");
}

function queryOf(request: UpstreamRequest): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) query.append(name, String(value));
  }
  if (query.size === 0) return "";
  // Not every server reads "+" as a blank.
  const text = query.toString().replaceAll("+", "%20");
  return (request.path.includes("?") ? "&" : "?") + text;
}

/** The request with the credentials that its upstream takes in the query. */
export function withCredentials(
  outgoing: Outgoing,
  upstream: Pick<Upstream, "credentialQuery">,
  secrets: Record<string, string>,
): Outgoing {
  const query = Object.entries(upstream.credentialQuery ?? {})
    .map(([name, variable]) => `${name}=${encodeURIComponent(secrets[variable] ?? "")}`)
    .join("&");
  if (query === "") return outgoing;
  return { ...outgoing, path: outgoing.path + (outgoing.path.includes("?") ? "&" : "?") + query };
}

/** What a library passed to its `fetch`. */
export interface Fetched {
  url: string;
  method: string;
  signal: AbortSignal;
  outgoing(base: Base, authorization: Record<string, string>): Outgoing;
}

const ownHeaders = new Set(["host", "connection", "content-length", "accept-encoding"]);

/** An operator's base URL replaces every origin that the library asks for. */
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
    outgoing: (base, authorization) => ({
      origin: base.configured ? base.url.origin : url.origin,
      path: (base.configured ? prefixOf(base) : "") + url.pathname + url.search,
      method: request.method,
      headers: { "user-agent": userAgent, ...headers, ...authorization },
      body,
    }),
  };
}
