import { expect, test } from "vitest";
import type { Reply, UpstreamRequest } from "../../../../worker/transport/upstream.ts";
import { reddit, redditToken } from "../../../../worker/upstreams/reddit/client.ts";

const secrets = {
  REDDIT_CLIENT_ID: "id",
  REDDIT_CLIENT_SECRET: "secret",
  REDDIT_USER_AGENT: "server:sample:1.0 (by /u/example)",
};
const reply = (status: number, body?: unknown, headers = {}): Reply => ({ status, body, headers });

test("forum surprise 11: unavailable resources, in all their spellings", () => {
  for (const answer of [
    reply(302, undefined, { location: "https://oauth.reddit.com/subreddits/search?q=nobody" }),
    reply(301),
    reply(404, { message: "Not Found", error: 404 }),
    reply(404, { message: "Not Found", error: 404, reason: "banned" }),
    reply(403, { message: "Forbidden", error: 403, reason: "private" }),
    reply(403, { error: 403 }),
    reply(400, { reason: "USER_DOESNT_EXIST", message: "Bad Request" }),
  ]) {
    expect(reddit.judge(answer), JSON.stringify(answer)).toMatchObject({ type: "not_found" });
  }
});

test.each([
  [200, {}, { ok: true }],
  [400, undefined, { type: "upstream_error" }],
  [400, { message: "Bad Request" }, { type: "upstream_error" }],
  [
    401,
    { error: 401 },
    { type: "upstream_unavailable", reauthorize: true, operator: "credential refused" },
  ],
  [403, undefined, { type: "upstream_unavailable", operator: "user agent refused" }],
  [500, undefined, { type: "upstream_unavailable", retry: true }],
  [503, undefined, { type: "upstream_unavailable", retry: true }],
])("forum surprise 12: status %i with the body %j", (status, body, expected) => {
  expect(reddit.judge(reply(status, body))).toMatchObject(expected);
});

test("a used-up allowance is renewed at the end of the window", () => {
  const verdict = reddit.judge(reply(429, {}, { "x-ratelimit-reset": "12.4" }));
  expect(verdict).toMatchObject({ type: "upstream_unavailable", retryAfter: 13, pauseMs: 13_000 });
});

test("calls carry a fetched token and the operator's user agent", async () => {
  const sent: UpstreamRequest[] = [];
  let life: number | undefined;
  const headers = await reddit.authorize?.(secrets, {
    async get(fetch) {
      const token = await fetch(async (upstream, request) => {
        expect(upstream).toBe(redditToken);
        sent.push(request);
        return reply(200, { access_token: "t0", token_type: "bearer", expires_in: 86_400 });
      });
      life = token.expiresIn;
      return token.value;
    },
  });
  expect(headers).toEqual({ authorization: "bearer t0", "user-agent": secrets.REDDIT_USER_AGENT });
  expect(sent).toMatchObject([{ method: "POST", form: { grant_type: "client_credentials" } }]);
  expect(life).toBe(86_400);
  expect(
    await redditToken.authorize?.(secrets, { get: () => Promise.reject(new Error()) }),
  ).toEqual({
    authorization: `Basic ${Buffer.from("id:secret").toString("base64")}`,
    "user-agent": secrets.REDDIT_USER_AGENT,
  });
});

test("a token that is not found is no missing resource", () => {
  expect(redditToken.judge(reply(302))).toMatchObject({ type: "upstream_unavailable" });
  expect(redditToken.judge(reply(404, {}))).toMatchObject({ type: "upstream_unavailable" });
});

test.each([
  [200, { error: "invalid_grant" }],
  [400, { error: "unsupported_grant_type" }],
  [401, { message: "Unauthorized", error: 401 }],
  [403, undefined],
])("a token refused with %i %j is the operator's fault", (status, body) => {
  expect(redditToken.judge(reply(status, body))).toMatchObject({
    type: "upstream_unavailable",
    operator: "credential refused",
  });
});
