import { shortcodeOf, mediaIdOf } from "../../../upstreams/tikhub/shortcode.map.ts";
import type { Sample, SampleRequest } from "../../../sandbox/sample.ts";
import {
  advert,
  handleOf,
  media,
  member,
  numberOf,
  remark,
  singlePost,
  spot,
  tale,
  topic,
  webPost,
  webProfile,
} from "./records.ts";
import { slice, vary } from "../../../sandbox/vary.ts";
import { wrapped } from "../../../sandbox/tikhub-wrapped.ts";

const v1 = "/api/v1/instagram/v1";
const v2 = "/api/v1/instagram/v2";
const v3 = "/api/v1/instagram/v3";
const pageSize = 20;
/** Entries of a sample list; a second page needs more than the largest `limit`. */
const entries = { default: 34, long: 120 };
/** Entries of a list without pages. */
const few = 6;

type Make = (request: SampleRequest, index: number) => unknown;

const ask = (request: SampleRequest, name: string) => String(request.query?.[name] ?? "");

/** A page that begins at the token in the parameter `name`. */
function pageOf(request: SampleRequest, name: string, make: Make) {
  const total = request.empty ? 0 : request.secondPage ? entries.long : entries.default;
  const offset = Number(/(\d+)\D*$/.exec(ask(request, name))?.[1] ?? 0);
  const list = slice({ total, offset, count: pageSize }, (index) => make(request, index));
  const end = offset + list.length;
  return { list, next: end < total ? end : undefined };
}

/** `edges` with `page_info`, each entry under `node` or one step further in. */
function edges(make: Make, wrap: (entry: unknown) => unknown = (node) => ({ node })): Sample {
  return (request) => {
    const { list, next } = pageOf(
      request,
      "after" in (request.query ?? {}) ? "after" : "end_cursor",
      make,
    );
    return wrapped(request.path, {
      edges: list.map(wrap),
      page_info: {
        has_next_page: next !== undefined,
        end_cursor: next === undefined ? null : `QVF-sample-${next}`,
      },
      status: "ok",
    });
  };
}

/** `items` inside a further wrapper, with the token beside it. */
function items(token: string, make: Make): Sample {
  return (request) => {
    const { list, next } = pageOf(request, token, make);
    return wrapped(request.path, {
      data: { count: list.length, items: list },
      ...(next === undefined ? {} : { [token]: `sample-${next}` }),
    });
  };
}

/** A list paginated by `max_id`; `big_list` stays true to the end, as on the platform. */
function people(seed: string): Sample {
  return (request) => {
    const { list, next } = pageOf(request, "max_id", (_, index) =>
      member(handleOf(seed, ask(request, "username"), index)),
    );
    return wrapped(request.path, {
      users: list,
      big_list: true,
      page_size: pageSize,
      ...(next === undefined ? {} : { next_max_id: `sample-${next}` }),
      status: "ok",
    });
  };
}

/** Comments are paginated by a cursor that is JSON text; the usual flag is missing. */
function comments(key: string, token: string, make: Make): Sample {
  return (request) => {
    const { list, next } = pageOf(request, "min_id", make);
    return wrapped(request.path, {
      [key]: list,
      has_more_comments: false,
      has_more_headload_comments: next !== undefined,
      ...(next === undefined
        ? {}
        : { [token]: JSON.stringify({ cached_comments_cursor: `${next}` }) }),
      status: "ok",
    });
  };
}

/** Numbered pages. */
function numbered(key: string, make: Make): Sample {
  return (request) => {
    const total = request.empty ? 0 : request.secondPage ? entries.long : entries.default;
    const page = Number(request.query?.page ?? 1);
    const offset = (page - 1) * pageSize;
    const list = slice({ total, offset, count: pageSize }, (index) => make(request, index));
    return wrapped(request.path, {
      [key]: list,
      next_page: offset + list.length < total ? page + 1 : null,
    });
  };
}

function fixed(key: string, make: Make, count = few): Sample {
  return (request) =>
    wrapped(request.path, {
      [key]: slice({ total: request.empty ? 0 : count, offset: 0, count }, (index) =>
        make(request, index),
      ),
      rank_token: "sample",
      status: "ok",
    });
}

/** Posts of a feed: mostly the app's dialect, sometimes the web's, with an advert. */
function feed(seed: (request: SampleRequest) => string): Make {
  return (request, index) => {
    if (index % 12 === 10) return advert(index);
    if (index % 6 === 5) return webPost(seed(request), index);
    return media(seed(request), index);
  };
}

