import { describe, expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import type { Sample } from "../../../worker/sandbox/sample.ts";
import type { Reply, Upstream, UpstreamRequest } from "../../../worker/transport/upstream.ts";
import { play as playOperation } from "../../operations/play.ts";
import { complement, dataOf, play, typeOf, type Json } from "./play.ts";

describe("microblog upstreams", () => {
  test("an operation uses the first upstream with credentials", async () => {
    const used = async (id: string, input: Json, configured: string[]) =>
      (await play(id, input, { configured })).sent[0]?.upstream;
    const post = ["microblog.posts.get", { id: "1790000000000000105" }] as const;
    expect(await used(...post, ["x", "twitter283"])).toBe("x");
    expect(await used(...post, ["x-app", "twitter283"])).toBe("x-app");
    expect(await used(...post, ["twitter283"])).toBe("twitter283");
    expect(await used(...post, [])).toBe("x");
    const ids = ["microblog.users.follower_ids", { id: "7" }] as const;
    expect(await used(...ids, ["x", "twitter283"])).toBe("twitter283");
    expect(await used(...ids, ["x"])).toBe("x");
    expect(await used(...ids, [])).toBe("twitter283");
  });

  const all = [...operations.values()].filter(({ area }) => area === "microblog");

  test.each(all)("$id answers with the complement's key alone", async (op) => {
    const { played, sent } = await play(op.id, op.example as Json, complement);
    expect(typeOf(played)).toBe("ok");
    expect(new Set(sent.map(({ upstream }) => upstream))).toEqual(new Set(["twitter283"]));
    expect((played as { records: number }).records).toBeGreaterThan(0);
  });

  test("X's API field names change when X refuses them, and stay changed until X refuses the new ones", async () => {
    const refusal = {
      title: "Invalid Request",
      type: "https://api.twitter.com/2/problems/invalid-request",
      errors: [{ parameters: { "tweet.fields": ["note_tweet"] }, message: "no" }],
    };
    const requests: Json[] = [];
    // The choice outlives this test in this process, so the test switches it back at the end.
    let taken = "post.fields";
    const operation = operations.get("microblog.posts.get");
    const ask = () =>
      playOperation(
        operation as never,
        { id: "1" },
        {
          outbound: {
            send(upstream: Upstream, { query = {} }: UpstreamRequest) {
              requests.push(query);
              const known = taken in query;
              const reply: Reply = known
                ? { status: 200, headers: {}, body: { data: { id: "1", text: "a" } } }
                : { status: 400, headers: {}, body: refusal };
              expect(upstream.judge(reply)).toEqual({ ok: true });
              return Promise.resolve(reply);
            },
            fetchFor: () => fetch,
          },
        },
      );
    expect(await ask()).toMatchObject({ ok: true, data: { id: "1" } });
    expect(await ask()).toMatchObject({ ok: true });
    expect(
      requests.map((query) => Object.keys(query).find((name) => /^(tweet|post)\./.test(name))),
    ).toEqual(["tweet.fields", "post.fields", "post.fields"]);
    expect(requests[1]).toMatchObject({
      "post.fields": expect.stringMatching(/note_post.*referenced_posts/),
      expansions: expect.not.stringMatching(/tweet/),
      "user.fields": expect.stringContaining("pinned_post_id"),
    });
    taken = "tweet.fields";
    requests.length = 0;
    expect(await ask()).toMatchObject({ ok: true });
    expect(await ask()).toMatchObject({ ok: true });
    expect(requests.map((query) => taken in query)).toEqual([false, true, true]);
  });

  test("unknown handles are left out, other failures are not", async () => {
    const answers = (fault: unknown): Record<string, Sample> => ({
      "GET /UserResultByScreenName": ({ query }) =>
        query?.username === "b"
          ? fault
          : { data: { user_results: { result: { rest_id: "1", core: { screen_name: "A" } } } } },
    });
    const input = { usernames: ["b", "@a", "A"] };
    const id = "microblog.users.batch_by_username";
    const found = await dataOf(id, input, { ...complement, answers: answers({ data: {} }) });
    expect(found).toMatchObject([{ id: "1", username: "A" }]);
    const broken = await play(id, input, { ...complement, answers: answers([]) });
    expect(typeOf(broken.played)).toBe("response_shape_error");
  });

  test("a search on the complement carries its times in the query", async () => {
    const { sent } = await play(
      "microblog.posts.search_recent",
      { query: "a", start_time: 1780000000, end_time: 1780000100, sort: "relevancy" },
      complement,
    );
    expect(sent[0]?.query).toMatchObject({
      q: "a since_time:1780000000 until_time:1780000100",
      type: "Top",
    });
    const own = await play("microblog.posts.search_recent", { q: "a", start_time: 1780000000 });
    expect(own.sent[0]?.query).toMatchObject({ start_time: "2026-05-28T20:26:40Z" });
  });

  test("a relationship not found within ten pages is reported as such", async () => {
    const answers: Record<string, Sample> = {
      "GET /FollowersIds": ({ query }) => ({
        ids: ["5"],
        next_cursor_str: String(Number(query?.cursor ?? 0) + 1),
      }),
    };
    const input = { source_id: "1", target_screen_name: "sample_two" };
    const all = { ...answers, "GET /FollowingIds": answers["GET /FollowersIds"] as Sample };
    const { played } = await play("microblog.friendships.show", input, { answers: all });
    expect(typeOf(played)).toBe("upstream_error");
  });

  test("an empty later page of ids decides a relationship, an empty first one is no user", async () => {
    const input = { source_id: "1", target_screen_name: "sample_two" };
    const page: Sample = ({ query }) =>
      query?.cursor === undefined ? { ids: ["5"], next_cursor_str: "2" } : {};
    const show = async (ids: Sample) => {
      const answers = { "GET /FollowersIds": ids, "GET /FollowingIds": ids };
      return (await play("microblog.friendships.show", input, { answers })).played;
    };
    expect(await show(page)).toMatchObject({
      data: { source_follows_target: false, target_follows_source: false },
    });
    expect(typeOf(await show(() => ({})))).toBe("not_found");
  });

  test("a translation that failed is the upstream's fault", async () => {
    const answers = {
      "GET /TranslateTweet": () => ({
        data: {
          tweet_results: {
            result: { rest_id: "1", translate_tweet: { translation_state: "Failed" } },
          },
        },
      }),
    };
    const { played } = await play("microblog.posts.translation", { id: "1" }, { answers });
    expect(typeOf(played)).toBe("upstream_error");
  });

  test("an article of many blocks and entities is read in linear time", async () => {
    const many = 20_000;
    const blocks = Array.from({ length: many }, () => ({ type: "unstyled", text: "A" }));
    const entityMap = blocks.map((_, key) => ({
      key: String(key),
      value: { type: "LINK", data: { url: `https://a.example/${key}` } },
    }));
    const held = { rest_id: "5", content_state: { blocks, entityMap } };
    const post = { rest_id: "1", article: { article_results: { result: held } } };
    const answers = { "GET /TweetArticle": () => ({ data: { tweetResult: { result: post } } }) };
    const begun = performance.now();
    const article = await dataOf("microblog.posts.article", { id: "1" }, { answers });
    expect(article.links).toHaveLength(many);
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});
