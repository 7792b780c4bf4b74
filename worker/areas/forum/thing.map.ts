import type * as z from "zod";
import type { forumUserComment } from "../../../contract/areas/forum/records.ts";
import { type Wire, count, defined, number, text } from "#wire";

/** Readers for fields that posts, comments, users and communities share. */

type Comment = z.output<typeof forumUserComment>;

export const site = "https://www.reddit.com";
export const onSite = (path: unknown): string | undefined => {
  const known = text(path);
  return known?.startsWith("/") ? site + known : known;
};

/** Times come with a fraction; `false` stands for never. */
export function seconds(value: unknown): number | undefined {
  const known = number(value);
  return known === undefined ? undefined : count(Math.trunc(known));
}

/** A full name: kind, `_` and short id. */
export function fullName(row: Wire, kind: string): string | undefined {
  const name = text(row.name);
  return name?.startsWith(`${kind}_`) ? name : undefined;
}

export function author(row: Wire): Comment["author"] {
  const username = text(row.author);
  if (username === undefined) return undefined;
  return defined({ id: text(row.author_fullname), username, display_name: username });
}

export function communityOf(row: Wire): Comment["community"] {
  const name = text(row.subreddit);
  if (name === undefined) return undefined;
  return defined({
    id: text(row.subreddit_id),
    name,
    display_name: text(row.subreddit_name_prefixed) ?? `r/${name}`,
  });
}

export function withoutQuery(value: unknown): string | undefined {
  return text(text(value)?.split("?", 1)[0]);
}
