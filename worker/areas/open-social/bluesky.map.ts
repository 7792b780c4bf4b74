import type {
  OpenSocialPost,
  OpenSocialThreadPost,
  OpenSocialTopic,
  OpenSocialUser,
} from "../../../contract/areas/open-social/records.ts";
import { type Wire, array, at, count, defined, each, need, object, rows, text } from "#wire";
import { type Card, type Media, unixSeconds } from "./values.map.ts";

/** Answers of Bluesky's AppView. */

const network = "bluesky" as const;
const site = "https://bsky.app";

/** The name of an account, or its DID where the name no longer leads to it. */
function nameOf(row: unknown): string | undefined {
  const handle = text(at(row, "handle"));
  return handle === undefined || handle === "handle.invalid" ? text(at(row, "did")) : handle;
}

function identity(row: Wire) {
  const id = need(text(row.did), "actor.did");
  return defined({
    id,
    username: nameOf(row) ?? id,
    display_name: text(row.displayName),
    avatar_url: text(row.avatar),
  });
}

export function user(row: Wire): OpenSocialUser {
  const known = identity(row);
  return defined({
    network,
    ...known,
    description: text(row.description),
    banner_url: text(row.banner),
    create_time: unixSeconds(row.createdAt),
    follower_count: count(row.followersCount),
    following_count: count(row.followsCount),
    post_count: count(row.postsCount),
    is_verified: text(at(row, "verification", "verifiedStatus")) === "valid",
    share_url: `${site}/profile/${known.username}`,
  });
}

const kindOf = (value: unknown): string => text(at(value, "$type")) ?? "";

/** Parts of an embed: media, the page that it links to, the post that it quotes. */
interface Embedded {
  media: Media[];
  card?: Card | undefined;
  quoted?: string | undefined;
}

function embedded(embed: unknown): Embedded {
  switch (kindOf(embed)) {
    case "app.bsky.embed.images#view":
      return { media: each(at(embed, "images"), image) };
    case "app.bsky.embed.gallery#view":
      return { media: each(at(embed, "items"), image) };
    case "app.bsky.embed.video#view":
      return { media: video(embed) };
    case "app.bsky.embed.external#view":
      return { media: [], card: card(at(embed, "external")) };
    case "app.bsky.embed.record#view":
      return { media: [], quoted: quotedIn(at(embed, "record")) };
    case "app.bsky.embed.recordWithMedia#view":
      return {
        ...embedded(at(embed, "media")),
        quoted: quotedIn(at(embed, "record", "record")),
      };
    default:
      return { media: [] };
  }
}

const size = (value: unknown) => ({
  width: count(at(value, "aspectRatio", "width")),
  height: count(at(value, "aspectRatio", "height")),
});

function image(value: unknown): Media | undefined {
  const url = text(at(value, "fullsize"));
  if (url === undefined) return undefined;
  return defined({
    type: "image" as const,
    url,
    preview_image_url: text(at(value, "thumb")) ?? text(at(value, "thumbnail")),
    alt_text: text(at(value, "alt")),
    ...size(value),
  });
}

function video(value: unknown): Media[] {
  const url = text(at(value, "playlist"));
  if (url === undefined) return [];
  return [
    defined({
      type: "video" as const,
      url,
      preview_image_url: text(at(value, "thumbnail")),
      alt_text: text(at(value, "alt")),
      ...size(value),
    }),
  ];
}

function card(value: unknown): Card | undefined {
  const url = text(at(value, "uri"));
  if (url === undefined) return undefined;
  return defined({
    url,
    title: text(at(value, "title")),
    description: text(at(value, "description")),
    image_url: text(at(value, "thumb")),
  });
}

/** Lists, feeds and packs are embedded in the same way; they are no posts. */
const quotedIn = (record: unknown): string | undefined => {
  const uri = text(at(record, "uri"));
  return uri?.includes("/app.bsky.feed.post/") ? uri : undefined;
};

