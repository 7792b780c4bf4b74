import type { Sample, SampleRequest } from "../../../sandbox/sample.ts";
import {
  aweme,
  challenge,
  handleOf,
  parity,
  person,
  remark,
  room,
  secUidOf,
  sound,
  uidOf,
  webItem,
  webRoom,
} from "./records.ts";
import { slice, vary } from "../../../sandbox/vary.ts";
import { wrapped } from "../../../sandbox/tikhub-wrapped.ts";

const app = "/api/v1/tiktok/app/v3";
const web = "/api/v1/tiktok/web";
const pageSize = 20;
/** Entries of a sample list; a second page needs more than the largest `limit`. */
const entries = { default: 34, long: 120 };

const ask = (request: SampleRequest, name: string) => String(request.query?.[name] ?? "");

/** A list paginated by `cursor`, which the request sends back as `from`. */
function listOf(
  key: string,
  from: string,
  make: (request: SampleRequest, index: number) => unknown,
): Sample {
  return (request) => {
    const { path, empty, secondPage } = request;
    const total = empty ? 0 : secondPage ? entries.long : entries.default;
    const offset = Number(request.query?.[from] ?? 0);
    const list = slice({ total, offset, count: pageSize }, (index) => make(request, index));
    const cursor = offset + list.length;
    return wrapped(path, {
      status_code: 0,
      has_more: cursor < total ? 1 : 0,
      cursor,
      [key]: list,
    });
  };
}

/** Newest first; the next page begins before `max_cursor`, a time in milliseconds. */
function videosBefore(make: (request: SampleRequest, index: number) => unknown): Sample {
  const newest = 1_790_000_000_000;
  return (request) => {
    const { path, empty, secondPage } = request;
    const total = empty ? 0 : secondPage ? entries.long : entries.default;
    const before = Number(request.query?.max_cursor ?? 0);
    const offset = before === 0 ? 0 : (newest - before) / 1000;
    const list = slice({ total, offset, count: pageSize }, (index) => make(request, index));
    const end = offset + list.length;
    return wrapped(path, {
      status_code: 0,
      aweme_list: list,
      has_more: end < total ? 1 : 0,
      max_cursor: newest - end * 1000,
      min_cursor: newest - offset * 1000,
    });
  };
}

/** A list paginated by `min_time` and `page_token` together. */
function peopleOf(key: string): Sample {
  return (request) => {
    const { path, empty, secondPage } = request;
    const total = empty ? 0 : secondPage ? entries.long : entries.default;
    const offset = Number(/^sample-(\d+)$/.exec(ask(request, "page_token"))?.[1] ?? 0);
    const seed = `${key} of ${ask(request, "user_id")}${ask(request, "sec_user_id")}`;
    const list = slice({ total, offset, count: pageSize }, (index) =>
      person(handleOf(seed, index), index),
    );
    const end = offset + list.length;
    const more = end < total;
    return wrapped(path, {
      status_code: 0,
      [key]: list,
      total,
      has_more: more,
      min_time: more ? 1_780_000_000 - end : 0,
      ...(more ? { page_token: `sample-${end}` } : {}),
    });
  };
}

/** Handle of the user in the request, by any of the three identifiers. */
function handleIn(request: SampleRequest): string {
  const handle = ask(request, "unique_id");
  return handle || handleOf(ask(request, "user_id"), ask(request, "sec_user_id"));
}

function profile(request: SampleRequest) {
  const handle = handleIn(request);
  return {
    ...person(handle, parity(handle) * 3 + 0),
    ...(ask(request, "user_id") ? { uid: ask(request, "user_id") } : {}),
    ...(ask(request, "sec_user_id") ? { sec_uid: ask(request, "sec_user_id") } : {}),
  };
}

const single: Sample = (request) => {
  const id = ask(request, "aweme_id");
  return wrapped(request.path, {
    status_code: 0,
    aweme_detail: request.empty
      ? null
      : aweme(`video ${id}`, 0, { id, tag: "sampled", photos: parity(id) === 1 }),
  });
};

/** Number of the video behind a sample's short link. */
const behind = (link: string) => vary("shortclip", "link", link).digits("id", 19);

