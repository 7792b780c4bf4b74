import type { microblog } from "../../../contract/areas/microblog/index.ts";
import type {
  MicroblogPost,
  MicroblogTrend,
  MicroblogUser,
} from "../../../contract/areas/microblog/records.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { Answer, Call, Connector } from "../../connector.ts";
import { whole } from "../../mapping/list.ts";
import { get as getComplement } from "../../upstreams/twitter283/client.ts";
import { get as getOfficial } from "../../upstreams/x/client.ts";
import * as own from "./official.map.ts";
import { complementList, either, eitherList, pageBehind } from "./sources.ts";
import { foundLists, suggestions, trends } from "./complement.map.ts";
import { idsOf, postsOf } from "./timeline.map.ts";
import { byId, byUsername, people } from "./users.ts";

export const discovery = {
  "microblog.autocomplete": async (input, call) => {
    const body = await getComplement(call, "/AutoComplete", { q: input.q });
    return { data: suggestions(body, input.q, input.limit) };
  },
  "microblog.friendships.show": async (input, call) => {
    const [source, target] = await Promise.all([
      party(call, input.source_id, input.source_screen_name),
      party(call, input.target_id, input.target_screen_name),
    ]);
    const [forward, back] = await Promise.all([
      follows(call, source, target),
      follows(call, target, source),
    ]);
    return {
      data: {
        source: named(source),
        target: named(target),
        source_follows_target: forward,
        target_follows_source: back,
      },
    };
  },
  "microblog.lists.search": (input, call) =>
    complementList(call, input, { path: "/ListSearch", query: { q: input.q }, read: foundLists }),
  "microblog.lists.followers": (input, call) =>
    people(input, call, "list", "followers", "/ListSubscribersTimeline"),
  "microblog.lists.members": (input, call) =>
    people(input, call, "list", "members", "/ListMembersTimeline"),
  "microblog.lists.posts": (input, call): Promise<Answer<MicroblogPost[]>> =>
    eitherList(
      call,
      input,
      {
        thing: "post",
        path: `/2/lists/${input.id}/tweets`,
        size: { least: 1, most: 100 },
        read: (body) => own.postPage(body, "list"),
      },
      {
        path: "/ListTweetsTimeline",
        query: { list_id: input.id },
        read: (body) => postsOf(body, "list"),
      },
    ),
  "microblog.trends.by_woeid": async (input, call) => {
    const { woeid, limit } = input;
    const found: MicroblogTrend[] = await either(
      call,
      async (within, x) =>
        own.trends(
          await getOfficial(within, x, "trend", `/2/trends/by/woeid/${woeid}`, {
            max_trends: limit,
          }),
        ),
      async (within) => trends(await getComplement(within, "/Trends", { woeid, count: limit })),
    );
    return whole(call, found.slice(0, limit));
  },
} satisfies Partial<Connector<typeof microblog>>;

function party(
  call: Call,
  id: string | undefined,
  username: string | undefined,
): Promise<MicroblogUser> {
  return id === undefined ? byUsername(call, username ?? "") : byId(call, id);
}

function named({ id, username }: MicroblogUser) {
  return { id, username };
}

/** Pages of ids read before a relationship counts as undecidable; a page has up to 5,000. */
const mostIdPages = 10;

/** Decides whether `a` follows `b`, by the shorter of two lists: the accounts `a` follows, or the followers of `b`. */
async function follows(call: Call, a: MicroblogUser, b: MicroblogUser): Promise<boolean> {
  const isShorter = (a.following_count ?? 0) <= (b.follower_count ?? Infinity);
  const [path, user_id, sought] = isShorter
    ? ["/FollowingIds", a.id, b.id]
    : ["/FollowersIds", b.id, a.id];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostIdPages; pages += 1) {
    const query = { user_id, count: 5000, stringify_ids: true, cursor };
    const page = pageBehind(cursor, idsOf, await getComplement(call, path, query));
    if (page.rows.includes(sought)) return true;
    if (page.next === undefined || page.next === cursor) return false;
    cursor = page.next;
  }
  throw new GatewayError("upstream_error", "The relationship could not be decided");
}