/** Labels by which the app covers a picture. */
const adult = new Set(["porn", "sexual", "nudity", "graphic-media", "gore"]);

const features = (record: unknown, kind: string, member: string): string[] => {
  const all = each(at(record, "facets"), object).flatMap((facet) => array(facet.features) ?? []);
  const named = all.filter((one) => kindOf(one) === `app.bsky.richtext.facet#${kind}`);
  return [...new Set(each(named, (one) => text(at(one, member))))];
};

export function post(row: Wire): OpenSocialPost {
  const id = need(text(row.uri), "post.uri");
  const author = identity(need(object(row.author), "post.author"));
  const { record } = row;
  const { media, card: page, quoted } = embedded(row.embed);
  const parent = text(at(record, "reply", "parent", "uri"));
  return defined({
    network,
    id,
    text: text(at(record, "text")) ?? "",
    lang: text(at(record, "langs", 0)),
    create_time: unixSeconds(at(record, "createdAt")) ?? unixSeconds(row.indexedAt),
    author,
    share_url: `${site}/profile/${author.username}/post/${id.slice(id.lastIndexOf("/") + 1)}`,
    is_reply: parent !== undefined,
    in_reply_to_post_id: parent,
    quoted_post_id: quoted,
    like_count: count(row.likeCount),
    reply_count: count(row.replyCount),
    repost_count: count(row.repostCount),
    quote_count: count(row.quoteCount),
    media,
    card: page,
    hashtags: features(record, "tag", "tag"),
    mentions: features(record, "mention", "did"),
    is_sensitive: each(row.labels, (label) => text(at(label, "val"))).some((one) => adult.has(one)),
  });
}

/** An entry of a feed: a post, and who passed it on. */
export function entry(row: Wire): OpenSocialPost {
  const isRepost = kindOf(row.reason) === "app.bsky.feed.defs#reasonRepost";
  return defined({
    ...post(need(object(row.post), "entry.post")),
    reposted_by_username: isRepost ? nameOf(at(row, "reason", "by")) : undefined,
  });
}

const mostDepth = 100;

/** The node of a thread's own post, and that post; undefined where it is gone or blocked. */
export function rootOf(body: unknown): { root: Wire; view: Wire } | undefined {
  const root = need(object(at(body, "thread")), "thread");
  if (/#(blocked|notFound)Post$/.test(kindOf(root))) return undefined;
  return { root, view: need(object(root.post), "thread.post") };
}

/** A thread in the order of reading. Posts that are gone or blocked have no text and are left out. */
export function thread(body: unknown): OpenSocialThreadPost[] {
  const root = rootOf(body)?.root;
  if (!root) return [];
  const above: Placed[] = [];
  for (
    let here = object(root.parent), depth = -1;
    here && object(here.post) && depth > -mostDepth;
    here = object(here.parent), depth -= 1
  ) {
    above.unshift({ view: here.post, depth });
  }
  return rows([...above, ...repliesTo(root, 1)], "thread.posts", ({ view, depth }) => ({
    ...post(need(object(view), "thread.post")),
    depth: depth as number,
  }));
}

/** A post of a thread, and its level. */
interface Placed {
  view: unknown;
  depth: number;
}

function repliesTo(node: Wire, depth: number): Placed[] {
  if (depth > mostDepth) return [];
  return each(node.replies, object).flatMap((reply) => {
    const view = object(reply.post);
    return view ? [{ view, depth }, ...repliesTo(reply, depth + 1)] : [];
  });
}

export function topic(row: Wire): OpenSocialTopic {
  const link = text(row.link);
  return defined({
    name: need(text(row.displayName) ?? text(row.topic), "trend.displayName"),
    post_count: count(row.postCount),
    start_time: unixSeconds(row.startedAt),
    share_url: link?.startsWith("/") ? `${site}${link}` : link,
  });
}
