import type { Sample, SampleRequest } from "../../../sandbox/sample.ts";
import { graphUser, type Layout, layouts, person, personInList } from "./people.ts";
import { idOfPost, traits } from "./posts.ts";
import { layoutOf, part, postRow, timeline } from "./timeline.ts";
import { vary } from "../../../sandbox/vary.ts";

function community(id: string, index: number): Record<string, unknown> {
  const v = vary("microblog", "community", id);
  const banner = (name: string) => ({
    media_info: { original_img_url: `https://images.example/${name}-${id}.jpg` },
  });
  const holder = (name: string, layout: Layout) => {
    const who = person(v.digits(name, 18));
    return { rest_id: who.id, result: graphUser({ ...who, isSparse: false }, layout) };
  };
  return {
    __typename: "Community",
    rest_id: id,
    name: `Sample Circle ${v.token("name", 4)}`,
    description: "People who make samples",
    // Milliseconds, unlike every other time of the platform.
    created_at: 1_640_000_000_000 + v.int("time", 0, 60_000_000) * 1000,
    member_count: v.int("members", 2, 90_000),
    moderator_count: v.int("moderators", 1, 9),
    join_policy: v.pick("join", ["Open", "RestrictedJoinRequestsRequireModeratorApproval"]),
    invites_policy: "MemberInvitesAllowed",
    is_nsfw: v.int("nsfw", 0, 4) === 0,
    [index % 2 === 0 ? "community_topic" : "primary_community_topic"]: { topic_name: "Crafts" },
    ...(index % 2 === 0 ? { custom_banner_media: banner("banner") } : {}),
    default_banner_media: banner("default"),
    rules: [
      { rest_id: v.digits("rule1", 19), name: "Be kind" },
      { rest_id: v.digits("rule2", 19), name: "Kites only", description: "No other samples" },
    ],
    creator_results: holder("creator", layoutOf(index)),
    admin_results: holder("admin", layoutOf(index + 1)),
    members_facepile_results: layouts.map((layout) => holder(`face ${layout}`, layout)),
  };
}

const communityId = ({ query }: SampleRequest) => String(query?.community_id);

function inCommunity(request: SampleRequest, inner: object): unknown {
  return { data: { community_by_rest_id: { rest_id: communityId(request), ...inner } } };
}

/** Members in the platform's two shapes. */
function member(name: string, request: SampleRequest, index: number, role: string): unknown {
  const who = personInList(`${name} ${communityId(request)}`, index);
  const user = graphUser(who, layoutOf(index));
  if (index % 4 === 3) return { result: { ...user, community_role: role } };
  return {
    rest_id: who.id,
    result: {
      __typename: "User",
      rest_id: who.id,
      community_relationship: { role, user_results: { rest_id: who.id, result: user } },
    },
  };
}

const slice =
  (name: "members" | "moderators"): Sample =>
  (request) => {
    const roles = name === "members" ? ["Admin", "Moderator", "Member"] : ["Admin", "Moderator"];
    const { rows, cursor, hasMore } = part(request, (index) =>
      member(name, request, index, roles[Math.min(index, roles.length - 1)] as string),
    );
    return inCommunity(request, {
      [`${name}_slice`]: { items: rows, slice_info: hasMore ? { next_cursor: cursor } : {} },
    });
  };

/** Lists of one page. */
function onePage(
  { empty, secondPage }: SampleRequest,
  make: (index: number) => unknown,
): unknown[] {
  return Array.from({ length: empty ? 0 : secondPage ? 130 : 34 }, (_, index) => make(index));
}

const communityPosts =
  (name: string): Sample =>
  (request) =>
    inCommunity(request, {
      [name]: timeline(request, "tweet_results", (asked, index) =>
        postRow(
          traits(idOfPost(`${name} ${communityId(asked)} ${asked.query?.type}`, index), {
            community: communityId(asked),
          }),
          communityId(asked),
        ),
      ),
    });