/** Posts of a user, or posts that tag a user, with an advert. */
const ofUser =
  (what: string, marks: { reel?: boolean; tagged?: boolean } = {}): Make =>
  (request, index) => {
    if (index % 12 === 10) return advert(index);
    const handle = ask(request, "username");
    return media(`${what} of ${handle}`, index, {
      ...(marks.reel ? { reel: true } : {}),
      ...(marks.tagged ? { tagged: handle } : { author: handle }),
    });
  };

/** The explore page, a layout of rows with up to three posts. */
const section: Sample = (request) => {
  const { list, next } = pageOf(
    request,
    "max_id",
    feed((r) => `section ${ask(r, "section_id")}`),
  );
  const rows = Array.from({ length: Math.ceil(list.length / 4) }, (_, row) => {
    const [first, ...rest] = list.slice(row * 4, row * 4 + 4).map((entry) => ({ media: entry }));
    return row % 2 === 0
      ? { layout_type: "media_grid", layout_content: { medias: [first, ...rest] } }
      : {
          layout_type: "one_by_two_right",
          layout_content: { fill_items: [first], one_by_two_item: { clips: { items: rest } } },
        };
  });
  return wrapped(request.path, {
    sectional_items: rows,
    more_available: next !== undefined,
    ...(next === undefined ? {} : { next_max_id: `${next}`, max_id: `${next}` }),
  });
};

const search: Sample = (request) => {
  const query = ask(request, "query");
  const { list, next } = pageOf(request, "next_max_id", (_, index) => index);
  const of = (kind: number, make: (index: number) => unknown) =>
    (list as number[]).filter((index) => index % 5 === kind).map(make);
  return wrapped(request.path, {
    users: of(0, (index) => ({ position: index, user: member(handleOf("found", query, index)) })),
    hashtags: of(1, (index) => ({ position: index, hashtag: topic(query, index) })),
    places: of(2, (index) => ({
      position: index,
      place: { title: `Sample ${index}`, location: spot(query, index) },
    })),
    media_grid: {
      sections: [
        {
          layout_content: {
            medias: [
              ...of(3, (index) => ({ media: media(query, index * 4 + 1) })),
              ...of(4, (index) => ({ media: media(query, index * 4) })),
              ...of(0, (index) => ({ media: media(`picture ${query}`, index * 4 + 2) })),
              ...of(1, (index) => ({ media: media(`video ${query}`, index * 4 + 3) })),
            ],
          },
        },
      ],
    },
    has_more: next !== undefined,
    rank_token: "sample-rank",
    ...(next === undefined ? {} : { next_max_id: `sample-${next}` }),
    status: "ok",
  });
};

/** The last digit or letter decides the kind, so that every kind occurs. */
const kindOf = (text: string) => (text.codePointAt(text.length - 1) ?? 0) % 2;

