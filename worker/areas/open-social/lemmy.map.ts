import type {
  OpenSocialInstance,
  OpenSocialPost,
  OpenSocialThreadPost,
  OpenSocialUser,
} from "../../../contract/areas/open-social/records.ts";
import { type Wire, at, count, defined, each, id, need, object, text } from "#wire";
import { hostOf, type Media, unixSeconds } from "./values.map.ts";

/** Answers of an instance of Lemmy. */

const network = "lemmy" as const;

/** Name with the host on which the account or community lives. */
function named(row: unknown): string | undefined {
  const name = text(at(row, "name"));
  const host = hostOf(at(row, "actor_id"));
  return name === undefined || host === undefined ? name : `${name}@${host}`;
}

function identity(row: Wire) {
  return defined({
    id: need(id(row.id), "person.id"),
    username: need(named(row), "person.name"),
    display_name: text(row.display_name),
    avatar_url: text(row.avatar),
  });
}

/** A view of a person: the person, and the counts beside. */
export function user(view: Wire): OpenSocialUser {
  const row = need(object(view.person), "person_view.person");
  return defined({
    network,
    ...identity(row),
    description: text(row.bio),
    banner_url: text(row.banner),
    create_time: unixSeconds(row.published),
    post_count: count(at(view, "counts", "post_count")),
    comment_count: count(at(view, "counts", "comment_count")),
    is_bot: row.bot_account === true,
    share_url: text(row.actor_id),
  });
}

const written = (view: Wire, row: Wire) => {
  const creator = object(view.creator);
  return {
    network,
    create_time: unixSeconds(row.published),
    edit_time: unixSeconds(row.updated),
    author: creator && identity(creator),
    share_url: text(row.ap_id),
    community: named(view.community),
    like_count: count(at(view, "counts", "upvotes")),
    dislike_count: count(at(view, "counts", "downvotes")),
    hashtags: [],
    mentions: [],
  };
};

const pictures = /\.(png|jpe?g|gif|webp|avif)$/i;

/** The address that a post has: a picture, or a page. */
function linked(row: Wire): Pick<OpenSocialPost, "media" | "card"> {
  const url = text(row.url);
  if (url === undefined) return { media: [] };
  if (pictures.test(URL.parse(url)?.pathname ?? "")) {
    const medium = { type: "image" as const, url };
    const small = { preview_image_url: text(row.thumbnail_url), alt_text: text(row.alt_text) };
    return { media: [defined({ ...medium, ...small }) as Media] };
  }
  return {
    media: [],
    card: defined({
      url,
      title: text(row.embed_title),
      description: text(row.embed_description),
      image_url: text(row.thumbnail_url),
    }),
  };
}

/** A view of a post: the post, its creator, its community and its counts. */
export function post(view: Wire): OpenSocialPost {
  const row = need(object(view.post), "post_view.post");
  return defined({
    ...written(view, row),
    id: need(id(row.id), "post.id"),
    title: text(row.name),
    text: text(row.body) ?? "",
    is_reply: false,
    reply_count: count(at(view, "counts", "comments")),
    ...linked(row),
    is_sensitive: row.nsfw === true,
  });
}

/** The ids above a comment, from the first comment of its branch; the path begins with 0 and ends with itself. */
const above = (path: unknown): string[] => (text(path) ?? "").split(".").slice(1, -1);

/** A view of a comment. */
export function comment(view: Wire): OpenSocialThreadPost {
  const row = need(object(view.comment), "comment_view.comment");
  const parents = above(row.path);
  const parent = parents.at(-1);
  return defined({
    ...written(view, row),
    id: `c${need(id(row.id), "comment.id")}`,
    text: text(row.content) ?? "",
    is_reply: true,
    in_reply_to_post_id: parent === undefined ? id(row.post_id) : `c${parent}`,
    reply_count: count(at(view, "counts", "child_count")),
    media: [],
    is_sensitive: false,
    depth: parents.length + 1,
  });
}

/** A comment in the branch of another one. */
export const commentBelow =
  (root: string) =>
  (view: Wire): OpenSocialThreadPost => {
    const parents = above(at(view, "comment", "path"));
    const steps = parents.length - parents.indexOf(root);
    return { ...comment(view), depth: parents.includes(root) ? steps : 0 };
  };

export function instance(host: string, body: unknown): OpenSocialInstance {
  const view = need(object(at(body, "site_view")), "site_view");
  const site = need(object(view.site), "site_view.site");
  const mode = text(at(view, "local_site", "registration_mode"));
  const codes = new Map(
    each(at(body, "all_languages"), object).map((row) => [row.id, text(row.code)] as const),
  );
  return defined({
    network,
    domain: hostOf(site.actor_id) ?? host,
    title: text(site.name),
    description: text(site.description),
    version: text(at(body, "version")),
    user_count: count(at(view, "counts", "users")),
    active_user_count: count(at(view, "counts", "users_active_month")),
    post_count: count(at(view, "counts", "posts")),
    comment_count: count(at(view, "counts", "comments")),
    community_count: count(at(view, "counts", "communities")),
    languages: each(at(body, "discussion_languages"), (one) => codes.get(one) ?? "und"),
    rules: [],
    // Versions differ in the spelling: RequireApplication, require_application.
    is_open: /^(open|require_?application)$/i.test(mode ?? ""),
    needs_approval: /^require_?application$/i.test(mode ?? ""),
    image_url: text(site.banner) ?? text(site.icon),
  });
}
