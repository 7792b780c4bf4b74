import { vary } from "../../../sandbox/vary.ts";

/** Made-up users in both wire formats: X's own API, and the platform's own objects in their layouts. */

export interface Person {
  id: string;
  username: string;
  name: string;
  /** Leaves out the optional members of a profile. */
  isSparse: boolean;
  created: Date;
  kind: "none" | "blue" | "business" | "government";
  isProtected: boolean;
  followers: number;
  following: number;
  posts: number;
  media: number;
  likes: number;
  listed: number;
  pinned: string;
}

export function person(id: string, username?: string): Person {
  const v = vary("microblog", "user", id);
  return {
    id,
    username: username ?? `sample_${v.digits("username", 6)}`,
    name: `Sample ${v.token("name", 4)}`,
    isSparse: v.int("sparse", 0, 3) === 0,
    created: new Date((1_250_000_000 + v.int("created", 0, 450_000_000)) * 1000),
    kind: v.pick("kind", ["none", "blue", "business", "government"]),
    isProtected: v.int("protected", 0, 6) === 0,
    followers: v.int("followers", 600, 90_000),
    following: v.int("following", 1, 500),
    posts: v.int("posts", 1, 40_000),
    media: v.int("media", 0, 4000),
    likes: v.int("likes", 0, 90_000),
    listed: v.int("listed", 0, 900),
    pinned: v.digits("pinned", 19),
  };
}

/** The id that belongs to a handle. */
export function idOfHandle(username: string): string {
  return vary("microblog", "handle", username.toLowerCase()).digits("id", 18);
}

/** A row of a list of people. */
export function personInList(seed: string, index: number): Person {
  return person(idInList(seed, index));
}

export function idInList(seed: string, index: number): string {
  return `${vary("microblog", "people", seed).digits("prefix", 12)}${10_000 + index}5`;
}

const avatarOf = (who: Person) => `https://images.example/avatars/${who.username}_normal.jpg`;
const homeOf = (who: Person) => `https://${who.username.replaceAll("_", "-")}.example/`;

/** "Sat May 17 13:00:17 +0000 2025" */
export function englishDate(date: Date): string {
  const [day, dd, month, year, clock] = date.toUTCString().replace(",", "").split(" ");
  return `${day} ${month} ${dd} ${clock} +0000 ${year}`;
}

export function officialUser(who: Person): unknown {
  const full = {
    location: "By the sea",
    url: "https://t.co/sample",
    entities: {
      url: {
        urls: [{ start: 0, end: 19, url: "https://t.co/sample", expanded_url: homeOf(who) }],
      },
      description: { hashtags: [{ start: 0, end: 7, tag: "sample" }] },
    },
    profile_banner_url: `https://images.example/banners/${who.id}`,
    pinned_tweet_id: who.pinned,
    description: `#sample person no. ${who.id}`,
  };
  return {
    id: who.id,
    name: who.name,
    username: who.username,
    created_at: who.created.toISOString(),
    profile_image_url: avatarOf(who),
    protected: who.isProtected,
    verified: who.kind === "blue",
    verified_type: who.kind,
    public_metrics: {
      followers_count: who.followers,
      following_count: who.following,
      tweet_count: who.posts,
      listed_count: who.listed,
      like_count: who.likes,
      media_count: who.media,
    },
    ...(who.isSparse ? { description: "" } : full),
  };
}

/** An author in a post: a complete object, or little more than names. */
export function graphAuthor(who: Person, layout: Layout): Record<string, unknown> {
  const names = { name: who.name, screen_name: who.username };
  return {
    __typename: "User",
    rest_id: who.id,
    ...(layout === "legacy"
      ? { legacy: { ...names, profile_image_url_https: avatarOf(who) } }
      : { core: names, avatar: { image_url: avatarOf(who) } }),
  };
}

/** The layouts of a user object; one answer may contain several. */
export const layouts = ["snake", "legacy", "camel"] as const;
export type Layout = (typeof layouts)[number];

export function graphUser(who: Person, layout: Layout): Record<string, unknown> {
  return {
    __typename: "User",
    rest_id: who.id,
    ...(layout === "legacy" ? legacyUser(who) : newUser(who, layout)),
  };
}

const typeName = {
  none: undefined,
  blue: undefined,
  business: "Business",
  government: "Government",
};

function newUser(who: Person, layout: Layout): object {
  const isBlue = who.kind === "blue";
  const type = typeName[who.kind];
  const verified = type === undefined ? {} : { verified_type: type };
  return {
    core: {
      created_at: englishDate(who.created),
      name: who.name,
      screen_name: who.username,
    },
    avatar: { image_url: avatarOf(who) },
    action_counts: { favorites_count: who.likes },
    relationship_counts: { followers: who.followers, following: who.following },
    tweet_counts: { media_tweets: who.media, tweets: who.posts },
    privacy: who.isProtected || layout === "camel" ? { protected: who.isProtected } : {},
    ...(layout === "camel"
      ? { is_blue_verified: isBlue, verification: { verified: false, ...verified } }
      : { verification: { ...(isBlue ? { is_blue_verified: true } : {}), ...verified } }),
    ...(who.isSparse
      ? { location: { location: "" }, profile_bio: { description: "" } }
      : {
          location: { location: "By the sea" },
          banner: { image_url: `https://images.example/banners/${who.id}` },
          pinned_items: { tweet_ids_str: [who.pinned] },
          profile_bio: {
            description: `#sample person no. ${who.id}`,
            entities: {
              description: { hashtags: [{ indices: [0, 7], text: "sample" }] },
              url: {
                urls: [
                  {
                    display_url: homeOf(who).slice(8, -1),
                    expanded_url: homeOf(who),
                    indices: [0, 23],
                    url: "https://t.co/sample",
                  },
                ],
              },
            },
          },
          website: { url: "https://t.co/sample" },
        }),
  };
}

function legacyUser(who: Person): object {
  const type = typeName[who.kind];
  return {
    is_blue_verified: who.kind === "blue",
    legacy: {
      created_at: englishDate(who.created),
      name: who.name,
      screen_name: who.username,
      description: `#sample person no. ${who.id}`,
      location: "By the sea",
      entities: {
        description: { urls: [] },
        url: { urls: [{ expanded_url: homeOf(who), url: "https://t.co/sample" }] },
      },
      favourites_count: who.likes,
      followers_count: who.followers,
      friends_count: who.following,
      statuses_count: who.posts,
      media_count: who.media,
      listed_count: who.listed,
      pinned_tweet_ids_str: [who.pinned],
      profile_banner_url: `https://images.example/banners/${who.id}`,
      profile_image_url_https: avatarOf(who),
      protected: who.isProtected,
      verified: false,
      ...(type === undefined ? {} : { verified_type: type }),
    },
  };
}
