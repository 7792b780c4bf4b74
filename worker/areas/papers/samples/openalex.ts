import type { Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 130, long: 640 };

function work(seed: string, index: number) {
  const v = vary("openalex", seed, index);
  const year = v.int("year", 1998, 2025);
  const doi = `https://doi.org/10.5555/Open.${v.digits("doi", 6)}.${index}`;
  const source = {
    id: "https://openalex.org/S99",
    display_name: `Journal of ${v.pick("journal", words)}`,
    issn_l: "1234-5679",
    issn: ["1234-5679", "2345-6785"],
    host_organization_name: "Sample Press",
    type: "journal",
  };
  const location = {
    is_oa: true,
    landing_page_url: doi,
    pdf_url: `https://press.example/${v.digits("pdf", 6)}.pdf`,
    source,
    license: "cc-by",
    version: "publishedVersion",
  };
  return {
    id: `https://openalex.org/W${v.digits("id", 9)}`,
    doi,
    title: `On ${v.pick("title", words)} and ${v.pick("other", words)}`,
    publication_year: year,
    publication_date: `${year}-04-0${v.int("day", 1, 9)}`,
    ids: {
      doi,
      pmid: `https://pubmed.ncbi.nlm.nih.gov/${v.digits("pmid", 8)}`,
      pmcid: `https://www.ncbi.nlm.nih.gov/pmc/articles/${v.digits("pmc", 7)}`,
    },
    language: "en",
    type: "article",
    primary_location: location,
    best_oa_location: location,
    open_access: { is_oa: true, oa_status: "gold", oa_url: location.pdf_url },
    authorships: [
      {
        author_position: "first",
        author: {
          id: "https://openalex.org/A99",
          display_name: "Ada Sample",
          orcid: "https://orcid.org/0000-0002-1825-0097",
        },
        institutions: [{ id: "https://openalex.org/I99", display_name: "Institute of Samples" }],
        raw_author_name: "A. Sample",
      },
    ],
    cited_by_count: v.int("cited", 0, 900),
    referenced_works_count: v.int("references", 1, 90),
    biblio: {
      volume: String(v.int("volume", 1, 80)),
      issue: String(v.int("issue", 1, 12)),
      first_page: String(v.int("first", 1, 99)),
      last_page: String(v.int("last", 100, 199)),
    },
    keywords: [{ id: "https://openalex.org/keywords/samples", display_name: "Samples" }],
    awards: [
      {
        id: "https://openalex.org/G99",
        funder_id: "https://openalex.org/F99",
        funder_display_name: "Sample Science Foundation",
        funder_award_id: `SSF-${v.int("award", 1000, 9999)}`,
      },
    ],
    abstract_inverted_index: {
      We: [0],
      measured: [1],
      [v.pick("abstract", words)]: [2],
      twice: [3],
    },
  };
}

/** Sample answers of OpenAlex, written for this project. Its cursors are the number of the next row here. */
export const openAlex: Samples = {
  upstream: "openalex",
  answers: {
    "GET /works": ({ query, empty, secondPage }) => {
      const total = empty ? 0 : secondPage ? listed.long : listed.usual;
      const offset = query?.cursor === "*" ? 0 : Number(query?.cursor);
      const count = Number(query?.["per-page"]);
      const end = offset + count;
      return {
        meta: {
          count: total,
          page: null,
          per_page: count,
          next_cursor: end < total ? String(end) : null,
        },
        results: slice({ total, offset, count }, (index) => work(String(query?.search), index)),
        group_by: [],
      };
    },
  },
  faults: {
    not_found: { status: 404, body: { error: "Not found" } },
    upstream_error: { status: 400, body: { error: "Invalid query parameters error." } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
