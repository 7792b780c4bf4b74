import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 30, long: 60 };
const newest = 1_770_000_000;

function hits({ query, path, empty, secondPage }: SampleRequest) {
  const total = empty ? 0 : secondPage ? listed.long : listed.usual;
  const [page, count] = [Number(query?.page), Number(query?.hitsPerPage)];
  const seed = `${path} ${query?.query} ${query?.tags}`;
  return {
    hits: slice({ total, offset: page * count, count }, (index) => {
      const v = vary("hn search", seed, index);
      const id = 40_050_000 - index * 3;
      const time = newest - index * 3600;
      const base = {
        objectID: String(id),
        author: `sample_${v.digits("by", 4)}`,
        created_at: new Date(time * 1000).toISOString(),
        created_at_i: time,
        updated_at: "2026-03-01T00:00:00Z",
      };
      if (index % 3 === 2)
        return {
          ...base,
          _tags: ["comment", `author_${base.author}`, `story_${id - 9}`],
          comment_text: `I agree with ${v.pick("text", words)}.`,
          parent_id: id - 4,
          story_id: id - 9,
          story_title: `A ${v.pick("title", words)} compiler`,
          story_url: "https://blog.example/compiler",
        };
      return {
        ...base,
        _tags: ["story", `author_${base.author}`, `story_${id}`],
        title: `A ${v.pick("title", words)} compiler`,
        story_id: id,
        points: v.int("points", 1, 900),
        num_comments: v.int("comments", 0, 400),
        ...(index % 3 === 0
          ? { url: `https://blog.example/${id}` }
          : { story_text: `What do you think of ${v.pick("text", words)}?` }),
      };
    }),
    page,
    nbHits: total,
    nbPages: Math.ceil(total / count),
    hitsPerPage: count,
    query: query?.query,
  };
}

/** Sample answers of HN Search, written for this project. */
export const hnSearch: Samples = {
  upstream: "hn-search",
  answers: { "GET /api/v1/search": hits, "GET /api/v1/search_by_date": hits },
  faults: {
    not_found: { status: 404, body: { status: 404 } },
    upstream_error: { status: 400, body: { message: "Bad request" } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
