import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { listed, moment, number, word } from "./rows.ts";

/** Sample answers of an instance of Lemmy, written for this project. */

const site = "https://forum7.example";

function person(id: number, name: string) {
  return {
    id,
    name,
    display_name: `${word(name)} ${word(name, 2)}`,
    avatar: `${site}/pictrs/${id}.png`,
    banner: `${site}/pictrs/${id}-banner.png`,
    bio: `Writes about ${word(name, 3)}`,
    banned: false,
    published: moment(number(1, 900, name), ".123456"),
    actor_id: `${site}/u/${name}`,
    local: true,
    deleted: false,
    bot_account: number(0, 1, name, "bot") === 1,
    instance_id: 1,
  };
}

const viewOf = (row: object, name: string) => ({
  person: row,
  counts: {
    person_id: 1,
    post_count: number(1, 900, name, "posts"),
    comment_count: number(1, 900, name, "comments"),
  },
  is_admin: false,
});

const community = { id: 5, name: "harbour", title: "Harbours", actor_id: `${site}/c/harbour` };

const votes = (...seed: (string | number)[]) => ({
  score: 1,
  upvotes: number(1, 900, ...seed, "up"),
  downvotes: number(1, 90, ...seed, "down"),
});

function post(index: number, id = 70_000 - index) {
  const isPicture = index % 2 === 0;
  return {
    post: {
      id,
      name: `On the ${word(id)}`,
      url: isPicture ? `${site}/pictrs/${id}.png` : `https://${word(id)}.example/${id}`,
      body: `**${word(id, 2)}** and more`,
      nsfw: number(0, 1, id, "nsfw") === 1,
      published: moment(index, ".123456"),
      updated: moment(index, ".623456"),
      thumbnail_url: `${site}/pictrs/${id}-small.png`,
      alt_text: `A ${word(id, "alt")}`,
      embed_title: `The ${word(id, "title")}`,
      embed_description: `About ${word(id, "page")}`,
      ap_id: `${site}/post/${id}`,
      local: true,
    },
    creator: person(8, "sam"),
    community,
    counts: { post_id: id, comments: number(1, 90, id, "comments"), ...votes(id) },
  };
}

function comment(index: number, id = 90_000 + index) {
  return {
    comment: {
      id,
      creator_id: 8,
      post_id: 7,
      content: `I saw the ${word(id)}`,
      published: moment(index, ".123456"),
      updated: moment(index, ".723456"),
      ap_id: `${site}/comment/${id}`,
      path: index % 2 === 0 ? `0.${id}` : `0.${id - 1}.${id}`,
    },
    creator: person(9, "kim"),
    post: { id: 7, name: "On the harbour" },
    community,
    counts: { comment_id: id, child_count: number(1, 9, id, "children"), ...votes("comment", id) },
  };
}

const offsetOf = ({ query = {} }: SampleRequest) =>
  (Number(query.page ?? 1) - 1) * Number(query.limit);

const posts = (request: SampleRequest) => ({
  posts: listed(request, offsetOf(request), (index) => post(index)),
});

export const lemmy: Samples = {
  upstream: "lemmy",
  answers: {
    "GET /api/v3/user": (request) => {
      const name = String(request.query?.username);
      return {
        person_view: viewOf(person(number(10, 900, name), name), name),
        comments: [],
        ...posts(request),
        moderates: [],
      };
    },
    "GET /api/v3/post": ({ query }) => ({ post_view: post(1, Number(query?.id)) }),
    "GET /api/v3/comment": ({ query }) => ({ comment_view: comment(1, Number(query?.id)) }),
    "GET /api/v3/comment/list": (request) => ({
      comments: listed(request, offsetOf(request), (index) => comment(index)),
    }),
    "GET /api/v3/post/list": posts,
    "GET /api/v3/search": (request) => ({
      type_: request.query?.type_,
      comments: [],
      communities: [],
      ...(request.query?.type_ === "Users"
        ? {
            posts: [],
            users: listed(request, offsetOf(request), (index) => {
              const name = `${word(index)}_${index}`;
              return viewOf(person(2000 + index, name), name);
            }),
          }
        : { ...posts(request), users: [] }),
    }),
    "GET /api/v3/site": () => ({
      site_view: {
        site: {
          id: 1,
          name: "Sample forum",
          description: "A place for samples",
          icon: `${site}/pictrs/icon.png`,
          banner: `${site}/pictrs/banner.png`,
          actor_id: `${site}/`,
        },
        local_site: { registration_mode: "RequireApplication" },
        counts: {
          users: 4100,
          posts: 5200,
          comments: 6300,
          communities: 74,
          users_active_month: 85,
        },
      },
      admins: [],
      version: "0.19.9",
      all_languages: [
        { id: 0, code: "und", name: "Undetermined" },
        { id: 37, code: "en", name: "English" },
      ],
      discussion_languages: [37],
    }),
  },
  faults: {
    not_found: { status: 404, body: { error: "couldnt_find_post" } },
    upstream_error: { status: 418, body: undefined },
    upstream_unavailable: { status: 503, body: { error: "down" } },
  },
};
