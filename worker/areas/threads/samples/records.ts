import { vary } from "../../../sandbox/vary.ts";

/** Sample records of the text platform in its web dialect; numbers are beyond 2^53. */

const subjects = ["rye starter", "night bus", "window herbs", "second-hand radio", "long weekend"];

/** A handle made from anything. */
export function handleOf(...seed: (string | number)[]): string {
  const token = vary("threads", "handle", ...seed).token("handle", 6);
  return `sample.${token.toLowerCase().replace(/[^a-z0-9]/g, "x")}`;
}

export function numberOf(handle: string): string {
  return vary("threads", "user", handle).digits("pk", 11);
}

export function postNumber(...seed: (string | number)[]): string {
  return `387${vary("threads", "post", ...seed).digits("pk", 16)}`;
}

/** Number that decides the kind of a record: the sum of its seed's characters. */
export function kindOf(seed: string): number {
  return Array.from(seed).reduce((sum, letter) => sum + (letter.codePointAt(0) as number), 0);
}

function userOf(handle: string) {
  const v = vary("threads", "user", handle);
  return {
    pk: numberOf(handle),
    id: numberOf(handle),
    username: handle,
    full_name: `Sample ${v.token("name", 4)}`,
    profile_pic_url: `https://images.example/avatar-${handle}.jpg`,
    is_verified: v.int("verified", 0, 1) === 1,
    friendship_status: null,
  };
}

/** A user in the form of a search. */
export function hit(handle: string, index: number) {
  return { ...userOf(handle), ...(index % 5 === 4 ? { full_name: null } : {}) };
}

export function profile(handle: string, pk = numberOf(handle)) {
  const v = vary("threads", "profile", handle);
  const bio = `Writes about ${v.pick("subject", subjects)}`;
  const inFragments = kindOf(handle) % 2 === 1;
  return {
    ...userOf(handle),
    pk,
    biography: inFragments ? null : bio,
    text_app_biography: {
      text_fragments: { fragments: [{ fragment_type: "plaintext", plaintext: bio }] },
    },
    follower_count: v.int("followers", 1, 900_000),
    hd_profile_pic_versions: inFragments
      ? null
      : [320, 640].map((width) => ({
          width,
          height: width,
          url: `https://images.example/avatar-${handle}-${width}.jpg`,
        })),
    text_post_app_is_private: false,
    bio_links: [{ url: `https://${handle}.example/` }],
  };
}

const picture = (name: string) => ({
  image_versions2: {
    candidates: [1080, 720].map((width) => ({
      width,
      height: width,
      url: `https://images.example/${name}-${width}.jpg`,
    })),
  },
  accessibility_caption: `Picture of ${name}`,
  original_width: 1080,
  original_height: 1080,
  video_versions: null,
});
const film = (name: string) => ({
  ...picture(name),
  original_height: 1920,
  accessibility_caption: null,
  video_versions: [{ type: 101, url: `https://videos.example/${name}.mp4` }],
});
const bare = {
  image_versions2: { candidates: [] },
  accessibility_caption: null,
  video_versions: null,
  carousel_media: null,
};

/** Content of a post, by its kind. */
function mediaOf(kind: number, name: string) {
  switch (kind % 6) {
    case 0:
      return {
        ...bare,
        media_type: 8,
        carousel_media: [picture(`${name}-a`), film(`${name}-b`)],
      };
    case 1:
      return { ...bare, ...picture(name), media_type: 1, carousel_media: null };
    case 2:
      return { ...bare, ...film(name), media_type: 2, carousel_media: null };
    case 3:
      return { ...bare, media_type: 19, audio: { audio_src: `https://audio.example/${name}.m4a` } };
    default:
      return { ...bare, media_type: 19 };
  }
}

interface Marks {
  pk?: string;
  /** The author. */
  handle?: string;
  replyTo?: string | undefined;
  /** True for a post embedded in another. */
  inner?: boolean;
  pinned?: boolean;
}

/** One post; every kind lacks something. */
export function postOf(
  code: (pk: string) => string,
  seed: string,
  kind: number,
  marks: Marks = {},
): object {
  const v = vary("threads", "post", seed, kind);
  const pk = marks.pk ?? postNumber(seed, kind);
  const handle = marks.handle ?? handleOf(seed, kind);
  const words = `${seed}: ${v.pick("subject", subjects)} no. ${kind + 1}`;
  const link = `https://${handle}.example/${v.token("link", 5)}`;
  const inner = (name: string): object => postOf(code, `${seed} ${name}`, kind, { inner: true });
  const whole = kind % 6 === 0;
  return {
    pk,
    id: `${pk}_${numberOf(handle)}`,
    code: code(pk),
    canonical_url: null,
    user: userOf(handle),
    caption: kind % 6 === 2 ? null : { text: words, pk: v.digits("caption", 17) },
    caption_is_edited: kind % 7 === 3,
    taken_at: 1_770_000_000 + v.int("time", 0, 9_000_000),
    like_count: v.int("likes", 0, 90_000),
    like_and_view_counts_disabled: kind % 8 === 5,
    view_count: kind % 3 === 0 ? v.int("views", 0, 9_000_000) : null,
    audio: null,
    ...mediaOf(marks.inner ? 0 : kind, `post-${pk}`),
    text_post_app_info: {
      is_post_unavailable: false,
      is_reply: marks.replyTo !== undefined || (marks.inner ?? false) || whole,
      reply_to_author:
        marks.replyTo !== undefined || marks.inner || whole
          ? { username: marks.replyTo ?? handleOf(seed, "answered"), id: v.digits("to", 11) }
          : null,
      direct_reply_count: v.int("replies", 0, 900),
      repost_count: kind % 5 === 4 ? null : v.int("reposts", 0, 900),
      quote_count: kind % 5 === 3 ? null : v.int("quotes", 0, 90),
      reshare_count: kind % 4 === 3 ? null : v.int("shares", 0, 900),
      reply_control: v.pick("control", ["everyone", "accounts_you_follow", "mentioned_only"]),
      pinned_post_info: { is_pinned_to_profile: marks.pinned ?? false },
      tag_header: kind % 4 === 0 || marks.inner ? { display_name: `sample ${seed}` } : null,
      text_fragments: {
        fragments: [
          { fragment_type: "plaintext", plaintext: `${words} ` },
          ...["first", "second"].flatMap((name) => {
            const username = handleOf(seed, kind, name);
            const uri = `${link}/${name}`;
            return [
              {
                fragment_type: "mention",
                plaintext: `@${username}`,
                mention_fragment: { mentioned_user: { username } },
              },
              { fragment_type: "link", plaintext: uri, link_fragment: { uri } },
            ];
          }),
          { fragment_type: "tag", plaintext: `#tag${v.token("tag", 4)}` },
        ],
      },
      link_preview_attachment: kind % 4 === 1 ? { url: `${link}/preview` } : null,
      linked_inline_media:
        kind % 6 === 4 && !marks.inner ? { ...picture(`inline-${pk}`), media_type: 1 } : null,
      share_info: {
        quoted_post: whole && !marks.inner ? inner("quoted") : null,
        reposted_post: whole && !marks.inner ? inner("reposted") : null,
      },
    },
  };
}

/** The remains of a deleted post. */
export function tombstone(seed: string, kind: number) {
  return {
    pk: postNumber(seed, kind),
    caption: null,
    user: null,
    media_type: null,
    text_post_app_info: { is_post_unavailable: true, post_unavailable_reason: "sample" },
  };
}
