import type { MediaEmbed, VideoSite } from "../../../contract/areas/media/videos.ts";
import { count, defined, id, need, object, text } from "#wire";

/** A moment such as 2017-09-25 10:36:56, whose time zone nobody states. */
const moment = (value: unknown) =>
  /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/
    .exec(text(value) ?? "")
    ?.slice(1)
    .join("T");

/** An address, which may be relative to the site. */
const address = (value: unknown, base: unknown) => {
  const given = text(value);
  if (given === undefined) return undefined;
  return URL.parse(given, text(base))?.href ?? undefined;
};

/** An answer in the form of oEmbed 1.0, with members of some sites. */
export function embed(site: VideoSite, url: string, body: unknown): MediaEmbed {
  const row = need(object(body), "oembed");
  return defined({
    site,
    url,
    embed_type: need(text(row.type), "type"),
    title: text(row.title),
    description: text(row.description),
    author: text(row.author_name),
    author_username: text(row.author_unique_id),
    author_url: address(row.author_url, row.provider_url),
    html: text(row.html),
    width: count(row.width),
    height: count(row.height),
    thumbnail_url: text(row.thumbnail_url),
    thumbnail_width: count(row.thumbnail_width),
    thumbnail_height: count(row.thumbnail_height),
    video_id: id(row.video_id) ?? id(row.embed_product_id),
    duration_seconds: count(row.duration),
    published_at: moment(row.upload_date),
  });
}