export const photosite: Record<string, Sample> = {
  [`GET ${v1}/fetch_explore_sections`]: fixed("sections", (_, index) => {
    const v = vary("photosite", "section", index);
    return {
      id: v.digits("id", 17),
      name: `Sample section ${index + 1}`,
      subsections:
        index % 3 === 2
          ? null
          : [1, 2].map((n) => ({ id: v.digits(`sub${n}`, 17), name: `Part ${n}` })),
    };
  }),
  [`GET ${v1}/fetch_section_posts`]: section,
  [`GET ${v1}/fetch_cities`]: numbered("city_list", (request, index) => ({
    id: `c${vary("photosite", "city", ask(request, "country_code"), index).digits("id", 7)}`,
    name: `Sampleton ${index + 1}`,
    ...(index % 6 === 5 ? {} : { slug: `sampleton-${index + 1}` }),
  })),
  [`GET ${v1}/fetch_locations`]: numbered("location_list", (request, index) =>
    spot(ask(request, "city_id"), index),
  ),
  [`GET ${v1}/fetch_location_posts`]: edges(
    feed((request) => `${ask(request, "tab")} at ${ask(request, "location_id")}`),
  ),
  [`GET ${v2}/fetch_hashtag_posts`]: items(
    "pagination_token",
    feed((request) => `${ask(request, "feed_type")} ${ask(request, "keyword")}`),
  ),
  [`GET ${v2}/fetch_location_posts`]: items("pagination_token", (request, index) =>
    media(`at ${ask(request, "location_id")}`, index, { location: ask(request, "location_id") }),
  ),
  [`GET ${v2}/search_by_coordinates`]: (request) =>
    wrapped(request.path, {
      data: {
        items: slice({ total: request.empty ? 0 : few, offset: 0, count: few }, (index) =>
          spot(`${ask(request, "latitude")} ${ask(request, "longitude")}`, index),
        ),
      },
    }),
  [`GET ${v2}/fetch_post_likes`]: items("end_cursor", (request, index) =>
    member(handleOf("likes", ask(request, "code_or_url"), index)),
  ),
  [`GET ${v2}/user_id_to_username`]: (request) => {
    const pk = ask(request, "user_id");
    return wrapped(request.path, { data: { ...member(handleOf("number", pk)), pk } });
  },
  [`GET ${v2}/fetch_similar_users`]: (request) =>
    wrapped(request.path, {
      data: {
        items: slice({ total: request.empty ? 0 : few, offset: 0, count: few }, (index) =>
          member(handleOf("similar", ask(request, "username"), index)),
        ),
      },
    }),
  [`GET ${v3}/get_location_info`]: (request) =>
    wrapped(request.path, {
      native_location_data: {
        location_info: spot("place", 0, ask(request, "location_id")),
      },
      status: "ok",
    }),
  [`GET ${v3}/get_location_nearby`]: fixed("nearby_locations", (request, index) =>
    spot(`near ${ask(request, "location_id")}`, index),
  ),
  [`GET ${v3}/get_post_info_by_code`]: (request) => {
    const code = ask(request, "code");
    const found = singlePost(code, mediaIdOf(code), kindOf(code));
    return wrapped(request.path, { items: request.empty ? [] : [found], status: "ok" });
  },
  [`GET ${v3}/get_post_comments`]: comments("comments", "next_min_id", (request, index) =>
    remark(`${ask(request, "sort_order")} ${ask(request, "code")}`, index),
  ),
  [`GET ${v3}/get_comment_replies`]: comments(
    "child_comments",
    "next_min_child_cursor",
    (request, index) => {
      const parent = ask(request, "comment_id");
      return remark(`${ask(request, "media_id")} ${parent}`, index, parent);
    },
  ),
  [`GET ${v3}/get_recommended_reels`]: edges(
    (_, index) => media("recommended", index, { reel: index % 4 !== 1 }),
    (entry) => ({ node: { media: entry } }),
  ),
  [`GET ${v3}/extract_shortcode`]: (request) =>
    wrapped(request.path, {
      shortcode: shortcodeOf(vary("photosite", "share", ask(request, "url")).digits("id", 19)),
    }),
  [`GET ${v3}/get_user_id_by_username`]: (request) =>
    wrapped(request.path, { user_id: numberOf(ask(request, "username")) }),
  [`GET ${v3}/general_search`]: search,
  [`GET ${v3}/search_hashtags`]: fixed("hashtags", (request, index) => ({
    position: index,
    hashtag: topic(ask(request, "query"), index),
  })),
  [`GET ${v3}/search_places`]: fixed("places", (request, index) => ({
    position: index,
    place: { title: `Sample ${index}`, location: spot(ask(request, "query"), index) },
  })),
  [`GET ${v3}/search_users`]: fixed("users", (request, index) => ({
    position: index,
    user: member(handleOf("found", ask(request, "query"), index)),
  })),
  [`GET ${v3}/get_user_profile`]: (request) =>
    wrapped(request.path, { user: webProfile(ask(request, "username")), status: "ok" }),
  [`GET ${v3}/get_user_followers`]: people("followers"),
  [`GET ${v3}/get_user_following`]: people("following"),
  [`GET ${v3}/get_user_former_usernames`]: fixed(
    "former_usernames",
    (request, index) => {
      const username = handleOf("former", ask(request, "username"), index);
      return index === 2 ? username : { username, changed_time: 1_600_000_000 + index * 86_400 };
    },
    3,
  ),
  [`GET ${v3}/get_user_highlights`]: edges((request, index) => {
    const v = vary("photosite", "highlight", ask(request, "username"), index);
    return {
      id: `highlight:${v.digits("id", 17)}`,
      title: `Sample highlight ${index + 1}`,
      cover_media_cropped_thumbnail: { url: `https://images.example/${v.token("cover", 8)}.jpg` },
      ...(index % 4 === 3 ? {} : { media_count: v.int("stories", 1, 60) }),
    };
  }),
  [`GET ${v3}/get_user_posts`]: edges(ofUser("posts")),
  [`GET ${v3}/get_user_reels`]: edges(
    (request, index) =>
      // A reel of pictures is a carousel with their descriptions.
      media(`reels of ${ask(request, "username")}`, index, {
        author: ask(request, "username"),
        reel: index % 6 !== 1,
      }),
    (entry) => ({ node: { media: entry } }),
  ),
  [`GET ${v3}/get_user_stories`]: (request) => {
    const handle = ask(request, "username");
    const tray = {
      id: numberOf(handle),
      user: member(handle),
      items: [0, 1, 2].map((index) => tale(handle, index)),
    };
    return wrapped(request.path, { reels_media: request.empty ? [] : [tray], status: "ok" });
  },
  [`GET ${v3}/get_user_tagged_posts`]: edges(ofUser("tagged", { tagged: true })),
};
