import { shortcodeOf } from "../../../upstreams/tikhub/shortcode.map.ts";
import { vary } from "../../../sandbox/vary.ts";

/** Sample records of the photo-sharing platform in its three dialects; ids are beyond 2^53. */

const subjects = [
  "lighthouse",
  "market stall",
  "first snow",
  "paper boat",
  "old tram",
  "tea house",
];

const picture = (name: string) => `https://images.example/${name}.jpg?signature=sample`;

export function handleOf(...seed: (string | number)[]): string {
  const token = vary("photosite", "handle", ...seed).token("handle", 7);
  return `sample_${token.toLowerCase().replace(/[^a-z0-9]/g, "x")}`;
}

export const numberOf = (handle: string) => vary("photosite", "user", handle).digits("pk", 11);

/** A user in the form of lists. */
export function member(handle: string) {
  const v = vary("photosite", "user", handle);
  return {
    pk: numberOf(handle),
    username: handle,
    full_name: `Sample ${v.token("name", 4)}`,
    profile_pic_url: picture(`avatar-${handle}`),
    is_private: v.int("private", 0, 4) === 0,
    is_verified: v.int("verified", 0, 3) === 0,
  };
}

/** A profile in the web's dialect. */
export function webProfile(handle: string) {
  const v = vary("photosite", "profile", handle);
  const { pk, ...rest } = member(handle);
  return {
    ...rest,
    id: pk,
    is_private: false,
    biography: `Sample account about a ${v.pick("subject", subjects)}`,
    external_url: `https://${handle.replace(/[^a-z0-9]/g, "-")}.example/`,
    profile_pic_url_hd: picture(`avatar-large-${handle}`),
    edge_followed_by: { count: v.int("followers", 10, 900_000) },
    edge_follow: { count: v.int("following", 1, 900) },
    edge_owner_to_timeline_media: { count: v.int("posts", 1, 2000) },
    is_business_account: v.int("business", 0, 1) === 1,
    category_name: v.pick("category", ["Artist", "Photographer", "Café"]),
    business_email: null,
  };
}

const candidates = (name: string) => ({
  candidates: [
    { width: 1080, height: 1350, url: picture(`${name}-1080`) },
    { width: 320, height: 400, url: picture(`${name}-320`) },
  ],
});

const versions = (name: string) => [
  {
    type: 101,
    width: 720,
    height: 1280,
    url: `https://videos.example/${name}.mp4?signature=sample`,
  },
];

interface Marks {
  code?: string | undefined;
  id?: string | undefined;
  author?: string | undefined;
  reel?: boolean;
  tag?: string | undefined;
  location?: string | undefined;
  tagged?: string | undefined;
}

const captionOf = (seed: string, index: number, tag: string | undefined) =>
  `${seed} ${vary("photosite", seed, index).pick("subject", subjects)} no. ${index + 1} ` +
  `#${tag ?? "sample"} with @sample_friend`;

/** One post in the app's dialect: picture, carousel, reel or video, with every key null at times. */
export function media(seed: string, index: number, marks: Marks = {}) {
  const v = vary("photosite", "post", seed, index);
  const pk = marks.id ?? v.digits("pk", 19).replace(/^[2-9]/, "1");
  const author = marks.author ?? handleOf(seed, index);
  const kind = marks.reel ? "reel" : (["reel", "carousel", "picture", "video"] as const)[index % 4];
  const film = kind === "reel" || kind === "video";
  const bare = kind === "picture";
  return {
    pk,
    id: `${pk}_${numberOf(author)}`,
    code: marks.code ?? shortcodeOf(pk),
    ad_id: null,
    taken_at: 1_750_000_000 + v.int("time", 0, 20_000_000),
    media_type: kind === "carousel" ? 8 : film ? 2 : 1,
    product_type: kind === "reel" ? "clips" : kind === "carousel" ? "carousel_container" : "feed",
    caption:
      index % 7 === 6
        ? null
        : { pk: v.digits("caption", 17), text: captionOf(seed, index, marks.tag) },
    like_and_view_counts_disabled: index % 9 === 8,
    like_count: index % 9 === 8 ? 3 : v.int("likes", 4, 90_000),
    comment_count: v.int("comments", 0, 900),
    play_count: film ? v.int("plays", 100, 900_000) : null,
    view_count: null,
    image_versions2: candidates(`post-${pk}`),
    video_versions: film ? versions(`post-${pk}`) : null,
    video_duration: film ? v.int("ms", 3000, 90_000) / 1000 : null,
    carousel_media:
      kind === "carousel"
        ? [
            {
              pk: v.digits("first", 19),
              media_type: 2,
              image_versions2: candidates(`part-${pk}-1`),
              video_versions: versions(`part-${pk}-1`),
              video_duration: 7.4,
            },
            {
              pk: v.digits("second", 19),
              media_type: 1,
              image_versions2: candidates(`part-${pk}-2`),
            },
          ]
        : null,
    original_width: 1080,
    original_height: 1350,
    user: member(author),
    usertags: bare
      ? null
      : {
          in: [{ user: member(marks.tagged ?? handleOf("tagged", seed, index)), position: [0, 0] }],
        },
    location:
      bare && marks.location === undefined
        ? null
        : {
            pk: marks.location ?? v.digits("location", 9),
            name: `Sample ${v.pick("place", subjects)}`,
            lat: v.int("lat", -60, 60) + 0.25,
            lng: v.int("lng", -170, 170) + 0.5,
          },
    timeline_pinned_user_ids: index === 0 ? [numberOf(author)] : [],
    is_paid_partnership: index % 5 === 3,
    clips_metadata: kind === "reel" ? musicOf(index, v.digits("music", 16), author) : null,
    ...(kind === "video" ? { music_metadata: musicOf(0, v.digits("music", 16), author) } : {}),
    accessibility_caption: kind === "video" ? null : `Picture of a ${v.pick("subject", subjects)}`,
  };
}

