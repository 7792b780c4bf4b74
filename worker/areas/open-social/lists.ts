import type { Network } from "../../../contract/areas/open-social/networks.ts";
import type {
  OpenSocialPost,
  OpenSocialThreadPost,
  OpenSocialUser,
} from "../../../contract/areas/open-social/records.ts";
import type { Json } from "../../../contract/json.ts";
import type { Call } from "../../connector.ts";
import { nextParameter } from "../../mapping/link-header.ts";
import type { Page } from "../../mapping/list.ts";
import { type Wire, array, at, count, id, need, rows, text } from "#wire";
import * as bluesky from "./bluesky.map.ts";
import { askBluesky, askLemmy, askMastodon, hostOf, mastodonAccount } from "./calls.ts";
import * as lemmy from "./lemmy.map.ts";
import * as mastodon from "./mastodon.map.ts";

/** One page of each list; positions are cursors at Bluesky, ids at Mastodon, numbers of pages at Lemmy. */

type Position = Json | undefined;
type Query = Parameters<typeof askBluesky>[2];

/** Rows of one request. */
const pageSize = 50;
/** Mastodon gives no more. */
const statusPage = 40;
const accountPage = 80;

export async function fromBluesky<Row>(
  call: Call,
  method: string,
  query: Query,
  list: string,
  position: Position,
  read: (row: Wire) => Row,
): Promise<Page<Row>> {
  const body = await askBluesky(call, method, {
    ...query,
    limit: pageSize,
    cursor: text(position),
  });
  const next = text(at(body, "cursor"));
  // The network leaves out rows of accounts that are gone; the makers of feeds may not end theirs.
  const advances = next !== undefined && method !== "feed.getFeed";
  return { rows: rows(at(body, list), list, read), next, advances };
}

/** Statuses: those before the last one follow. A page may be short because some are hidden, so an empty one is the end. */
export async function statuses(
  call: Call,
  host: string,
  path: string,
  query: Query,
  position: Position,
): Promise<Page<OpenSocialPost>> {
  const asked = { ...query, limit: statusPage, max_id: text(position) };
  const { body } = await askMastodon(call, host, path, asked);
  const list = need(array(body), "statuses");
  const last = list.length === 0 ? null : need(id(at(list.at(-1), "id")), "status.id");
  return { rows: rows(list, "statuses", mastodon.post(host)), next: last };
}

export async function fromLemmy<Row>(
  call: Call,
  host: string,
  path: string,
  query: Query,
  list: string,
  position: Position,
  read: (row: Wire) => Row,
): Promise<Page<Row>> {
  const page = count(position) ?? 1;
  const body = await askLemmy(call, host, path, { ...query, limit: pageSize, page });
  const all = need(array(at(body, list)), list);
  return { rows: rows(all, list, read), next: all.length < pageSize ? null : page + 1 };
}

/** Followers of an account, or accounts that it follows. */
export async function related(
  call: Call,
  input: { network: "bluesky" | "mastodon"; instance?: string | undefined; username: string },
  which: "followers" | "following",
  position: Position,
): Promise<Page<OpenSocialUser>> {
  const { network, instance, username } = input;
  if (network === "bluesky") {
    const [method, list] =
      which === "followers"
        ? (["graph.getFollowers", "followers"] as const)
        : (["graph.getFollows", "follows"] as const);
    return fromBluesky(call, method, { actor: username }, list, position, bluesky.user);
  }
  const host = hostOf(network, instance);
  const account = text(at(position, "id")) ?? (await mastodonAccount(call, host, username)).id;
  const path = `/v1/accounts/${account}/${which}`;
  const { body, headers } = await askMastodon(call, host, path, {
    limit: accountPage,
    max_id: text(at(position, "max_id")),
  });
  // The ids of these pages are none of accounts.
  const max_id = nextParameter(headers.link, "max_id");
  return {
    rows: rows(body, "accounts", mastodon.user(host)),
    next: max_id === undefined ? null : { id: account, max_id },
  };
}

interface OfUser {
  network: Network;
  instance?: string | undefined;
  username: string;
  include_replies: boolean;
}

