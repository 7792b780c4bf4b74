import type { openSocial } from "../../../contract/areas/open-social/index.ts";
import type { OpenSocialPost } from "../../../contract/areas/open-social/records.ts";
import type { Connector } from "../../connector.ts";
import { listed, listedById, whole } from "../../mapping/list.ts";
import { at, found, need, object, rows } from "#wire";
import * as bluesky from "./bluesky.map.ts";
import { askBluesky, askLemmy, askMastodon, hostOf, mastodonAccount } from "./calls.ts";
import * as lemmy from "./lemmy.map.ts";
import {
  feedPage,
  foundUsers,
  fromLemmy,
  postsOf,
  related,
  statuses,
  threadPage,
} from "./lists.ts";
import * as mastodon from "./mastodon.map.ts";

/** A post may be in a feed more than once: itself, and passed on by others. */
const byPost = ({ id, reposted_by_username = "" }: OpenSocialPost) =>
  `${id} ${reposted_by_username}`;

export default {
  "open_social.users.get": async ({ network, instance, username }, call) => {
    if (network === "bluesky") {
      const body = await askBluesky(call, "actor.getProfile", { actor: username });
      return { data: bluesky.user(need(object(body), "profile")) };
    }
    const host = hostOf(network, instance);
    if (network === "mastodon") {
      const { body } = await mastodonAccount(call, host, username);
      return { data: mastodon.user(host)(need(object(body), "account")) };
    }
    const body = await askLemmy(call, host, "/user", { username, limit: 1 });
    return { data: lemmy.user(need(object(at(body, "person_view")), "person_view")) };
  },
  "open_social.users.posts": async (input, call) =>
    listed(call, {
      limit: input.limit,
      fetch: (position) => postsOf(call, input, position),
      key: byPost,
    }),
  "open_social.users.followers": async (input, call) =>
    listedById(call, input, (position) => related(call, input, "followers", position)),
  "open_social.users.following": async (input, call) =>
    listedById(call, input, (position) => related(call, input, "following", position)),
  "open_social.posts.get": async ({ network, instance, id }, call) => {
    if (network === "bluesky") {
      // A look-up takes the DID of the account only; a thread takes its name as well.
      const isByName = !id.startsWith("at://did:");
      const body = isByName
        ? await askBluesky(call, "feed.getPostThread", { uri: id, depth: 0, parentHeight: 0 })
        : await askBluesky(call, "feed.getPosts", { uris: id });
      const view = isByName ? bluesky.rootOf(body)?.view : object(at(body, "posts", 0));
      return { data: bluesky.post(found(view, "post")) };
    }
    const host = hostOf(network, instance);
    if (network === "mastodon") {
      const { body } = await askMastodon(call, host, `/v1/statuses/${id}`);
      return { data: mastodon.post(host)(need(object(body), "status")) };
    }
    if (id.startsWith("c")) {
      const body = await askLemmy(call, host, "/comment", { id: id.slice(1) });
      const view = need(object(at(body, "comment_view")), "comment_view");
      const { depth: _depth, ...comment } = lemmy.comment(view);
      return { data: comment };
    }
    const body = await askLemmy(call, host, "/post", { id });
    return { data: lemmy.post(need(object(at(body, "post_view")), "post_view")) };
  },
  "open_social.posts.thread": async (input, call) =>
    listedById(call, input, (position) => threadPage(call, input, position)),
  "open_social.feed": async (input, call) =>
    listed(call, {
      limit: input.limit,
      fetch: (position) => feedPage(call, input, position),
      key: byPost,
    }),
  "open_social.hashtags.posts": async ({ instance, hashtag, limit }, call) => {
    const path = `/v1/timelines/tag/${encodeURIComponent(hashtag)}`;
    const host = hostOf("mastodon", instance);
    return listedById(call, { limit }, (position) => statuses(call, host, path, {}, position));
  },
  "open_social.search.users": async (input, call) =>
    listedById(call, input, (position) => foundUsers(call, input, position)),
  "open_social.search.posts": async ({ instance, query, limit }, call) => {
    const host = hostOf("lemmy", instance);
    const asked = { q: query, type_: "Posts" };
    return listedById(call, { limit }, (position) =>
      fromLemmy(call, host, "/search", asked, "posts", position, lemmy.post),
    );
  },
  "open_social.trends.topics": async ({ network, instance, limit }, call) => {
    if (network === "bluesky") {
      const body = await askBluesky(call, "unspecced.getTrends", { limit });
      return whole(call, rows(at(body, "trends"), "trends", bluesky.topic));
    }
    const host = hostOf(network, instance);
    const { body } = await askMastodon(call, host, "/v1/trends/tags", { limit });
    return whole(call, rows(body, "tags", mastodon.topic));
  },
  "open_social.trends.links": async ({ instance, limit }, call) => {
    const host = hostOf("mastodon", instance);
    const { body } = await askMastodon(call, host, "/v1/trends/links", { limit });
    return whole(call, rows(body, "links", mastodon.link));
  },
  "open_social.instance": async ({ network, instance }, call) => {
    const host = hostOf(network, instance);
    if (network === "lemmy")
      return { data: lemmy.instance(host, await askLemmy(call, host, "/site", {})) };
    const { body } = await askMastodon(call, host, "/v2/instance");
    return { data: mastodon.instance(host, need(object(body), "instance")) };
  },
} satisfies Connector<typeof openSocial>;
