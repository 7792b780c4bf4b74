import type {
  OpenSocialInstance,
  OpenSocialLink,
  OpenSocialPost,
  OpenSocialTopic,
  OpenSocialUser,
} from "../../../contract/areas/open-social/records.ts";
import { plain } from "../../mapping/markup.map.ts";
import { type Wire, at, count, defined, each, id, need, object, text } from "#wire";
import { type Card, type Media, unixSeconds } from "./values.map.ts";

/** Answers of an instance of Mastodon. `host` is the instance, whose own accounts have names without a host. */

const network = "mastodon" as const;

const named = (host: string, value: unknown): string | undefined => {
  const acct = text(value);
  return acct === undefined || acct.includes("@") ? acct : `${acct}@${host}`;
};

/** Ends of blocks; statuses of other software hold lists, quotations, code and headings. */
const ends = /<\/(?:p|[uo]l|li|blockquote|pre|div|h[1-6])>/gi;

/** Paragraphs and other blocks become lines. */
function plainText(value: unknown): string | undefined {
  const html = text(value);
  return html && plain(html.replace(/<\/p>\s*<p\b[^<>]*>/gi, "\n\n").replace(ends, "\n"));
}

function identity(host: string, row: Wire) {
  return defined({
    id: need(id(row.id), "account.id"),
    username: need(named(host, row.acct), "account.acct"),
    display_name: text(row.display_name),
    avatar_url: text(row.avatar),
  });
}

export const user =
  (host: string) =>
  (row: Wire): OpenSocialUser =>
    defined({
      network,
      ...identity(host, row),
      description: plainText(row.note),
      banner_url: text(row.header),
      create_time: unixSeconds(row.created_at),
      follower_count: count(row.followers_count),
      following_count: count(row.following_count),
      post_count: count(row.statuses_count),
      is_bot: row.bot === true,
      is_protected: row.locked === true,
      website_url: website(row.fields),
      share_url: text(row.url),
    });

/** The first address among the lines of a profile, one that the instance has verified before others. */
function website(fields: unknown): string | undefined {
  const lines = each(fields, object).flatMap((field) => {
    const url = /href="(https?:\/\/[^"]+)"/.exec(text(field.value) ?? "")?.[1];
    return url === undefined ? [] : [{ url, isVerified: text(field.verified_at) !== undefined }];
  });
  return (lines.find(({ isVerified }) => isVerified) ?? lines[0])?.url;
}

const types: ReadonlyMap<string, Media["type"]> = new Map([
  ["image", "image"],
  ["video", "video"],
  ["gifv", "gif"],
  ["audio", "audio"],
]);

/** A medium that the instance has not fetched is at its own address. */
function medium(value: unknown): Media | undefined {
  const type = types.get(text(at(value, "type")) ?? "");
  const url = text(at(value, "url")) ?? text(at(value, "remote_url"));
  if (type === undefined || url === undefined) return undefined;
  return defined({
    type,
    url,
    preview_image_url: text(at(value, "preview_url")),
    alt_text: text(at(value, "description")),
    width: count(at(value, "meta", "original", "width")),
    height: count(at(value, "meta", "original", "height")),
  });
}

function card(value: unknown): Card | undefined {
  const url = text(at(value, "url"));
  if (url === undefined) return undefined;
  return defined({
    url,
    title: text(at(value, "title")),
    description: text(at(value, "description")),
    image_url: text(at(value, "image")),
  });
}

/** A status; one that passes on another is that other, with who passed it on. The other passes on none. */
export const post =
  (host: string) =>
  (row: Wire): OpenSocialPost => {
    const original = object(row.reblog);
    if (!original) return written(host)(row);
    return defined({
      ...written(host)(original),
      reposted_by_username: named(host, at(row, "account", "acct")),
    });
  };

const written =
  (host: string) =>
  (row: Wire): OpenSocialPost => {
    const account = object(row.account);
    return defined({
      network,
      id: need(id(row.id), "status.id"),
      text: plainText(row.content) ?? "",
      text_html: text(row.content),
      lang: text(row.language),
      create_time: unixSeconds(row.created_at),
      edit_time: unixSeconds(row.edited_at),
      author: account && identity(host, account),
      share_url: text(row.url) ?? text(row.uri),
      is_reply: id(row.in_reply_to_id) !== undefined,
      in_reply_to_post_id: id(row.in_reply_to_id),
      quoted_post_id:
        id(at(row, "quote", "quoted_status", "id")) ?? id(at(row, "quote", "quoted_status_id")),
      like_count: count(row.favourites_count),
      reply_count: count(row.replies_count),
      repost_count: count(row.reblogs_count),
      quote_count: count(row.quotes_count),
      media: each(row.media_attachments, medium),
      card: card(row.card),
      hashtags: each(row.tags, (tag) => text(at(tag, "name"))),
      mentions: each(row.mentions, (mention) => named(host, at(mention, "acct"))),
      content_warning: text(row.spoiler_text),
      is_sensitive: row.sensitive === true,
    });
  };

export function topic(row: Wire): OpenSocialTopic {
  return defined({
    name: need(text(row.name), "tag.name"),
    post_count: count(at(row, "history", 0, "uses")),
    user_count: count(at(row, "history", 0, "accounts")),
    share_url: text(row.url),
  });
}

export function link(row: Wire): OpenSocialLink {
  return defined({
    url: need(text(row.url), "link.url"),
    title: text(row.title),
    description: text(row.description),
    publisher: text(row.provider_name),
    lang: text(row.language),
    image_url: text(row.image),
    post_count: count(at(row, "history", 0, "uses")),
    user_count: count(at(row, "history", 0, "accounts")),
  });
}

export function instance(host: string, row: Wire): OpenSocialInstance {
  // A server that is no instance may answer any JSON.
  need(text(row.domain) ?? text(row.title) ?? text(row.version), "instance.domain");
  return defined({
    network,
    domain: text(row.domain) ?? host,
    title: text(row.title),
    description: plainText(row.description),
    version: text(row.version),
    active_user_count: count(at(row, "usage", "users", "active_month")),
    languages: each(row.languages, text),
    rules: each(row.rules, (rule) => text(at(rule, "text"))),
    is_open: at(row, "registrations", "enabled") === true,
    needs_approval: at(row, "registrations", "approval_required") === true,
    image_url: text(at(row, "thumbnail", "url")),
  });
}
