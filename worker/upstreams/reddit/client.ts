import type { Call } from "../../connector.ts";
import type { Reply, Upstream, UpstreamRequest, Verdict } from "../../transport/upstream.ts";
import { busy, missing, refused, unavailable } from "../../transport/verdicts.ts";
import { at, need, number, object, text } from "#wire";

const credentials = ["REDDIT_CLIENT_ID", "REDDIT_CLIENT_SECRET", "REDDIT_USER_AGENT"];
/** Default life of a token in seconds, when the answer states none. */
const defaultTokenLife = 3600;
/** The upstream's rate limit: 100 calls a minute, averaged over ten minutes. */
const limits = { perSecond: 1.6, burst: 40 };

/** Reddit's Data API with an application's own token, without a user account. */
export const reddit: Upstream = {
  name: "reddit",
  silenceMs: 10_000,
  baseUrl: { env: "REDDIT_BASE_URL", default: "https://oauth.reddit.com" },
  credentials,
  async authorize({ REDDIT_USER_AGENT: agent = "" }, tokens) {
    const token = await tokens.get(async (send) => {
      const { body } = await send(redditToken, {
        method: "POST",
        path: "/api/v1/access_token",
        form: { grant_type: "client_credentials" },
      });
      const value = need(text(at(body, "access_token")), "access_token");
      return { value, expiresIn: number(at(body, "expires_in")) ?? defaultTokenLife };
    });
    return { authorization: `bearer ${token}`, "user-agent": agent };
  },
  limits,
  judge,
};

/** The same upstream for calls that the platform limits to one at a time. */
const oneAtATime: Upstream = { ...reddit, limits: { ...limits, simultaneous: 1 } };

export const redditToken: Upstream = {
  name: "reddit-token",
  baseUrl: { env: "REDDIT_TOKEN_BASE_URL", default: "https://www.reddit.com" },
  credentials,
  authorize({
    REDDIT_CLIENT_ID: id = "",
    REDDIT_CLIENT_SECRET: secret = "",
    REDDIT_USER_AGENT: agent = "",
  }) {
    const basic = Buffer.from(`${id}:${secret}`).toString("base64");
    return { authorization: `Basic ${basic}`, "user-agent": agent };
  },
  judge(reply) {
    // A refused grant may have a success status.
    const refused = reply.status === 200 && text(at(reply.body, "error")) !== undefined;
    if (refused || [400, 401, 403].includes(reply.status)) {
      return { ...unavailable, operator: "credential refused" };
    }
    const verdict = judge(reply);
    // The requested record may exist: the missing page is the token endpoint.
    return verdict.ok || verdict.type !== "not_found" ? verdict : unavailable;
  },
};

/** One read; undefined parameters are left out. */
export async function get(
  call: Pick<Call, "send">,
  path: string,
  query: UpstreamRequest["query"] = {},
): Promise<unknown> {
  return read(call, reddit, path, query);
}

/** One read of comments that a tree omitted. */
export async function getMore(
  call: Pick<Call, "send">,
  query: NonNullable<UpstreamRequest["query"]>,
): Promise<unknown> {
  return read(call, oneAtATime, "/api/morechildren", query);
}

async function read(
  call: Pick<Call, "send">,
  upstream: Upstream,
  path: string,
  query: UpstreamRequest["query"],
): Promise<unknown> {
  // Without `raw_json` texts contain HTML entities.
  return (await call.send(upstream, { method: "GET", path, query: { raw_json: 1, ...query } }))
    .body;
}

function judge(reply: Reply): Verdict {
  const { status, body } = reply;
  if (status === 200) return { ok: true };
  // An unknown community is a redirect to a search.
  if (status === 301 || status === 302 || status === 404) return missing;
  if (status === 401) return { ...unavailable, operator: "credential refused", reauthorize: true };
  if (status === 403) {
    // JSON: private, quarantined and the like. HTML: the user agent is refused.
    return object(body) ? missing : { ...unavailable, operator: "user agent refused" };
  }
  if (status === 400 && at(body, "reason") === "USER_DOESNT_EXIST") return missing;
  if (status === 429)
    return busy(number(reply.headers["retry-after"] ?? reply.headers["x-ratelimit-reset"]));
  if (status === 408 || status === 425 || status >= 500) return { ...unavailable, retry: true };
  return refused;
}
