import type { Sample, SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { idOfHandle, officialUser, person, personInList } from "./people.ts";
import { idOfKind, idOfPost, newIncludes, officialPost, type Traits, traits } from "./posts.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

/** Rows of a list; a second page needs more than the largest `limit`. */
const posted = { default: 34, long: 130 };
const known = { default: 130, long: 1100 };
const namedTrends = 50;

const problem = (resource: string, parameter: string, value: string) => ({
  value,
  detail: `Could not find ${resource} with ${parameter}: [${value}].`,
  title: "Not Found Error",
  resource_type: resource,
  parameter,
  resource_id: value,
  type: "https://api.twitter.com/2/problems/resource-not-found",
});

/** Part of a list by the token of the request, with its `includes` and `meta`. */
function page(
  { query, empty, secondPage }: SampleRequest,
  total: { default: number; long: number },
  make: (index: number) => unknown,
): { data?: unknown[]; meta: object } {
  const token = String(query?.next_token ?? query?.pagination_token ?? "p0");
  const offset = Number(token.slice(1));
  const all = empty ? 0 : secondPage ? total.long : total.default;
  const data = slice({ total: all, offset, count: Number(query?.max_results ?? 10) }, make);
  const end = offset + data.length;
  return {
    ...(data.length > 0 ? { data } : {}),
    meta: { result_count: data.length, ...(end < all ? { next_token: `p${end}` } : {}) },
  };
}

const posts =
  (make: (request: SampleRequest, index: number) => Traits): Sample =>
  (request) => {
    const includes = newIncludes();
    const found = page(request, posted, (index) => officialPost(make(request, index), includes));
    return "data" in found ? { ...found, includes } : found;
  };

const people =
  (name: string, total = posted): Sample =>
  (request) =>
    page(request, total, (index) =>
      officialUser(personInList(`${name} ${request.parts.id}`, index)),
    );

const listOf = (query: SampleRequest["query"], name: string) => String(query?.[name]).split(",");

/** Records of one request: ids that end in 9 are unknown. */
function batch(
  ids: string[],
  empty: boolean,
  resource: string,
  make: (id: string) => unknown,
): object {
  const isKnown = (id: string) => !empty && !id.endsWith("9");
  const data = ids.filter(isKnown).map(make);
  const errors = ids.filter((id) => !isKnown(id)).map((id) => problem(resource, "ids", id));
  return {
    ...(data.length > 0 ? { data } : {}),
    ...(errors.length > 0 ? { errors } : {}),
  };
}

const single =
  (resource: string, part: string, make: (value: string) => object): Sample =>
  ({ parts, empty }) => {
    const value = parts[part] as string;
    return empty ? { errors: [problem(resource, part, value)] } : make(value);
  };

/** Sample answers of X's API, in the names of before August 2026. */
export const x: Samples = {
  upstream: "x",
  answers: {
    "GET /2/tweets": ({ query, empty }) => {
      const includes = newIncludes();
      const found = batch(listOf(query, "ids"), empty, "tweet", (id) =>
        officialPost(traits(id), includes),
      );
      return { ...found, includes };
    },
    "GET /2/tweets/search/recent": posts(({ query }, index) =>
      traits(idOfPost(`search ${query?.query}`, index), { words: String(query?.query) }),
    ),
    "GET /2/tweets/{id}/quote_tweets": posts(({ parts }, index) =>
      traits(idOfPost(`quotes ${parts.id}`, index)),
    ),
    "GET /2/tweets/{id}/retweeted_by": people("reposters"),
    "GET /2/tweets/{id}": single("tweet", "id", (id) => {
      const includes = newIncludes();
      return { data: officialPost(traits(id), includes), includes };
    }),
    "GET /2/users/by/username/{username}": single("user", "username", (username) => ({
      data: officialUser(person(idOfHandle(username), username)),
    })),
    "GET /2/users/by": ({ query, empty }) =>
      batch(listOf(query, "usernames"), empty, "user", (username) =>
        officialUser(person(idOfHandle(username), username)),
      ),
    "GET /2/users/{id}/tweets": posts(({ parts, query }, index) => {
      const excluded = String(query?.exclude ?? "");
      const kinds = [0, 1, 2, 3, 4].filter(
        (kind) =>
          !(kind === 3 && excluded.includes("replies")) &&
          !(kind === 2 && excluded.includes("retweets")),
      );
      const kind = kinds[index % kinds.length] as number;
      const prefix = vary("microblog", "own", parts.id as string).digits("prefix", 14);
      return traits(idOfKind(`${prefix}${9999 - index}`, kind), {
        author: person(parts.id as string),
      });
    }),
    "GET /2/users/{id}/followers": people("followers", known),
    "GET /2/users/{id}/following": people("following", known),
    "GET /2/users/{id}": single("user", "id", (id) => ({ data: officialUser(person(id)) })),
    "GET /2/users": ({ query, empty }) =>
      batch(listOf(query, "ids"), empty, "user", (id) => officialUser(person(id))),
    "GET /2/communities/{id}": single("community", "id", (id) => {
      const v = vary("microblog", "community", id);
      return {
        data: {
          id,
          name: `Sample Circle ${v.token("name", 4)}`,
          description: "People who make samples",
          created_at: new Date((1_640_000_000 + v.int("time", 0, 60_000_000)) * 1000).toISOString(),
          member_count: v.int("members", 2, 90_000),
          access: v.pick("access", ["Public", "Closed"]),
          join_policy: v.pick("join", ["Open", "RestrictedJoinRequestsRequireModeratorApproval"]),
        },
      };
    }),
    "GET /2/lists/{id}/tweets": posts(({ parts }, index) =>
      traits(idOfPost(`list ${parts.id}`, index)),
    ),
    "GET /2/lists/{id}/members": people("members"),
    "GET /2/lists/{id}/followers": people("subscribers"),
    "GET /2/trends/by/woeid/{woeid}": ({ parts, query, empty }) => {
      const v = vary("microblog", "trends", parts.woeid as string);
      const count = empty ? 0 : Math.min(namedTrends, Number(query?.max_trends ?? 20));
      const data = Array.from({ length: count }, (_, index) => ({
        trend_name: `${index % 2 === 0 ? "#" : ""}Sample${v.token(`name${index}`, 5)}`,
        ...(index % 3 === 2 ? {} : { tweet_count: v.int(`count${index}`, 800, 200_000) }),
      }));
      return { data };
    },
  },
  faults: {
    not_found: { status: 404, body: { title: "Not Found", status: 404, type: "about:blank" } },
    upstream_error: {
      status: 400,
      body: {
        title: "Invalid Request",
        type: "https://api.twitter.com/2/problems/invalid-request",
      },
    },
    upstream_unavailable: { status: 503, body: { title: "Service Unavailable", status: 503 } },
  },
};
