import type * as z from "zod";
import type { forumCommunity, forumRule } from "../../../contract/areas/forum/records.ts";
import { type Wire, boolean, count, defined, need, text } from "#wire";
import { fullName, onSite, seconds, site, withoutQuery } from "./thing.map.ts";

export function community(row: Wire): z.output<typeof forumCommunity> {
  const name = need(text(row.display_name), "data.display_name");
  return defined({
    id: need(fullName(row, "t5"), "data.name"),
    name,
    title: text(row.title),
    description: text(row.public_description),
    description_long: text(row.description),
    member_count: count(row.subscribers),
    active_count: count(row.active_user_count),
    create_time: seconds(row.created_utc),
    icon_url: withoutQuery(row.community_icon) ?? withoutQuery(row.icon_img),
    banner_url: withoutQuery(row.banner_background_image) ?? withoutQuery(row.banner_img),
    type: text(row.subreddit_type),
    lang: text(row.lang),
    is_nsfw: boolean(row.over18),
    is_quarantined: boolean(row.quarantine),
    allow_images: boolean(row.allow_images),
    allow_videos: boolean(row.allow_videos),
    allow_polls: boolean(row.allow_polls),
    submission_type: text(row.submission_type),
    share_url: onSite(row.url) ?? `${site}/r/${encodeURIComponent(name)}/`,
  });
}

export function rule(row: Wire): z.output<typeof forumRule> {
  return defined({
    name: need(text(row.short_name), "rules[].short_name"),
    description: text(row.description),
    violation_reason: text(row.violation_reason),
    applies_to: text(row.kind),
    priority: count(row.priority),
    create_time: seconds(row.created_utc),
  });
}
