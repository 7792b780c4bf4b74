import type * as z from "zod";
import type { threadsListedUser, threadsUser } from "../../../contract/areas/threads/index.ts";
import { type Wire, array, at, boolean, count, defined, each, need, text } from "#wire";
import { numberOf, plainText } from "./posts.map.ts";

export function listedUser(row: Wire): z.output<typeof threadsListedUser> {
  const username = text(row.username);
  return defined({
    id: need(numberOf(row), "user.pk"),
    username,
    display_name: text(row.full_name),
    avatar_url: text(row.profile_pic_url),
    is_verified: boolean(row.is_verified),
    share_url: username && `https://www.threads.com/@${username}`,
  });
}

export function user(row: Wire): z.output<typeof threadsUser> {
  const fragments = array(at(row, "text_app_biography", "text_fragments", "fragments")) ?? [];
  return {
    ...listedUser(row),
    ...defined({
      avatar_url: largest(row.hd_profile_pic_versions) ?? text(row.profile_pic_url),
      description: text(row.biography) ?? text(plainText(fragments)),
      follower_count: count(row.follower_count),
      is_private: boolean(row.text_post_app_is_private) ?? boolean(row.is_private),
      links: array(row.bio_links) && each(row.bio_links, (link) => text(at(link, "url"))),
    }),
  };
}

function largest(versions: unknown): string | undefined {
  const known = each(versions, (version) => {
    const url = text(at(version, "url"));
    return url === undefined ? undefined : { url, width: count(at(version, "width")) ?? 0 };
  });
  return known.sort((a, b) => b.width - a.width)[0]?.url;
}
