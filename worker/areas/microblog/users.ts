import type { microblog } from "../../../contract/areas/microblog/index.ts";
import type { MicroblogPost, MicroblogUser } from "../../../contract/areas/microblog/records.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { Answer, Call, Connector } from "../../connector.ts";
import { whole } from "../../mapping/list.ts";
import { inParallel } from "../../mapping/parallel.ts";
import { get as getComplement } from "../../upstreams/twitter283/client.ts";
import { get as getOfficial } from "../../upstreams/x/client.ts";
import * as own from "./official.map.ts";
import { complementList, either, eitherList, inOrder, officialList } from "./sources.ts";
import * as complement from "./complement.map.ts";
import { idsOf, postsOf, usersOf } from "./timeline.map.ts";

/** Concurrent look-ups by handle; the complement has no look-up of several. */
const handlesAtOnce = 5;

export const users = {
  "microblog.users.batch": async (input, call) => {
    const ids = input.ids.join(",");
    const found = await either(
      call,
      async (within, x) => own.userBatch(await getOfficial(within, x, "user", "/2/users", { ids })),
      async (within) =>
        complement.users(await getComplement(within, "/UserResultsByRestIds", { user_ids: ids })),
    );
    return whole(
      call,
      inOrder(input.ids, found, (user) => user.id),
    );
  },
  "microblog.users.batch_by_username": async (input, call) => {
    const found = await either(
      call,
      async (within, x) =>
        own.userBatch(
          await getOfficial(within, x, "user", "/2/users/by", {
            usernames: input.usernames.join(","),
          }),
        ),
      (within) => byUsernames(within, input.usernames),
    );
    return whole(
      call,
      inOrder(input.usernames, found, (user) => user.username),
    );
  },
  "microblog.users.get_by_username": (input, call) =>
    either(
      call,
      async (within, x) => ({
        data: own.oneUser(
          await getOfficial(within, x, "user", `/2/users/by/username/${input.username}`),
        ),
      }),
      async (within) => ({ data: await byUsername(within, input.username) }),
    ),
  "microblog.users.get": (input, call) =>
    either(
      call,
      async (within, x) => ({
        data: own.oneUser(await getOfficial(within, x, "user", `/2/users/${input.id}`)),
      }),
      async (within) => ({ data: await byId(within, input.id) }),
    ),
  "microblog.users.followers": (input, call) =>
    people(input, call, "user", "followers", "/UserFollowers"),
  "microblog.users.following": (input, call) =>
    people(input, call, "user", "following", "/UserFollowing"),
  "microblog.users.follower_ids": (input, call) =>
    peopleIds(input, call, "followers", "/FollowersIds"),
  "microblog.users.following_ids": (input, call) =>
    peopleIds(input, call, "following", "/FollowingIds"),
  "microblog.users.liked_posts": (input, call) =>
    complementList(call, input, {
      path: "/UserLikes",
      query: { user_id: input.id },
      read: (body) => postsOf(body, "user"),
    }),
  "microblog.users.posts": (input, call) => {
    const excluded = new Set(
      input.exclude?.map((kind) => (kind === "retweets" ? "reposts" : kind)),
    );
    const names = [...excluded].map((kind) => (kind === "reposts" ? "retweets" : kind));
    return eitherList(
      call,
      input,
      {
        thing: "post",
        path: `/2/users/${input.id}/tweets`,
        query: { exclude: names.length === 0 ? undefined : names.join(",") },
        size: { least: 5, most: 100 },
        read: (body) => own.postPage(body, "user"),
      },
      {
        path: excluded.has("replies") ? "/UserTweets" : "/UserTweetsReplies",
        query: { user_id: input.id },
        read(body) {
          const page = postsOf(body, "user");
          const rows = ownPosts(page.rows, input.id, excluded);
          const advances = page.advances === true || page.rows.length > rows.length;
          return { ...page, rows, advances };
        },
      },
    );
  },
  "microblog.users.profile_translation": async (input, call) => ({
    data: complement.profileTranslation(
      await getComplement(call, "/TranslateProfile", {
        user_id: input.id,
        language: input.language,
      }),
      input,
    ),
  }),
  "microblog.users.verified_followers": (input, call) =>
    complementList(call, input, {
      path: "/UserVerifiedFollowers",
      query: { user_id: input.id },
      read: (body) => usersOf(body, "user"),
    }),
} satisfies Partial<Connector<typeof microblog>>;

export async function byId(call: Call, id: string): Promise<MicroblogUser> {
  return complement.user(await getComplement(call, "/UserResultByRestId", { user_id: id }));
}

export async function byUsername(call: Call, username: string): Promise<MicroblogUser> {
  return complement.user(await getComplement(call, "/UserResultByScreenName", { username }));
}

async function byUsernames(call: Call, usernames: readonly string[]): Promise<MicroblogUser[]> {
  const outcomes = await inParallel(handlesAtOnce, usernames, (name) => byUsername(call, name));
  return outcomes.flatMap((outcome) => {
    if (outcome.status === "fulfilled") return [outcome.value];
    const reason: unknown = outcome.reason;
    if (reason instanceof GatewayError && reason.type === "not_found") return [];
    throw reason;
  });
}

interface Listing {
  id: string;
  limit: number;
}
type Side = "followers" | "following";

/** People related to a user or a list. */
export function people(
  input: Listing,
  call: Call,
  owner: "user" | "list",
  side: Side | "members",
  path: string,
): Promise<Answer<MicroblogUser[]>> {
  return eitherList(
    call,
    input,
    {
      thing: "user",
      path: `/2/${owner}s/${input.id}/${side}`,
      size: { least: 1, most: owner === "user" ? 1000 : 100 },
      read: (body) => own.userPage(body, owner),
    },
    {
      path,
      query: { [`${owner}_id`]: input.id },
      read: (body) => usersOf(body, owner),
    },
  );
}

/** Most ids in one request to the complement; its pages may be smaller. */
const idsAtOnce = 5000;

function peopleIds(
  input: Listing,
  call: Call,
  side: Side,
  path: string,
): Promise<Answer<string[]>> {
  return either(
    call,
    (within, x) =>
      officialList(within, x, input, {
        thing: "id",
        path: `/2/users/${input.id}/${side}`,
        size: { least: 1, most: 1000 },
        read: (body) => own.idPage(body, "user"),
      }),
    (within) =>
      complementList(within, input, {
        path,
        query: { user_id: input.id, count: idsAtOnce, stringify_ids: true },
        read: idsOf,
      }),
  );
}

/** The user's own posts, newest first: conversations contain other authors' posts and run from old to new. */
export function ownPosts(
  posts: readonly MicroblogPost[],
  userId: string,
  excluded: ReadonlySet<string>,
): MicroblogPost[] {
  return posts
    .filter(({ author }) => author === undefined || author.id === userId)
    .filter((post) => !(excluded.has("replies") && post.is_reply))
    .filter((post) => !(excluded.has("reposts") && post.is_repost))
    .sort((a, b) => b.id.length - a.id.length || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));
}
