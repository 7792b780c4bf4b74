import type { questions } from "../../../contract/areas/questions/index.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { monotonicNow } from "../../../runtime/monotonic.ts";
import type { Call, Connector } from "../../connector.ts";
import { listed, listedById, type Page } from "../../mapping/list.ts";
import { toRetryAfter } from "../../transport/retry.ts";
import type { UpstreamRequest } from "../../transport/upstream.ts";
import { stackExchange } from "../../upstreams/stack-exchange/client.ts";
import { type Wire, array, at, boolean, count, found, need, object, rows } from "#wire";
import { answer, question, tag, user } from "./posts.map.ts";

export default {
  "questions.search": async (input, call) => {
    const { query, tags = [], has_accepted_answer: accepted, sort, site } = input;
    // Without words there is no fit to order by.
    const by = query === undefined && sort === "relevance" ? "votes" : sort;
    const tagged = tags.length === 0 ? undefined : tags.join(";");
    const asked = { tagged, site, ...withBody, ...down(by) };
    if (query === undefined && accepted === undefined) {
      return listedById(call, input, (position) =>
        pageAt(call, "/questions", position, asked, question),
      );
    }
    return listedById(call, input, async (position) => {
      const conditions = { ...asked, q: query, accepted };
      const page = await pageAt(call, "/search/advanced", position, conditions, question);
      // A single tag may be another name of the one that the question has.
      if (tags.length < 2) return page;
      // The search takes several tags as alternatives.
      const rows = page.rows.filter((row) => tags.every((name) => row.tags.includes(name)));
      return { ...page, rows, advances: page.next !== null };
    });
  },
  "questions.get": async ({ id, site }, call) => {
    const about = { site, ...withBody };
    const body = await get(call, `/questions/${id}`, about);
    const row = found(object(at(body, "items", 0)), "question");
    const best = { ...about, ...down("votes"), pagesize: 30 };
    const answers = rows(
      at(await get(call, `/questions/${id}/answers`, best), "items"),
      "items",
      answer,
    );
    return { data: { ...question(row), answers } };
  },
  "questions.answers": async ({ id, sort, site, limit }, call) =>
    listedById(call, { limit }, (position) =>
      pageAt(
        call,
        `/questions/${id}/answers`,
        position,
        { site, ...down(sort), ...withBody },
        answer,
      ),
    ),
  "questions.tags": async ({ query, sort, site, limit }, call) =>
    listed(call, {
      limit,
      fetch: (position) =>
        pageAt(call, "/tags", position, { inname: query, site, ...down(sort) }, tag),
      key: (row) => row.name,
    }),
  "questions.users.search": async ({ query, sort, site, limit }, call) =>
    listedById(call, { limit }, (position) =>
      pageAt(call, "/users", position, { inname: query, site, ...down(sort) }, user),
    ),
  "questions.users.get": async ({ id, site }, call) => {
    const body = await get(call, `/users/${id}`, { site });
    return { data: user(found(object(at(body, "items", 0)), "user")) };
  },
} satisfies Connector<typeof questions>;

type Query = NonNullable<UpstreamRequest["query"]>;

/** The source's own filter with the text of posts. */
const withBody = { filter: "withbody" } as const;
const down = (sort: string) => ({ sort, order: "desc" });

/** Rows of one request, the most there are. */
const pageSize = 100;
/** Later pages are for callers with a token of a user. */
const lastPage = 25;

async function pageAt<Row>(
  call: Call,
  path: string,
  position: unknown,
  query: Query,
  read: (row: Wire) => Row,
): Promise<Page<Row>> {
  const page = count(position) ?? 1;
  const body = await get(call, path, { ...query, pagesize: pageSize, page });
  const more = need(boolean(at(body, "has_more")), "has_more");
  const list = need(array(at(body, "items")), "items");
  const next = more && page < lastPage ? page + 1 : null;
  return { rows: rows(list, "items", read), next };
}

/** Methods that the source told this process to leave alone, until when. */
const pauses = new Map<string, number>();

/** One GET. An answer may name the seconds (`backoff`) that its method must rest afterwards. */
async function get(call: Call, path: string, query: Query): Promise<unknown> {
  const method = path.replace(/\d+/g, "*");
  const restMs = (pauses.get(method) ?? 0) - monotonicNow();
  if (restMs > 0 && call.mode === "live") {
    throw new GatewayError("upstream_unavailable", "The upstream is busy", {
      retryAfter: toRetryAfter(restMs),
    });
  }
  const { body } = await call.send(stackExchange, { method: "GET", path, query });
  const backoff = count(at(body, "backoff"));
  if (backoff !== undefined && call.mode === "live") {
    pauses.set(method, monotonicNow() + backoff * 1000);
  }
  return body;
}