export const shortclip: Record<string, Sample> = {
  [`GET ${app}/fetch_video_search_result`]: listOf("search_item_list", "offset", (request, index) =>
    index % 13 === 12
      ? { type: 1, item: webItem(ask(request, "keyword"), index) }
      : {
          aweme_info: aweme(ask(request, "keyword"), index, {
            promoted: index % 11 === 7,
            deleted: index % 17 === 15,
          }),
        },
  ),
  [`GET ${app}/fetch_user_search_result`]: listOf("user_list", "offset", (request, index) => ({
    user_info: person(handleOf("search", ask(request, "keyword"), index), index),
    position: null,
  })),
  [`GET ${app}/fetch_hashtag_search_result`]: listOf(
    "challenge_list",
    "offset",
    (request, index) => ({ challenge_info: challenge(ask(request, "keyword"), index) }),
  ),
  [`GET ${app}/fetch_music_search_result`]: listOf("music", "offset", (request, index) =>
    sound(ask(request, "keyword"), index),
  ),
  [`GET ${app}/fetch_live_search_result`]: listOf("data", "offset", (request, index) => ({
    type: 1,
    lives: { rawdata: JSON.stringify(room(ask(request, "keyword"), index)) },
  })),
  [`GET ${app}/fetch_one_video`]: single,
  [`GET ${app}/fetch_one_video_v3`]: single,
  [`GET ${app}/fetch_one_video_by_share_url`]: (request) =>
    wrapped(request.path, {
      status_code: 0,
      aweme_detail: aweme("shared", 0, { id: behind(ask(request, "share_url")) }),
    }),
  [`GET ${app}/fetch_video_comments`]: listOf("comments", "cursor", (request, index) => {
    const video = ask(request, "aweme_id");
    return remark(video, index, { video });
  }),
  [`GET ${app}/fetch_video_comment_replies`]: listOf("comments", "cursor", (request, index) => {
    const parent = ask(request, "comment_id");
    return remark(parent, index, { video: ask(request, "item_id"), parent });
  }),
  [`GET ${app}/handler_user_profile`]: (request) =>
    wrapped(request.path, { status_code: 0, user: profile(request) }),
  [`GET ${app}/get_user_id_and_sec_user_id_by_username`]: (request) => {
    const handle = ask(request, "username");
    return wrapped(request.path, { user_id: uidOf(handle), sec_user_id: secUidOf(handle) });
  },
  [`GET ${app}/fetch_user_post_videos`]: videosBefore((request, index) => {
    const author = ask(request, "unique_id") || handleOf(ask(request, "sec_user_id"));
    const seed = `${author} ${ask(request, "sort_type")}`;
    return aweme(seed, index, { author, tag: "mine", promoted: index % 11 === 7 });
  }),
  [`GET ${app}/fetch_user_like_videos`]: videosBefore((request, index) =>
    aweme(`liked by ${ask(request, "sec_user_id")}`, index, { tag: "liked" }),
  ),
  [`GET ${app}/fetch_user_repost_videos`]: listOf("aweme_list", "offset", (request, index) =>
    aweme(`reposted by ${ask(request, "user_id")}`, index, { tag: "shared" }),
  ),
  [`GET ${app}/fetch_user_follower_list`]: peopleOf("followers"),
  [`GET ${app}/fetch_user_following_list`]: peopleOf("followings"),
  [`GET ${web}/fetch_user_live_detail`]: (request) => {
    const handle = ask(request, "uniqueId");
    return wrapped(
      request.path,
      parity(handle) === 0
        ? { ...webRoom(handle), statusCode: 0, tt_chain_token: "sample", cookie: "sample" }
        : { data: room(handle, 0, { owner: handle }), status_code: 0 },
    );
  },
  [`GET ${web}/fetch_tag_detail`]: (request) => {
    const name = ask(request, "tag_name");
    const app = challenge(name, 0, name);
    if (parity(name) === 1) return wrapped(request.path, { status_code: 0, ch_info: app });
    const figures = { videoCount: app.use_count, viewCount: app.view_count };
    return wrapped(request.path, {
      statusCode: 0,
      challengeInfo: {
        challenge: {
          id: app.cid,
          title: name,
          desc: app.desc,
          profileLarger: app.hashtag_profile,
          isCommerce: app.is_commerce,
        },
        stats: figures,
        statsV2: { videoCount: String(app.use_count), viewCount: String(app.view_count) },
      },
      tt_chain_token: "sample",
    });
  },
  [`GET ${app}/fetch_hashtag_detail`]: (request) => {
    const cid = ask(request, "ch_id");
    const ch_info = { ...challenge(cid, 0, `tag${cid}`), cid };
    return wrapped(request.path, { status_code: 0, ch_info });
  },
  [`GET ${app}/fetch_hashtag_video_list`]: listOf("aweme_list", "cursor", (request, index) =>
    aweme(`tag ${ask(request, "ch_id")}`, index, { tag: "tagged" }),
  ),
  [`GET ${app}/fetch_music_detail`]: (request) => {
    const id = ask(request, "music_id");
    return wrapped(request.path, { status_code: 0, music_info: sound(`sound ${id}`, 0, id) });
  },
  [`GET ${app}/fetch_music_video_list`]: listOf("aweme_list", "cursor", (request, index) => {
    const musicId = ask(request, "music_id");
    return aweme(`sound ${musicId}`, index, { musicId, tag: "sounds" });
  }),
  [`GET ${app}/fetch_live_room_info`]: (request) => {
    const id = ask(request, "room_id");
    return wrapped(request.path, { data: room(`room ${id}`, 0, { id }), status_code: 0 });
  },
  [`GET ${web}/get_aweme_id`]: (request) => wrapped(request.path, behind(ask(request, "url"))),
  [`GET ${web}/get_unique_id`]: (request) => wrapped(request.path, handleOf(ask(request, "url"))),
};
