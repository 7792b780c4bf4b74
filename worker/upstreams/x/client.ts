import { GatewayError } from "../../../contract/errors.ts";
import type { Call } from "../../connector.ts";
import type { Reply, Upstream, UpstreamRequest, Verdict } from "../../transport/upstream.ts";
import { busy, missing, refused, unavailable } from "../../transport/verdicts.ts";
import { array, at, need, number, object, text } from "#wire";

const baseUrl = { env: "X_BASE_URL", default: "https://api.x.com" };

/** X API v2 with an app's bearer token. Every record is charged once a day. */
export const x: Upstream = {
  name: "x",
  baseUrl,
  credentials: ["X_BEARER_TOKEN"],
  authorize: (secrets) => ({ authorization: `Bearer ${secrets.X_BEARER_TOKEN}` }),
  judge,
};

/** X API v2 with an app's key and secret, from which a bearer token is fetched. */
export const xApp: Upstream = {
  name: "x-app",
  baseUrl,
  credentials: ["X_API_KEY", "X_API_SECRET"],
  async authorize(_secrets, tokens) {
    const token = await tokens.get(async (send) => {
      const { body } = await send(xToken, {
        method: "POST",
        path: "/oauth2/token",
        form: { grant_type: "client_credentials" },
      });
      return { value: need(text(at(body, "access_token")), "access_token") };
    });
    return { authorization: `Bearer ${token}` };
  },
  judge(reply) {
    const verdict = judge(reply);
    return reply.status === 401 && !verdict.ok ? { ...verdict, reauthorize: true } : verdict;
  },
};

const xToken: Upstream = {
  name: "x-token",
  baseUrl,
  credentials: ["X_API_KEY", "X_API_SECRET"],
  authorize({ X_API_KEY: key = "", X_API_SECRET: secret = "" }) {
    const pair = `${encodeURIComponent(key)}:${encodeURIComponent(secret)}`;
    return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
  },
  judge,
};

/** Parameters that stem from a caller -> the caller's field. */
const callersFields: Readonly<Record<string, string>> = {
  id: "id",
  ids: "ids",
  usernames: "usernames",
  username: "username",
  woeid: "woeid",
  query: "q",
  start_time: "start_time",
  end_time: "end_time",
  next_token: "cursor",
  pagination_token: "cursor",
};

export function judge(reply: Reply): Verdict {
  const { status, body } = reply;
  const problem = typeof at(body, "type") === "string" ? (at(body, "type") as string) : "";
  if (status === 200) return { ok: true };
  if (status === 400) {
    // The client itself handles names that this version of the API does not know.
    if (namesDialect(body)) return { ok: true };
    const field = problem.endsWith("/invalid-request") ? fieldAtFault(body) : undefined;
    if (field !== undefined) {
      return {
        ok: false,
        type: "validation_error",
        message: `${field}: is refused by the platform`,
        field,
      };
    }
    return refused;
  }
  if (status === 401 || status === 403) return { ...unavailable, operator: "credential refused" };
  if (status === 402) return { ...unavailable, operator: "out of funds" };
  if (status === 404) return missing;
  if (status === 429) {
    if (problem.endsWith("/usage-capped")) return { ...unavailable, operator: "out of quota" };
    return busy(secondsToReset(reply));
  }
  if (status === 408 || status === 425 || status >= 500) return { ...unavailable, retry: true };
  return refused;
}

/** `x-rate-limit-reset` is a unix time. */
function secondsToReset(reply: Reply): number | undefined {
  const reset = number(reply.headers["x-rate-limit-reset"]);
  return reset === undefined ? undefined : Math.max(1, Math.ceil(reset - Date.now() / 1000));
}

function parametersAtFault(body: unknown): string[] {
  return (array(at(body, "errors")) ?? []).flatMap((error) =>
    Object.keys(object(at(error, "parameters")) ?? {}),
  );
}

function fieldAtFault(body: unknown): string | undefined {
  return parametersAtFault(body)
    .map((name) => callersFields[name])
    .find((field) => field !== undefined);
}

/** Parameters whose name or values were renamed in August 2026; none of them comes from a caller. */
const renamed = new Set(["tweet.fields", "post.fields", "user.fields", "expansions"]);

function namesDialect(body: unknown): boolean {
  return (
    at(body, "type") !== undefined && parametersAtFault(body).some((name) => renamed.has(name))
  );
}

type Dialect = "tweet" | "post";
/** The names that the API last accepted; either version may be served. */
let dialect: Dialect = "tweet";

const fields = {
  tweet:
    "article,attachments,author_id,community_id,conversation_id,created_at,display_text_range,entities,in_reply_to_user_id,lang,note_tweet,possibly_sensitive,public_metrics,referenced_tweets,reply_settings,source",
  user: "created_at,description,entities,location,name,pinned_tweet_id,profile_banner_url,profile_image_url,protected,public_metrics,url,username,verified,verified_type",
  media:
    "alt_text,duration_ms,height,media_key,preview_image_url,public_metrics,type,url,variants,width",
  poll: "duration_minutes,end_datetime,id,options,voting_status",
  community: "access,created_at,description,id,join_policy,member_count,name",
  trend: "trend_name,tweet_count",
};

/** Fields and expansions; without them the API returns almost nothing. */
function selectionOf(thing: Thing, names: Dialect): Record<string, string> {
  const inDialect = (list: string) =>
    names === "tweet"
      ? list
      : list
          .replace("note_tweet", "note_post")
          .replace("referenced_tweets.id,referenced_tweets.id.author_id", "referenced_posts")
          .replace("referenced_tweets", "referenced_posts")
          .replace("pinned_tweet_id", "pinned_post_id");
  switch (thing) {
    case "post":
      return {
        [`${names}.fields`]: inDialect(fields.tweet),
        "user.fields": inDialect(fields.user),
        "media.fields": fields.media,
        "poll.fields": fields.poll,
        expansions: inDialect(
          "author_id,attachments.media_keys,attachments.poll_ids,referenced_tweets.id,referenced_tweets.id.author_id,in_reply_to_user_id",
        ),
      };
    case "user":
      return { "user.fields": inDialect(fields.user) };
    case "id":
      return {};
    case "community":
      return { "community.fields": fields.community };
    case "trend":
      return { "trend.fields": fields.trend };
  }
}

/** Kind of record that a path of the API returns. */
export type Thing = "post" | "user" | "id" | "community" | "trend";

/** One read with all fields selected, in the names that the API accepts. */
export async function get(
  call: Pick<Call, "send">,
  upstream: Upstream,
  thing: Thing,
  path: string,
  query: UpstreamRequest["query"] = {},
): Promise<unknown> {
  const ask = (names: Dialect) =>
    call.send(upstream, {
      method: "GET",
      path,
      query: { ...query, ...selectionOf(thing, names) },
    });
  const first = await ask(dialect);
  if (first.status !== 400) return first.body;
  const other: Dialect = dialect === "tweet" ? "post" : "tweet";
  const second = await ask(other);
  if (second.status === 400) {
    throw new GatewayError("upstream_error", "The upstream refused the call");
  }
  dialect = other;
  return second.body;
}
