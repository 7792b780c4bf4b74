import type { microblog } from "../../../contract/areas/microblog/index.ts";
import type { Connector } from "../../connector.ts";
import { bestEffort } from "../../mapping/best-effort.ts";
import { get as getComplement } from "../../upstreams/twitter283/client.ts";
import { get as getOfficial } from "../../upstreams/x/client.ts";
import { community as officialCommunity } from "./official.map.ts";
import { complementList, either } from "./sources.ts";
import { community, communityAbout, foundCommunities } from "./complement.map.ts";
import { foundMembers, membersOf, postsOf } from "./timeline.map.ts";

export const communities = {
  "microblog.communities.search": (input, call) =>
    complementList(call, input, {
      path: "/CommunitiesSearchSlice",
      query: { q: input.q },
      read: foundCommunities,
    }),
  "microblog.communities.get": (input, call) =>
    either(
      call,
      async (within, x) => ({
        data: officialCommunity(
          await getOfficial(within, x, "community", `/2/communities/${input.id}`),
        ),
      }),
      async (within) => ({
        data: community(
          await getComplement(within, "/CommunityResultsById", { community_id: input.id }),
        ),
      }),
    ),
  "microblog.communities.about": async (input, call) => {
    const query = { community_id: input.id };
    const [about, moderators] = await Promise.all([
      getComplement(call, "/CommunityResultsById", query),
      bestEffort(
        call,
        "moderators",
        getComplement(call, "/CommunityModerators", query).then(
          (body) => membersOf(body, "moderators_slice").rows,
        ),
      ),
    ]);
    return { data: communityAbout(about, moderators.value) };
  },
  "microblog.communities.media": (input, call) =>
    complementList(call, input, {
      path: "/CommunityMediaTimeline",
      query: { community_id: input.id },
      read: (body) => postsOf(body, "community"),
    }),
  "microblog.communities.member_search": (input, call) =>
    complementList(call, input, {
      path: "/CommunityMemberSearch",
      query: { community_id: input.id, q: input.q },
      read: foundMembers,
    }),
  "microblog.communities.members": (input, call) =>
    complementList(call, input, {
      path: "/CommunityMembers",
      query: { community_id: input.id },
      read: (body) => membersOf(body, "members_slice"),
    }),
  "microblog.communities.moderators": (input, call) =>
    complementList(call, input, {
      path: "/CommunityModerators",
      query: { community_id: input.id },
      read: (body) => membersOf(body, "moderators_slice"),
    }),
  "microblog.communities.posts": (input, call) =>
    complementList(call, input, {
      path: "/CommunityTimeline",
      query: { community_id: input.id, type: input.sort === "latest" ? "Latest" : undefined },
      read: (body) => postsOf(body, "community"),
    }),
} satisfies Partial<Connector<typeof microblog>>;
