import { invalid } from "../../../contract/errors.ts";
import type { WorkFields } from "../../../contract/areas/papers/records.ts";
import type { Answer, Call } from "../../connector.ts";
import { listed } from "../../mapping/list.ts";
import { literalWords } from "../../mapping/literal-words.ts";
import { sliced } from "../../mapping/sliced.ts";
import { datacite } from "../../upstreams/datacite/client.ts";
import { openAlex } from "../../upstreams/openalex/client.ts";
import { ShapeError, type Wire, at, count, need, rows, text } from "#wire";
import { type WorksInput, worksOf } from "./crossref.ts";
import { summaryOf } from "./crossref.map.ts";
import { registered } from "./datacite.map.ts";
import { openWork } from "./openalex.map.ts";

interface SearchInput extends WorksInput {
  q: string;
  source: "crossref" | "openalex" | "arxiv";
}

/** Works of the source that the caller names. */
export function foundWorks(call: Call, input: SearchInput): Promise<Answer<WorkFields[]>> {
  if (input.source === "openalex") return openWorks(call, input);
  return input.source === "arxiv" ? arxivWorks(call, input) : worksOf(call, "/works", input);
}

/** A work in the view that the caller wants. */
const inView = (input: SearchInput, work: WorkFields) =>
  input.view === "summary" ? summaryOf(work) : work;

/** The source's filter of a kind. Papers of conferences are articles whose source is a conference. */
const openTypes: Readonly<Record<string, string>> = {
  "journal-article": "type:article,primary_location.source.type:journal",
  "conference-paper": "type:article,primary_location.source.type:conference",
};

const openOrders = {
  relevance: "relevance_score:desc",
  newest: "publication_date:desc",
  oldest: "publication_date:asc",
  most_cited: "cited_by_count:desc",
};

/** The source has cursors of its own; `*` begins. Their pages keep their size. */
function openWorks(call: Call, input: SearchInput): Promise<Answer<WorkFields[]>> {
  const filter = [
    input.type === undefined ? undefined : (openTypes[input.type] ?? `type:${input.type}`),
    input.from_date === undefined ? undefined : `from_publication_date:${input.from_date}`,
    input.to_date === undefined ? undefined : `to_publication_date:${input.to_date}`,
  ].filter((part) => part !== undefined);
  return listed(call, {
    limit: input.limit,
    start: { cursor: "*", size: input.limit },
    key: (work) => work.id,
    async fetch(position) {
      const size = need(count(at(position, "size")), "size");
      const query = {
        search: input.q,
        filter: filter.length === 0 ? undefined : filter.join(","),
        sort: openOrders[input.sort],
        "per-page": size,
        cursor: need(text(at(position, "cursor")), "cursor"),
      };
      const { body } = await call.send(openAlex, { method: "GET", path: "/works", query });
      const next = at(body, "meta", "next_cursor");
      // The last page has null; a page without the member is another shape.
      if (next === undefined) throw new ShapeError("meta.next_cursor");
      const read = (row: Wire) => {
        const work = openWork(row);
        return work === undefined ? undefined : inView(input, work);
      };
      const list = at(body, "results");
      return {
        rows: rows(list, "results", read),
        next: next === null ? null : { cursor: need(text(next), "meta.next_cursor"), size },
        // Works without an id may fill pages; a page without any work is the end.
        advances: at(list, 0) !== undefined,
      };
    },
  });
}

/** DataCite shows no row beyond this number. */
const last = 10_000;
const arxivOrders = {
  relevance: "relevance",
  newest: "-published",
  oldest: "published",
  most_cited: "-citation-count",
};

/** arXiv registers every article at DataCite, whose index has their titles, authors and abstracts. */
function arxivWorks(call: Call, input: SearchInput): Promise<Answer<WorkFields[]>> {
  const refused = (["from_date", "to_date"] as const).find((name) => input[name] !== undefined);
  if (refused !== undefined) {
    const message = `${refused}: cannot be combined with the source arxiv`;
    throw invalid("query", refused, "invalid_value", message);
  }
  if (input.type !== undefined && input.type !== "preprint") {
    throw invalid("query", "type", "invalid_value", "type: the source arxiv has preprints only");
  }
  return sliced(call, {
    limit: input.limit,
    size: { most: 100, numbered: true },
    last,
    key: (work) => work.id,
    async fetch(offset, size) {
      const query = {
        query: literalWords(input.q),
        "client-id": "arxiv.content",
        sort: arxivOrders[input.sort],
        "page[size]": size,
        "page[number]": offset / size + 1,
      };
      const { body } = await call.send(datacite, { method: "GET", path: "/dois", query });
      return {
        rows: rows(at(body, "data"), "data", (row) => inView(input, registered(row))),
        total: need(count(at(body, "meta", "total")), "meta.total"),
      };
    },
  });
}