function musicOf(index: number, id: string, author: string) {
  return index % 8 === 0
    ? {
        music_info: {
          music_asset_info: {
            audio_cluster_id: id,
            title: `Sample song ${index + 1}`,
            display_artist: "Sample Ensemble",
          },
        },
        original_sound_info: null,
      }
    : {
        music_info: null,
        original_sound_info: {
          audio_asset_id: id,
          original_audio_title: "Original audio",
          ig_artist: { username: author },
        },
      };
}

/** A single post with every optional field; its code's parity selects the dialect. */
export function singlePost(code: string, id: string | undefined, kind: number) {
  const base = media(`post ${code}`, kind === 0 ? 1 : 0, { code, id });
  return {
    ...base,
    like_and_view_counts_disabled: false,
    accessibility_caption: "Picture of a sample",
    play_count: 1000 + kind,
    video_duration: 12.3,
  };
}

/** An advert among posts: left out of every list. */
export function advert(index: number) {
  return { ...media("advert", index), ad_id: `${1_000_000 + index}`, is_ad: true };
}

/** One post in the web's dialect; on hashtag pages its author is a number only. */
export function webPost(seed: string, index: number) {
  const v = vary("photosite", "web", seed, index);
  const id = v.digits("id", 19).replace(/^[2-9]/, "1");
  const film = index % 2 === 0;
  return {
    __typename: film ? "GraphVideo" : "GraphSidecar",
    id,
    shortcode: shortcodeOf(id),
    edge_media_to_caption: { edges: [{ node: { text: captionOf(seed, index, undefined) } }] },
    taken_at_timestamp: 1_740_000_000 + v.int("time", 0, 9_000_000),
    dimensions: { width: 1080, height: 1080 },
    display_url: picture(`web-${id}`),
    edge_media_to_comment: { count: v.int("comments", 0, 90) },
    edge_media_preview_like: { count: index % 5 === 4 ? -1 : v.int("likes", 0, 900) },
    owner: { id: v.digits("owner", 10) },
    is_video: film,
    ...(film
      ? {
          video_url: `https://videos.example/web-${id}.mp4`,
          video_view_count: v.int("views", 0, 9000),
        }
      : {
          edge_sidecar_to_children: {
            edges: [1, 2].map((n) => ({
              node: {
                __typename: "GraphImage",
                id: `${id}${n}`,
                display_url: picture(`web-${id}-${n}`),
                dimensions: { width: 1080, height: 1080 },
              },
            })),
          },
        }),
  };
}

export function remark(seed: string, index: number, parent?: string) {
  const v = vary("photosite", "comment", seed, index);
  return {
    pk: v.digits("pk", 17),
    text: `Sample comment ${index + 1} about a ${v.pick("subject", subjects)}`,
    created_at: 1_760_000_000 + v.int("time", 0, 9_000_000),
    comment_like_count: v.int("likes", 0, 900),
    child_comment_count: parent === undefined ? v.int("replies", 0, 30) : 0,
    user: member(handleOf("comment", seed, index)),
    ...(parent === undefined ? {} : { parent_comment_id: parent }),
  };
}

/** A location; every other one has all fields. */
export function spot(seed: string, index: number, id?: string) {
  const v = vary("photosite", "location", seed, index);
  const name = `Sample ${v.pick("name", subjects)} ${index + 1}`;
  const short = {
    pk: id ?? v.digits("pk", 9),
    name,
    slug: name.toLowerCase().replace(/\s+/g, "-"),
  };
  if (index % 2 === 1) return { ...short, address: "" };
  return {
    ...short,
    facebook_places_id: v.digits("facebook", 15),
    address: `${v.int("number", 1, 200)} Sample Street`,
    city: "Sampleton",
    lat: v.int("lat", -60, 60) + 0.125,
    lng: v.int("lng", -170, 170) + 0.375,
    category: v.pick("category", ["Park", "Restaurant", "Museum"]),
    media_count: v.int("posts", 0, 90_000),
    website: `https://place-${v
      .token("site", 5)
      .toLowerCase()
      .replace(/[^a-z0-9]/g, "x")}.example/`,
    phone: "+1 555 0100",
  };
}

export function topic(seed: string, index: number) {
  const v = vary("photosite", "hashtag", seed, index);
  return {
    id: v.digits("id", 17),
    name: `${seed.replace(/[^\p{L}\p{N}_]/gu, "")}${index || ""}`,
    ...(index % 5 === 4 ? {} : { media_count: v.int("posts", 10, 9_000_000) }),
  };
}

export function tale(handle: string, index: number) {
  const v = vary("photosite", "story", handle, index);
  const pk = v.digits("pk", 19);
  const film = index % 2 === 0;
  const taken_at = 1_780_000_000 + v.int("time", 0, 80_000);
  return {
    pk,
    id: `${pk}_${numberOf(handle)}`,
    taken_at,
    expiring_at: taken_at + 86_400,
    media_type: film ? 2 : 1,
    image_versions2: candidates(`story-${pk}`),
    video_versions: film ? versions(`story-${pk}`) : null,
    video_duration: film ? 14.6 : null,
    story_cta: index === 0 ? [{ links: [{ webUri: "https://shop.example/sample" }] }] : null,
  };
}
