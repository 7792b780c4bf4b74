import { isUtf8 } from "node:buffer";
import { request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { GatewayError, invalid } from "../../contract/errors.ts";
import {
  createResolver,
  EgressError,
  parseEgressAllow,
  parseEgressDeny,
} from "../../runtime/egress/rules.ts";
import type { EgressPolicy } from "../../runtime/egress/rules.ts";
import { dialChecked } from "../egress/dial.ts";
import { dialThrough } from "../egress/service.ts";
import {
  acceptEncoding,
  BodyBroken,
  BodyCut,
  BodyTooLarge,
  readBody,
  UnknownEncoding,
} from "./body.ts";
import { Cookies } from "./cookies.ts";
import { mostSniffed, sniffedType, statedType } from "./media-type.ts";

/** One GET of an address that a caller or a site supplies. */
export interface SiteRequest {
  url: string;
  /** Ends the request at the call's deadline, and when the caller leaves. */
  signal: AbortSignal;
  /** Most bytes of the unpacked body, or of the body as sent where it stays packed. */
  mostBytes: number;
  /** True for a body as sent: its reader unpacks it. */
  staysPacked?: boolean | undefined;
  /** Called with the size of the body so far before more of it is kept; may wait. */
  grow?: ((size: number) => Promise<void> | undefined) | undefined;
  accept: string;
  /** Time for the whole answer, where a large one is expected. */
  mostMs?: number | undefined;
  acceptLanguage?: string | undefined;
  /**
   * Whether a redirect is followed, where not all are; `hasCookies` where cookies of the answers before go with it. An
   * answer that is not followed has its `location`.
   */
  follows?: ((target: string, hasCookies: boolean) => Promise<boolean>) | undefined;
  /** Whether the body of such an answer is read; of others it is empty. */
  wants?: ((answer: Pick<SiteAnswer, "status" | "contentType">) => boolean) | undefined;
}

export interface SiteAnswer {
  /** The address after redirects. */
  url: string;
  status: number;
  contentType: string;
  bytes: Buffer;
  /** Content-Encoding of a body that stayed packed. */
  encoding?: string | undefined;
  /** Absent in samples. */
  headers?: IncomingHttpHeaders | undefined;
  /** Target of an answer that redirects, as stated. */
  location?: string | undefined;
}

/** The Content-Type with its parameters, as stated. */
export const fullTypeOf = ({ headers, contentType }: SiteAnswer): string =>
  headers?.["content-type"] ?? contentType;

/** Fetches an address; throws GatewayError. */
export type FetchSite = (request: SiteRequest) => Promise<SiteAnswer>;

/** The product token that sites find in their robots.txt. */
export const siteAgent = "public-data-gateway";

const mostRedirects = 5;
const mostHeaderBytes = 64 * 1024;
/** A site that has not answered in full by then counts as not answering. */
const requestMs = 20_000;

/** Fetches plain HTTP through the SSRF filter of the browsers: the same rules, the same egress service. */
export function createSiteFetch(settings: {
  egressAllow: readonly string[];
  egressDeny?: readonly string[];
  /** "host:port" of the egress service where this machine has no way out of its own. */
  egressVia?: string | undefined;
  resolver?: string | undefined;
}): FetchSite {
  const policy: EgressPolicy = {
    allow: parseEgressAllow(settings.egressAllow),
    deny: parseEgressDeny(settings.egressDeny ?? []),
    resolve: createResolver(settings.resolver),
    via: settings.egressVia,
  };
  return async (request) => {
    const signal = AbortSignal.any([
      request.signal,
      AbortSignal.timeout(request.mostMs ?? requestMs),
    ]);
    let url = request.url;
    const cookies = new Cookies();
    for (let redirects = 0; ; redirects += 1) {
      const cookie = cookies.headerFor(new URL(url));
      const answer = await attempt({ ...request, url, signal, cookie }, policy);
      if (answer.location === undefined) return answer;
      const target = URL.parse(answer.location, url);
      cookies.take(answer.headers?.["set-cookie"] ?? [], new URL(url));
      if (request.follows) {
        const hasCookies = target !== null && cookies.headerFor(target) !== undefined;
        if (!(await request.follows(target?.href ?? "", hasCookies))) return answer;
      }
      if (redirects === mostRedirects) throw faulty("The site redirected too many times");
      if (!target || !isPlainWeb(target)) throw blocked();
      url = target.href;
    }
  };
}

const isPlainWeb = ({ protocol, username, password }: URL) =>
  (protocol === "http:" || protocol === "https:") && username === "" && password === "";

type Attempt = SiteRequest & { cookie: string | undefined };

/** One request. Every redirect is a further one, so that its destination is checked as well. */
async function attempt(request: Attempt, policy: EgressPolicy): Promise<SiteAnswer> {
  let socket: Socket | undefined;
  const stop = () => socket?.destroy();
  request.signal.addEventListener("abort", stop, { once: true });
  try {
    socket = await dial(new URL(request.url), policy);
    if (request.signal.aborted) throw new Error("aborted");
    const answer = await ask(new URL(request.url), socket, request);
    const status = answer.statusCode ?? 0;
    // An empty address leads nowhere, as for browsers.
    const location = [301, 302, 303, 307, 308].includes(status)
      ? utf8In(answer.headers.location) || undefined
      : undefined;
    const { headers } = answer;
    const stated = statedType(headers["content-type"]);
    const isWanted = (contentType: string) => request.wants?.({ status, contentType }) ?? true;
    const isRead = location === undefined && (stated === undefined || isWanted(stated));
    const encoding = request.staysPacked ? headers["content-encoding"] : undefined;
    const toUnpack = request.staysPacked ? undefined : headers["content-encoding"];
    const maySniff = headers["x-content-type-options"]?.toString().toLowerCase() !== "nosniff";
    const typeOf = (beginning: Buffer) =>
      stated ?? (encoding ? "" : sniffedType(beginning, maySniff));
    // An answer without a type shows early that it is not wanted, however long it is.
    const start = { size: mostSniffed, goesOn: (read: Buffer) => isWanted(typeOf(read)) };
    const body = isRead
      ? await readBody(answer, toUnpack, request.mostBytes, request.grow, start)
      : Buffer.alloc(0);
    const contentType = typeOf(body);
    const bytes = isWanted(contentType) ? body : Buffer.alloc(0);
    return { url: request.url, status, contentType, bytes, encoding, headers, location };
  } catch (error) {
    throw errorOf(error, request.signal);
  } finally {
    request.signal.removeEventListener("abort", stop);
    stop();
  }
}

/** A header with the UTF-8 that it was sent in, as browsers read `location`: Node takes all bytes for Latin-1. */
function utf8In(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const bytes = Buffer.from(header, "latin1");
  return isUtf8(bytes) ? bytes.toString() : header;
}

async function dial(url: URL, policy: EgressPolicy): Promise<Socket> {
  const isSecure = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || (isSecure ? 443 : 80));
  const socket = await (policy.via === undefined
    ? dialChecked(host, port, policy)
    : dialThrough(policy.via, host, port));
  return isSecure
    ? connectTls({ socket, ...(isIP(host) ? { host } : { servername: host }) })
    : socket;
}

