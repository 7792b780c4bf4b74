import type { Call } from "../../connector.ts";
import type { Reply, Upstream, UpstreamRequest, Verdict } from "../../transport/upstream.ts";
import { busy, missing, refused, unavailable } from "../../transport/verdicts.ts";
import { at, need, number, object, text } from "#wire";

const credentials = ["REDDIT_CLIENT_ID", "REDDIT_CLIENT_SECRET", "REDDIT_USER_AGENT"];
/** Seconds, for an answer that does not say how long its token is good for. */
const usualTokenLife = 3600;
/** 100 calls a minute, averaged over ten minutes. */
const limits = { perSecond: 1.6, burst: 40 };

/** Reddit's Data API with an application's own token; no account is behind it. */
export const reddit: Upstream = {
  name: "reddit",
  silenceMs: 10_000,
  baseUrl: { env: "REDDIT_BASE_URL", usual: "https://oauth.reddit.com" },
  credentials,
  async authorize({ REDDIT_USER_AGENT: agent = "" }, tokens) {
    const token = await tokens.get(async (send) => {
      const { body } = await send(redditToken, {
        method: "POST",
        path: "/api/v1/access_token",
        form: { grant_type: "client_credentials" },
      });
      const value = need(text(at(body, "access_token")), "access_token");
      return { value, expiresIn: number(at(body, "expires_in")) ?? usualTokenLife };
    });
    return { authorization: `bearer ${token}`, "user-agent": agent };
  },
  limits,
  judge,
};

/** The same for calls of which the platform allows one at a time. */
const oneAtATime: Upstream = { ...reddit, limits: { ...limits, simultaneous: 1 } };

export const redditToken: Upstream = {
  name: "reddit-token",
  baseUrl: { env: "REDDIT_TOKEN_BASE_URL", usual: "https://www.reddit.com" },
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
    // A refused grant may come as a success.
    const refused = reply.status === 200 && text(at(reply.body, "error")) !== undefined;
    if (refused || [400, 401, 403].includes(reply.status)) {
      return { ...unavailable, operator: "credential refused" };
    }
    const verdict = judge(reply);
    // What a caller asked for may well exist: it is the way to the token that does not.
    return verdict.ok || verdict.type !== "not_found" ? verdict : unavailable;
  },
};

/** One read; parameters that are undefined are left out. */
export async function get(
  call: Pick<Call, "send">,
  path: string,
  query: UpstreamRequest["query"] = {},
): Promise<unknown> {
  return read(call, reddit, path, query);
}

/** One read of comments that a tree left out. */
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
  // Without it texts come with entities.
  return (await call.send(upstream, { method: "GET", path, query: { raw_json: 1, ...query } }))
    .body;
}

function judge(reply: Reply): Verdict {
  const { status, body } = reply;
  if (status === 200) return { ok: true };
  // Unknown communities lead to a search for them.
  if (status === 301 || status === 302 || status === 404) return missing;
  if (status === 401) return { ...unavailable, operator: "credential refused", reauthorize: true };
  if (status === 403) {
    // Private, quarantined and the like; a page of HTML is for programs that do not say who they are.
    return object(body) ? missing : { ...unavailable, operator: "user agent refused" };
  }
  if (status === 400 && at(body, "reason") === "USER_DOESNT_EXIST") return missing;
  if (status === 429)
    return busy(number(reply.headers["retry-after"] ?? reply.headers["x-ratelimit-reset"]));
  if (status === 408 || status === 425 || status >= 500) return { ...unavailable, retry: true };
  return refused;
}
