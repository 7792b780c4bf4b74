import type * as z from "zod";
import type { forumUserComment } from "../../../contract/areas/forum/records.ts";
import { type Wire, boolean, defined, integer, need, text } from "#wire";
import { author, communityOf, fullName, onSite, seconds, site } from "./thing.map.ts";

export type UserComment = z.output<typeof forumUserComment>;

/** Fields of every comment, in threads and in lists of a user. */
export function anyComment(row: Wire): UserComment {
  const name = need(fullName(row, "t1"), "data.name");
  const postId = text(row.link_id);
  return defined({
    id: name,
    post_id: postId,
    parent_id: text(row.parent_id),
    text: text(row.body) ?? "",
    text_html: text(row.body_html),
    create_time: seconds(row.created_utc),
    edit_time: seconds(row.edited),
    author: author(row),
    community: communityOf(row),
    score: integer(row.score),
    is_score_hidden: boolean(row.score_hidden),
    is_submitter: boolean(row.is_submitter),
    is_stickied: boolean(row.stickied),
    is_locked: boolean(row.locked),
    distinguished: text(row.distinguished),
    controversiality: integer(row.controversiality),
    share_url:
      onSite(row.permalink) ??
      (postId?.startsWith("t3_")
        ? `${site}/comments/${postId.slice(3)}/_/${name.slice(3)}/`
        : undefined),
  });
}

export function userComment(row: Wire): UserComment {
  return {
    ...anyComment(row),
    ...defined({ post_title: text(row.link_title), post_url: text(row.link_url) }),
  };
}
