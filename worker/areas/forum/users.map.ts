import type * as z from "zod";
import type { forumTrophy, forumUser } from "../../../contract/areas/forum/records.ts";
import { type Wire, boolean, defined, id, integer, need, object, text } from "#wire";
import { seconds, site, withoutQuery } from "./thing.map.ts";

/** Public fields only: the account behind a token would have more. */
export function user(row: Wire): z.output<typeof forumUser> {
  const username = need(text(row.name), "data.name");
  const page = object(row.subreddit) ?? {};
  const short = id(row.id);
  return defined({
    id: short && `t2_${short}`,
    username,
    display_name: text(page.title) ?? username,
    description: text(page.public_description),
    avatar_url: withoutQuery(row.icon_img),
    snoovatar_url: text(row.snoovatar_img),
    banner_url: withoutQuery(page.banner_img),
    create_time: seconds(row.created_utc),
    total_karma: integer(row.total_karma),
    post_karma: integer(row.link_karma),
    comment_karma: integer(row.comment_karma),
    awardee_karma: integer(row.awardee_karma),
    awarder_karma: integer(row.awarder_karma),
    is_employee: boolean(row.is_employee),
    is_mod: boolean(row.is_mod),
    is_gold: boolean(row.is_gold),
    is_verified: boolean(row.has_verified_email),
    is_suspended: boolean(row.is_suspended),
    is_nsfw: boolean(page.over_18),
    accept_followers: boolean(row.accept_followers),
    share_url: `${site}/user/${encodeURIComponent(username)}/`,
  });
}

export function trophy(row: Wire): z.output<typeof forumTrophy> {
  const data = object(row.data) ?? {};
  return defined({
    name: need(text(data.name), "trophies[].data.name"),
    description: text(data.description),
    icon_url: text(data.icon_70),
    award_id: id(data.award_id),
    granted_at: seconds(data.granted_at),
  });
}
