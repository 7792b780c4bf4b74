import type { Preference, Source } from "../../mapping/preference.ts";
import { twitter283 as complement } from "../../upstreams/twitter283/client.ts";
import { x as official, xApp } from "../../upstreams/x/client.ts";

type Name = "x" | "twitter283";

const x: Source<Name> = { name: "x", forms: [official, xApp] };
const twitter283: Source<Name> = { name: "twitter283", forms: [complement] };

/** X is paid by the record and publishes its answers' form; the complement has a flat price, and larger pages of ids. */
export const preference = {
  "microblog.posts.batch": [x, twitter283],
  "microblog.posts.search_recent": [x, twitter283],
  "microblog.posts.get": [x, twitter283],
  "microblog.posts.article": [twitter283, x],
  "microblog.posts.quote_posts": [x, twitter283],
  "microblog.posts.reposted_by": [x, twitter283],
  "microblog.users.batch": [x, twitter283],
  "microblog.users.batch_by_username": [x, twitter283],
  "microblog.users.get_by_username": [x, twitter283],
  "microblog.users.get": [x, twitter283],
  "microblog.users.followers": [x, twitter283],
  "microblog.users.following": [x, twitter283],
  "microblog.users.follower_ids": [twitter283, x],
  "microblog.users.following_ids": [twitter283, x],
  "microblog.users.posts": [x, twitter283],
  "microblog.communities.get": [x, twitter283],
  "microblog.lists.followers": [x, twitter283],
  "microblog.lists.members": [x, twitter283],
  "microblog.lists.posts": [x, twitter283],
  "microblog.trends.by_woeid": [x, twitter283],
} as const satisfies Preference<Name>;
