import { shortcodeOf } from "../../../upstreams/tikhub/shortcode.map.ts";
import type { Sample, SampleRequest } from "../../../sandbox/sample.ts";
import { handleOf, hit, kindOf, postOf, profile, tombstone } from "./records.ts";
import { slice } from "../../../sandbox/vary.ts";
import { wrapped } from "../../../sandbox/tikhub-wrapped.ts";

const web = "/api/v1/threads/web";
const pageSize = 12;
/** Entries of a sample list; a second page needs more than the largest `limit`. */
const entries = { default: 40, long: 120 };

const ask = (request: SampleRequest, name: string) => String(request.query?.[name] ?? "");
const code = (pk: string) => shortcodeOf(pk) ?? "";
const write = (seed: string, kind: number, marks: Parameters<typeof postOf>[3] = {}) =>
  postOf(code, seed, kind, marks);

interface Edges {
  edges: unknown[];
  page_info: { end_cursor: string | null; has_next_page: boolean };
}

/** A list that ends without a cursor although it claims more, as on the platform. */
function edgesOf(request: SampleRequest, make: (index: number) => unknown): Edges {
  const total = request.empty ? 0 : request.secondPage ? entries.long : entries.default;
  const offset = Number(/^sample-(\d+)$/.exec(ask(request, "end_cursor"))?.[1] ?? 0);
  const edges = slice({ total, offset, count: pageSize }, make);
  const end = offset + edges.length;
  return {
    edges,
    page_info: { end_cursor: end < total ? `sample-${end}` : null, has_next_page: total > 0 },
  };
}

const chain = (...posts: unknown[]) => ({
  node: { thread_header_context: null, thread_items: posts.map((post) => ({ post })) },
});

function listOf(make: (userId: string, index: number) => unknown): Sample {
  return (request) =>
    wrapped(request.path, {
      data: { mediaData: edgesOf(request, (index) => make(ask(request, "user_id"), index)) },
    });
}

function found(route: string): Sample {
  return (request) => {
    const seed = ask(request, "query");
    const searchResults = edgesOf(request, (index) => ({
      node: { thread: { id: "0", thread_items: [{ post: write(`${route} ${seed}`, index) }] } },
    }));
    return wrapped(request.path, { data: { searchResults } });
  };
}

const nothing = {
  errors: [{ message: "execution error", path: ["data"], severity: "CRITICAL" }],
  data: null,
  status: "ok",
};

/** The post in the form of its thread page, followed by a reply. */
function thread(pk: string, request: SampleRequest) {
  if (request.empty) return wrapped(request.path, nothing);
  const kind = kindOf(pk);
  const edges = [
    chain(write(`post ${pk}`, kind, { pk, pinned: kind % 2 === 0 })),
    chain(write(`below ${pk}`, 4)),
  ];
  const page_info = { end_cursor: null, has_next_page: true };
  return wrapped(request.path, { data: { data: { edges, page_info } } });
}

export const threads: Record<string, Sample> = {
  [`GET ${web}/fetch_user_info`]: (request) => {
    const handle = ask(request, "username");
    return wrapped(request.path, { data: { user: request.empty ? null : profile(handle) } });
  },
  [`GET ${web}/fetch_user_info_by_id`]: (request) => {
    const pk = ask(request, "user_id");
    return wrapped(request.path, { user: request.empty ? null : profile(handleOf(pk), pk) });
  },
  [`GET ${web}/fetch_user_posts`]: listOf((userId, index) => {
    const handle = handleOf(userId);
    if (index % 11 === 7) return chain(tombstone(userId, index));
    const first = write(userId, index, { handle, pinned: index === 0 });
    if (index % 9 !== 3) return chain(first);
    return chain(first, {
      ...write(`${userId} more ${index}`, 1, { handle }),
      user: owner(userId, handle),
    });
  }),
  [`GET ${web}/fetch_user_replies`]: listOf((userId, index) =>
    chain(
      write(`${userId} answered`, index),
      write(`${userId} reply`, index, {
        handle: handleOf(userId),
        replyTo: handleOf(userId, index),
      }),
    ),
  ),
  [`GET ${web}/fetch_user_reposts`]: listOf((userId, index) => ({
    node: {
      thread_header_context: { context_type: "REPOST", text: "reposted" },
      thread_items: [{ post: write(`${userId} repost`, index) }],
    },
  })),
  [`GET ${web}/fetch_post_detail`]: (request) => thread(ask(request, "post_id"), request),
  [`GET ${web}/fetch_post_comments`]: (request) => {
    const pk = ask(request, "post_id");
    const data = edgesOf(request, (index) => {
      if (index === 0) return chain(write(`post ${pk}`, 0, { pk }));
      const reply = write(`reply ${pk}`, index, { replyTo: handleOf(pk) });
      if (index % 12 !== 11) return chain(reply);
      return chain(reply, write(`below ${pk}`, index, { replyTo: handleOf(pk, index) }));
    });
    return wrapped(request.path, { data });
  },
  [`GET ${web}/search_top`]: found("top"),
  [`GET ${web}/search_recent`]: found("recent"),
  [`GET ${web}/search_profiles`]: (request) => {
    const seed = ask(request, "query");
    const edges = slice({ total: request.empty ? 0 : 10, offset: 0, count: 10 }, (index) => ({
      node: hit(handleOf("hit", seed, index), index),
    }));
    return wrapped(request.path, { data: { xdt_api__v1__users__search_connection: { edges } } });
  },
};

/** The author of a continuation, under the requested number. */
function owner(pk: string, username: string) {
  return { pk, id: pk, username, full_name: null, profile_pic_url: null, is_verified: null };
}
