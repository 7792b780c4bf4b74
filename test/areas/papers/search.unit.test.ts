import { expect, test } from "vitest";
import { openWork } from "../../../worker/areas/papers/openalex.map.ts";
import { datacite } from "../../../worker/areas/papers/samples/datacite.ts";
import { openAlex } from "../../../worker/areas/papers/samples/openalex.ts";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import { openAlex as upstream } from "../../../worker/upstreams/openalex/client.ts";
import { ask } from "../answering.ts";
import { play, playToEnd } from "../play.ts";

/** The samples of both sources, and the queries of the requests to them. */
function watched() {
  const queries: Record<string, unknown>[] = [];
  const watch = (answer: unknown) => (request: SampleRequest) => {
    queries.push(request.query ?? {});
    return (answer as (request: SampleRequest) => unknown)(request);
  };
  const samples = [
    { ...openAlex, answers: { "GET /works": watch(openAlex.answers["GET /works"]) } },
    { ...datacite, answers: { "GET /dois": watch(datacite.answers["GET /dois"]) } },
  ];
  return { queries, samples };
}

const doi = "https://doi.org/10.5555/ABC.1";

test("papers surprise 12: an abstract is put together from the places of its words", () => {
  const abstract_inverted_index = { the: [0, 3], cell: [1], of: [2], wall: [4], far: [99_999] };
  expect(openWork({ doi, title: "T", abstract_inverted_index })?.abstract).toBe(
    "the cell of the wall",
  );
  expect(openWork({ doi, title: "T", abstract_inverted_index: null })).not.toHaveProperty(
    "abstract",
  );
});

test("papers surprise 13: kinds and ids have the form of the other sources", async () => {
  const ids = { pmid: "https://pubmed.ncbi.nlm.nih.gov/29456894" };
  expect(openWork({ ids, title: "T", type: "article" })).toMatchObject({
    id: "pmid:29456894",
    type: "journal-article",
  });
  const pmcid = "https://www.ncbi.nlm.nih.gov/pmc/articles/1398957";
  expect(openWork({ ids: { pmcid }, title: "T" })).toMatchObject({ id: "pmcid:PMC1398957" });
  const grants = [{ funder_display_name: "F", award_id: "1" }];
  expect(openWork({ doi, title: "T", type: "preprint", grants })).toMatchObject({
    id: "10.5555/abc.1",
    type: "preprint",
    funders: [{ name: "F", awards: ["1"] }],
  });
  expect(openWork({ id: "https://openalex.org/W1", title: "T" })).toBeUndefined();
  const { queries, samples } = watched();
  const input = { q: "x", source: "openalex", type: "conference-paper", from_date: "2020-01-01" };
  await play("papers.search", { ...input, limit: 3 }, { samples });
  expect(queries).toEqual([
    {
      search: "x",
      filter:
        "type:article,primary_location.source.type:conference,from_publication_date:2020-01-01",
      sort: "relevance_score:desc",
      "per-page": 3,
      cursor: "*",
    },
  ]);
});

test("papers surprise 13: any number of works without an id in a row does not end a search", async () => {
  const { played } = await ask(
    "papers.search",
    { q: "x", source: "openalex", limit: 1 },
    ({ query }) => {
      const page = query?.cursor === "*" ? 1 : Number(query?.cursor);
      const next_cursor = page < 7 ? String(page + 1) : null;
      return {
        body: { meta: { next_cursor }, results: [page < 7 ? { title: "T" } : { doi, title: "T" }] },
      };
    },
  );
  expect(played).toMatchObject({ ok: true, data: [{ id: "10.5555/abc.1" }] });
});

test("papers surprise 14: cursors of OpenAlex begin with a star and end with null", async () => {
  const { queries, samples } = watched();
  const pages = await playToEnd(
    "papers.search",
    { q: "x", source: "openalex", limit: 50 },
    { samples },
  );
  expect(pages.map((rows) => rows.length)).toEqual([50, 50, 30]);
  expect(queries.map((query) => query.cursor)).toEqual(["*", "50", "100"]);
  const answers = { "GET /works": () => ({ meta: { count: 0 }, results: [] }) };
  const unclear = await play(
    "papers.search",
    { q: "x", source: "openalex" },
    { samples: [{ ...openAlex, answers }] },
  );
  expect(unclear).toMatchObject({ ok: false, type: "response_shape_error" });
  const hurried = upstream.judge({ status: 403, headers: {}, body: {} });
  expect(hurried).toMatchObject({ type: "upstream_unavailable", retry: true });
});

test("papers surprise 15: articles of arXiv are searched at DataCite", async () => {
  const { queries, samples } = watched();
  const input = { q: "a:b", source: "arxiv", sort: "newest", limit: 2 };
  const played = await play("papers.search", input, { samples });
  expect(queries).toEqual([
    {
      query: "a\\:b",
      "client-id": "arxiv.content",
      sort: "-published",
      "page[size]": 2,
      "page[number]": 1,
    },
  ]);
  expect(played).toMatchObject({ ok: true, records: 2, data: [{ type: "preprint" }, {}] });
  for (const more of [{ type: "book" }, { from_date: "2020-01-01" }, { to_date: "2020-01-01" }]) {
    const refused = await play("papers.search", { ...input, ...more }, { samples });
    expect(refused, JSON.stringify(more)).toMatchObject({ ok: false, type: "validation_error" });
  }
});

test("view summary leaves out the same members whatever the source", async () => {
  for (const source of ["crossref", "openalex", "arxiv"]) {
    const input = { q: "x", source, view: "summary", limit: 1 };
    const played = await play("papers.search", input);
    expect(played.ok, source).toBe(true);
    const [row] = (played as { data: object[] }).data;
    expect(Object.keys(row ?? {}), source).not.toContain("abstract");
    expect(Object.keys(row ?? {}), source).toContain("title");
  }
});