/** Sample answers about communities, lists, trends and suggestions. */
export const discovery: Record<string, Sample> = {
  "GET /CommunityResultsById": (request) => {
    if (request.empty) return { data: {} };
    const id = communityId(request);
    const result = community(id, Number(id[0]) + Number(id.at(-1)));
    return { data: { community_results_by_rest_id: { rest_id: id, result } } };
  },
  "GET /CommunityModerators": slice("moderators"),
  "GET /CommunityMembers": slice("members"),
  "GET /CommunityMemberSearch": (request) =>
    inCommunity(request, {
      member_relationship_typeahead: onePage(request, (index) => {
        const who = personInList(`search ${communityId(request)} ${request.query?.q}`, index);
        const result = graphUser(who, layoutOf(index));
        const role = index === 0 ? "Admin" : "Member";
        return { id: "sample", role, user_results: { rest_id: who.id, result } };
      }),
    }),
  "GET /CommunityTimeline": communityPosts("ranked_community_timeline"),
  "GET /CommunityMediaTimeline": communityPosts("community_media_timeline"),
  "GET /CommunitiesSearchSlice": (request) => {
    const { rows, cursor, hasMore } = part(request, (index) => {
      const v = vary("microblog", "communities", String(request.query?.q));
      const id = `${v.digits("prefix", 14)}${1000 + index}5`;
      return { rest_id: id, result: community(id, index) };
    });
    return {
      data: {
        communities_search_slice: {
          items_results: rows,
          slice_info: hasMore ? { next_cursor: cursor } : {},
        },
      },
    };
  },
  "GET /ListSearch": (request) => ({
    num_results: 34,
    users: [],
    topics: [],
    lists: onePage(request, (index) => {
      const v = vary("microblog", "lists", String(request.query?.q), index);
      const id = v.digits("id", 19);
      const followers = `${v.int("followers", 1, 90)}.${v.int("tenth", 1, 9)}K`;
      return {
        object_id: id,
        topic: `${request.query?.q} ${index + 1}`,
        url: `twitter.com/i/lists/${id}`,
        primary_image: {
          original_info: { url: `https://images.example/list-${id}.png`, height: 375, width: 1125 },
        },
        result_contexts: [
          {
            result_context: {
              display_string: `${followers} followers including @sample_friend`,
              types: [{ type: "followers_context" }],
            },
          },
        ],
        ...(index % 2 === 0 ? { supporting_text: "A list of samples" } : {}),
      };
    }),
    query: request.query?.q,
  }),
  "GET /Trends": ({ query, empty }) => {
    const v = vary("microblog", "trends", String(query?.woeid));
    const modules = Array.from({ length: empty ? 0 : Number(query?.count ?? 20) }, (_, index) => {
      const name = `#Sample${v.token(`name${index}`, 5)}`;
      return {
        trend: {
          name,
          target: { query: name },
          rank: index + 1,
          ...(index % 3 === 2 ? {} : { meta_description: `${v.int(`n${index}`, 1, 90)}.1K posts` }),
        },
      };
    });
    return { metadata: { woeid: { name: "Sampleland", id: query?.woeid } }, modules };
  },
  "GET /AutoComplete": ({ query, empty }) => {
    const word = String(query?.q);
    const users = empty
      ? []
      : Array.from({ length: 4 }, (_, index) => {
          const who = personInList(`autocomplete ${word}`, index);
          return {
            // A number that lost its last digits on the way.
            id: Number(who.id),
            id_str: who.id,
            verified: false,
            ext_is_blue_verified: who.kind === "blue",
            ...(who.kind === "business" ? { ext_verified_type: "Business" } : {}),
            name: who.name,
            screen_name: who.username,
            profile_image_url_https: `https://images.example/avatars/${who.username}_normal.jpg`,
            location: index % 2 === 0 ? "By the sea" : "",
            is_protected: who.isProtected,
          };
        });
    const topic = (name: string) => ({ topic: name, result_context: { types: [] } });
    return {
      num_results: users.length,
      users,
      topics: empty ? [] : [topic(word), topic(`#${word}day`), topic(`$${word.toUpperCase()}`)],
      hashtags: empty ? [] : [{ hashtag: `#${word}s` }],
      lists: [],
      query: word,
    };
  },
};
