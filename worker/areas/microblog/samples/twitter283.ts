import type { Sample, SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { discovery } from "./twitter283-discovery.ts";
import { graphUser, idInList, idOfHandle, person, personInList } from "./people.ts";
import { graphPost, idOfPost, traits } from "./posts.ts";
import { layoutOf, postRow, type Row, timeline } from "./timeline.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const idsPerPage = 1000;
/** Ids of a list; a second page needs more than the largest `limit`. */
const idsIn = { default: 620, long: 5600 };

const postsOf =
  (name: string, parameter: string): Row =>
  ({ query }, index) =>
    postRow(traits(idOfPost(`${name} ${query?.[parameter]}`, index)));

const peopleOf =
  (name: string, parameter: string): Row =>
  ({ query }, index) =>
    graphUser(personInList(`${name} ${query?.[parameter]}`, index), layoutOf(index));

const inUser =
  (name: string, holder: string, row: Row): Sample =>
  (request) => ({
    data: {
      user_result_by_rest_id: {
        rest_id: request.query?.user_id,
        result: {
          __typename: "User",
          rest_id: request.query?.user_id,
          [name]: timeline(request, holder, row),
        },
      },
    },
  });

const inList =
  (name: string, holder: string, row: Row): Sample =>
  (request) => ({
    data: {
      list_by_rest_id: {
        rest_id: request.query?.list_id,
        [name]: timeline(request, holder, row),
      },
    },
  });

const inSearch =
  (row: Row): Sample =>
  (request) => ({
    data: {
      search_by_raw_query: {
        rest_id: "sample",
        search_timeline: timeline(request, "tweet_results", row),
      },
    },
  });

/** Ids of people; all of them follow sample_two and are followed by sample_one. */
const idsOf =
  (name: string, always: string): Sample =>
  ({ query, empty, secondPage }) => {
    const first = Number(query?.cursor ?? 0);
    const total = empty ? 0 : secondPage ? idsIn.long : idsIn.default;
    const ids = slice({ total, offset: first, count: idsPerPage }, (index) =>
      index === 3 && query?.user_id !== idOfHandle(always)
        ? idOfHandle(always)
        : idInList(`${name} ${query?.user_id}`, index),
    );
    const end = first + ids.length;
    const next = end < total ? end : 0;
    return {
      ids,
      next_cursor: next,
      next_cursor_str: String(next),
      previous_cursor: 0,
      previous_cursor_str: "0",
      total_count: null,
    };
  };

const ownPosts =
  (name: string): Sample =>
  (request) =>
    inUser(name, "tweet_results", ({ query }, index) =>
      postRow(
        traits(idOfPost(`own ${query?.user_id}`, index), {
          author: person(String(query?.user_id)),
        }),
      ),
    )(request);

const oneUser =
  (who: (query: SampleRequest["query"]) => ReturnType<typeof person>): Sample =>
  ({ query, empty }) => {
    if (empty) return { data: {} };
    const found = who(query);
    const layout = layoutOf(Number(found.id.slice(-3)));
    return { data: { user_results: { rest_id: found.id, result: graphUser(found, layout) } } };
  };

const listed = (query: SampleRequest["query"], name: string) => String(query?.[name]).split(",");

/** Sample answers of twitter283. */
export const twitter283: Samples = {
  upstream: "twitter283",
  answers: {
    "GET /TweetDetailv2": ({ query, empty }) =>
      empty
        ? { data: {} }
        : { data: { tweetResult: { result: postRow(traits(String(query?.tweet_id))) } } },
    "GET /TweetResultsByRestIds": ({ query, empty }) => ({
      data: {
        tweetResult: listed(query, "tweet_ids").map((id) =>
          empty || id.endsWith("9")
            ? { result: { __typename: "TweetUnavailable" } }
            : { result: postRow(traits(id)) },
        ),
      },
    }),
    "GET /Search": inSearch(postsOf("search", "q")),
    "GET /TweetQuotes": inSearch(postsOf("quotes", "tweet_id")),
    "GET /TweetRetweeters": (request) => ({
      data: {
        retweeters_timeline: {
          id: "sample",
          ...(timeline(request, "user_results", peopleOf("reposters", "tweet_id")) as object),
        },
      },
    }),
    "GET /TweetFavoriters": (request) => ({
      data: {
        favoriters_timeline: {
          id: "sample",
          ...(timeline(request, "user_results", peopleOf("likers", "tweet_id")) as object),
        },
      },
    }),
    "GET /TweetArticle": ({ query, empty }) => {
      if (empty) return { data: {} };
      const id = String(query?.tweet_id);
      const tweet = graphPost(traits(id)) as object;
      const article = { article_results: { result: articleOf(id) } };
      return { data: { tweetResult: { result: { ...tweet, article } } } };
    },
    "GET /TranslateTweet": ({ query, empty }) =>
      empty
        ? { data: {} }
        : {
            data: {
              tweet_results: {
                rest_id: query?.tweet_id,
                result: {
                  __typename: "Tweet",
                  rest_id: query?.tweet_id,
                  translate_tweet: {
                    destination_language: query?.language,
                    entities: {},
                    source_language: "en",
                    translation: `(${query?.language}) kites: note no. ${query?.tweet_id}`,
                    translation_source: "Sample Translator",
                    translation_state: "Success",
                  },
                },
              },
            },
          },
    "GET /UserResultByRestId": oneUser((query) => person(String(query?.user_id))),
    "GET /UserResultByScreenName": oneUser((query) => {
      const username = String(query?.username);
      return person(idOfHandle(username), username);
    }),
    "GET /UserResultsByRestIds": ({ query, empty }) => ({
      data: {
        users: listed(query, "user_ids").map((id, index) =>
          empty || id.endsWith("9")
            ? { rest_id: id, result: { __typename: "UserUnavailable" } }
            : { rest_id: id, result: graphUser(person(id), layoutOf(index)) },
        ),
      },
    }),
    "GET /UserTweets": ownPosts("profile_timeline_v2"),
    "GET /UserTweetsReplies": ownPosts("profile_with_replies_timeline_v2"),
    "GET /UserLikes": inUser(
      "favorites_by_time_timeline_v2",
      "tweet_results",
      postsOf("liked", "user_id"),
    ),
    "GET /UserFollowers": inUser(
      "followers_timeline",
      "user_results",
      peopleOf("followers", "user_id"),
    ),
    "GET /UserFollowing": inUser(
      "following_timeline",
      "user_results",
      peopleOf("following", "user_id"),
    ),
    "GET /UserVerifiedFollowers": inUser(
      "blue_verified_followers_timeline",
      "user_results",
      peopleOf("verified", "user_id"),
    ),
    "GET /FollowersIds": idsOf("followers", "sample_one"),
    "GET /FollowingIds": idsOf("following", "sample_two"),
    "GET /TranslateProfile": ({ query, empty }) =>
      empty
        ? {}
        : {
            profileUserId: query?.user_id,
            profileTranslation: {
              translation: `(${query?.language}) sample person no. ${query?.user_id}`,
              language: query?.language,
              sourceLanguage: "en",
              localizedSourceLanguage: "English",
              translationSource: "Sample Translator",
            },
          },
    "GET /ListTweetsTimeline": inList(
      "tweets_timeline",
      "tweet_results",
      postsOf("list", "list_id"),
    ),
    "GET /ListMembersTimeline": inList(
      "members_timeline",
      "user_results",
      peopleOf("members", "list_id"),
    ),
    "GET /ListSubscribersTimeline": inList(
      "subscribers_timeline",
      "user_results",
      peopleOf("subscribers", "list_id"),
    ),
    ...discovery,
  },
  faults: {
    not_found: { status: 404, body: { message: "Not found" } },
    upstream_error: { status: 200, body: { message: "Something went wrong" } },
    upstream_unavailable: { status: 503, body: { message: "Service unavailable" } },
  },
};

function articleOf(postId: string): unknown {
  const v = vary("microblog", "article", postId);
  const picture = (name: string) => ({
    media_info: {
      __typename: "ApiImage",
      original_img_height: 600,
      original_img_width: 1500,
      original_img_url: `https://images.example/article-${postId}-${name}.jpg`,
    },
  });
  const published = 1_740_000_000 + v.int("time", 0, 30_000_000);
  return {
    rest_id: v.digits("id", 19),
    title: `Notes on kites, no. ${postId}`,
    preview_text: "What the wind taught us",
    cover_media: picture("cover"),
    content_state: {
      blocks: [
        { key: "a", type: "header-one", text: "The wind", data: {}, entityRanges: [] },
        { key: "b", type: "unstyled", text: `Paragraph of article ${postId}.`, data: {} },
        { key: "c", type: "atomic", text: " ", data: {}, entityRanges: [{ key: 1 }] },
      ],
      entityMap: [
        { key: "0", value: { type: "LINK", data: { url: `https://blog.example/${postId}` } } },
        { key: "1", value: { type: "MEDIA", data: { mediaItems: [{ mediaId: "1" }] } } },
      ],
    },
    media_entities: [picture("inside")],
    metadata: { first_published_at_secs: published },
    lifecycle_state: { modified_at_secs: published + 600 },
  };
}