export async function postsOf(
  call: Call,
  { network, instance, username, include_replies }: OfUser,
  position: Position,
): Promise<Page<OpenSocialPost>> {
  if (network === "bluesky") {
    const filter = include_replies ? "posts_with_replies" : "posts_no_replies";
    const query = { actor: username, filter };
    return fromBluesky(call, "feed.getAuthorFeed", query, "feed", position, bluesky.entry);
  }
  const host = hostOf(network, instance);
  if (network === "lemmy") {
    return fromLemmy(call, host, "/user", { username, sort: "New" }, "posts", position, lemmy.post);
  }
  const account = text(at(position, "id")) ?? (await mastodonAccount(call, host, username)).id;
  const path = `/v1/accounts/${account}/statuses`;
  const before = text(at(position, "max_id"));
  const page = await statuses(call, host, path, { exclude_replies: !include_replies }, before);
  return {
    ...page,
    next: page.next === null ? null : { id: account, max_id: page.next as string },
  };
}

/** The feed that the app calls Discover. */
const discover = "at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot";

interface Feed {
  network: Network;
  instance?: string | undefined;
  feed?: string | undefined;
  community?: string | undefined;
  scope: "all" | "local";
}

export async function feedPage(
  call: Call,
  { network, instance, feed, community, scope }: Feed,
  position: Position,
): Promise<Page<OpenSocialPost>> {
  if (network === "bluesky") {
    const query = { feed: feed ?? discover };
    return fromBluesky(call, "feed.getFeed", query, "feed", position, bluesky.entry);
  }
  const host = hostOf(network, instance);
  if (network === "mastodon") {
    return statuses(call, host, "/v1/timelines/public", { local: scope === "local" }, position);
  }
  const type_ = scope === "local" ? "Local" : "All";
  const query = { type_, sort: "New", community_name: community };
  return fromLemmy(call, host, "/post/list", query, "posts", position, lemmy.post);
}

interface UserSearch {
  network: Network;
  instance?: string | undefined;
  query: string;
}

export async function foundUsers(
  call: Call,
  { network, instance, query }: UserSearch,
  position: Position,
): Promise<Page<OpenSocialUser>> {
  if (network === "bluesky") {
    return fromBluesky(call, "actor.searchActors", { q: query }, "actors", position, bluesky.user);
  }
  const host = hostOf(network, instance);
  if (network === "lemmy") {
    const asked = { q: query, type_: "Users" };
    return fromLemmy(call, host, "/search", asked, "users", position, lemmy.user);
  }
  const asked = { q: query, type: "accounts", limit: statusPage };
  const { body } = await askMastodon(call, host, "/v2/search", asked);
  return { rows: rows(at(body, "accounts"), "accounts", mastodon.user(host)), next: null };
}

interface OfPost {
  network: Network;
  instance?: string | undefined;
  id: string;
}

export async function threadPage(
  call: Call,
  { network, instance, id: postId }: OfPost,
  position: Position,
): Promise<Page<OpenSocialThreadPost>> {
  if (network === "bluesky") {
    const query = { uri: postId, depth: 10, parentHeight: 80 };
    return {
      rows: bluesky.thread(await askBluesky(call, "feed.getPostThread", query)),
      next: null,
    };
  }
  const host = hostOf(network, instance);
  if (network === "mastodon") {
    return { rows: await mastodonThread(call, host, postId), next: null };
  }
  const isComment = postId.startsWith("c");
  const about = isComment ? { parent_id: postId.slice(1) } : { post_id: postId };
  const query = { ...about, type_: "All", sort: "Old" };
  const page = await fromLemmy(
    call,
    host,
    "/comment/list",
    query,
    "comments",
    position,
    isComment ? lemmy.commentBelow(postId.slice(1)) : lemmy.comment,
  );
  // The list of a branch begins with the comment itself.
  return isComment ? { ...page, rows: page.rows.filter(({ id: own }) => own !== postId) } : page;
}

async function mastodonThread(
  call: Call,
  host: string,
  postId: string,
): Promise<OpenSocialThreadPost[]> {
  const read = mastodon.post(host);
  const { body } = await askMastodon(call, host, `/v1/statuses/${postId}/context`);
  const above = rows(at(body, "ancestors"), "ancestors", read);
  const below = rows(at(body, "descendants"), "descendants", read);
  const depths = new Map([[postId, 0]]);
  for (const post of below) {
    depths.set(post.id, (depths.get(post.in_reply_to_post_id ?? "") ?? 0) + 1);
  }
  return [
    ...above.map((post, index) => ({ ...post, depth: index - above.length })),
    ...below.map((post) => ({ ...post, depth: depths.get(post.id) ?? 1 })),
  ];
}