function ask(url: URL, socket: Socket, request: Attempt): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      createConnection: () => socket,
      host: url.hostname,
      path: `${url.pathname}${url.search}`,
      maxHeaderSize: mostHeaderBytes,
      setHost: false,
      // Old servers break rules that browsers do not insist on; no second answer follows on this connection.
      insecureHTTPParser: true,
      headers: {
        host: url.host,
        accept: request.accept,
        "accept-encoding": acceptEncoding,
        ...(request.acceptLanguage === undefined
          ? {}
          : { "accept-language": request.acceptLanguage }),
        ...(request.cookie === undefined ? {} : { cookie: request.cookie }),
        "user-agent": `${siteAgent}/1.0`,
        connection: "close",
      },
    });
    outgoing.once("response", resolve);
    outgoing.once("upgrade", (_answer, upgraded) => upgraded.destroy());
    outgoing.on("error", reject);
    outgoing.once("close", () => reject(new Error("closed")));
    // The egress service hands over a paused socket.
    outgoing.once("socket", (used) => used.resume());
    outgoing.end();
  });
}

function errorOf(error: unknown, signal: AbortSignal): GatewayError {
  if (signal.aborted) {
    return new GatewayError("upstream_unavailable", "The site did not answer in time", {
      status: 504,
      retryAfter: 5,
    });
  }
  if (error instanceof EgressError) {
    if (error.fault === "blocked") return blocked();
    if (error.fault === "no_such_host") return faulty("The URL's host name does not exist");
  }
  if (error instanceof BodyTooLarge) return faulty("The site's answer is too large");
  if (error instanceof BodyBroken || error instanceof UnknownEncoding) {
    return faulty("The site's answer is not valid");
  }
  if (error instanceof BodyCut) {
    return new GatewayError("upstream_unavailable", "The site's answer broke off", {
      retryAfter: 5,
    });
  }
  const code = String((error as NodeJS.ErrnoException).code ?? "");
  if (/^(?:HPE_|ERR_HTTP_)/.test(code)) return faulty("The site's answer is not valid");
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO|EPROTO|INVALID_CA|HOSTNAME_MISMATCH/.test(code)) {
    return faulty("The site's TLS certificate or handshake is invalid");
  }
  return new GatewayError("upstream_unavailable", "The site could not be reached", {
    retryAfter: 5,
    cause: error,
  });
}

const faulty = (message: string) => new GatewayError("upstream_error", message);

/** The same answer for every destination that is not allowed, whether or not anything is there. */
const blocked = () =>
  invalid("body", "url", "destination_not_allowed", "The URL's destination is not allowed");
