import type { Sample, SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 140, long: 700 };
const envelope = (type: string, message: unknown) => ({
  status: "ok",
  "message-type": type,
  "message-version": "1.0.0",
  message,
});

const kinds = [
  { type: "journal-article" },
  { type: "proceedings-article" },
  { type: "posted-content", subtype: "preprint" },
  { type: "book-chapter" },
];

/** A work by its DOI; every kind of value occurs in some work. */
function work(doi: string, referenceCount?: number) {
  const v = vary("crossref", doi);
  const year = v.int("year", 1998, 2025);
  const day = [year, v.int("month", 1, 12), v.int("day", 1, 28)];
  const references = referenceCount ?? v.int("references", 3, 9);
  return {
    DOI: doi.toUpperCase(),
    ...v.pick("kind", kinds),
    title: [`On the <i>${v.pick("one", words)}</i> &amp; the ${v.pick("two", words)}`],
    subtitle: [`A study of ${v.pick("three", words)}`],
    abstract: `<jats:title>Abstract</jats:title><jats:p>We measured ${v.pick("four", words)}.</jats:p><jats:p>It grew.</jats:p>`,
    author: [
      {
        given: "Ada",
        family: `Sample${v.int("family", 1, 99)}`,
        sequence: "first",
        ORCID: "https://orcid.org/0000-0002-1825-0097",
        "authenticated-orcid": false,
        affiliation: [{ name: "Institute of Samples" }],
      },
      { name: "The Sample Collaboration", sequence: "additional", affiliation: [] },
    ],
    issued: { "date-parts": [v.int("exact", 0, 2) === 0 ? [year] : day] },
    created: { "date-parts": [day], "date-time": `${year}-06-01T08:00:00Z` },
    "container-title": [`Journal of ${v.pick("journal", words)}`],
    ISSN: ["1234-5679", "2345-6785"],
    publisher: "Sample Press",
    volume: String(v.int("volume", 1, 80)),
    issue: String(v.int("issue", 1, 12)),
    page: `${v.int("page", 1, 300)}-${v.int("page", 301, 320)}`,
    language: "en",
    subject: ["General Physics"],
    funder: [
      {
        name: "Sample Science Foundation",
        DOI: "10.13039/501100009999",
        "doi-asserted-by": "publisher",
        award: [`SSF-${v.int("award", 1000, 9999)}`],
      },
    ],
    "is-referenced-by-count": v.int("cited", 0, 900),
    "references-count": references,
    "reference-count": references,
    reference: Array.from({ length: references }, (_, index) => reference(doi, index)),
    license: [
      {
        URL: "https://creativecommons.org/licenses/by/4.0/",
        "content-version": "vor",
        "delay-in-days": 0,
        start: { "date-parts": [day] },
      },
    ],
    link: [
      {
        URL: `https://press.example/pdf/${v.digits("pdf", 6)}.pdf`,
        "content-type": "application/pdf",
        "content-version": "vor",
        "intended-application": "text-mining",
      },
    ],
    resource: { primary: { URL: `https://press.example/works/${v.digits("page", 6)}` } },
    URL: `https://doi.org/${doi}`,
    member: "9999",
    score: 1,
  };
}

function reference(doi: string, index: number) {
  const v = vary("crossref", "reference", doi, index);
  const key = `ref${index + 1}`;
  if (index % 3 === 2) {
    return { key, unstructured: `Sample, B. <i>A book of ${v.pick("book", words)}</i> (${key})` };
  }
  return {
    key,
    DOI: `10.5555/ref.${v.digits("doi", 7)}`,
    "doi-asserted-by": "publisher",
    "article-title": `Earlier work on ${v.pick("subject", words)}`,
    author: "Sample",
    year: `${v.int("year", 1950, 2020)}a`,
    "journal-title": "Journal of Samples",
    volume: String(v.int("volume", 1, 90)),
    "first-page": String(v.int("first", 1, 900)),
  };
}

function journal(issn: string) {
  const v = vary("crossref", "journal", issn);
  return {
    title: `Journal of ${v.pick("title", words)} physics ${issn}`,
    ISSN: [issn, "2345-6785"],
    "issn-type": [
      { type: "print", value: issn },
      { type: "electronic", value: "2345-6785" },
    ],
    publisher: "Sample Press",
    subjects: [{ name: "General Physics", ASJC: 3100 }],
    counts: {
      "current-dois": v.int("current", 10, 400),
      "backfile-dois": v.int("old", 400, 9000),
      "total-dois": v.int("all", 9000, 12_000),
    },
    breakdowns: {
      "dois-by-issued-year": [2025, 2023, 2024].map((year) => [year, v.int(`${year}`, 9, 99)]),
    },
    "last-status-check-time": 1_780_000_000_000,
  };
}

function funder(id: string) {
  const v = vary("crossref", "funder", id);
  return {
    id,
    name: `${v.pick("name", words)} science foundation ${id}`,
    "alt-names": ["SSF"],
    location: "Germany",
    uri: `https://doi.org/10.13039/${id}`,
    replaces: v.int("replaces", 0, 2) === 0 ? [] : ["501100009998", "501100009995"],
    "replaced-by": ["501100009997"],
    tokens: ["sample", "science", "foundation"],
  };
}

const page = (request: SampleRequest, make: (index: number) => unknown) => {
  const { rows, offset } = request.query ?? {};
  const total = request.empty ? 0 : request.secondPage ? listed.long : listed.usual;
  return {
    "total-results": total,
    "items-per-page": Number(rows),
    query: { "start-index": Number(offset), "search-terms": request.query?.query ?? null },
    items: slice({ total, offset: Number(offset), count: Number(rows) }, make),
  };
};

const works =
  (of: (request: SampleRequest) => string): Sample =>
  (request) =>
    envelope("work-list", {
      facets: {},
      ...page(request, (index) => work(`10.5555/${of(request)}.${index + 1}`)),
    });

const textOf = (value: unknown) => vary("crossref", "query", String(value)).digits("hash", 6);

/** Sample answers of Crossref, written for this project. */
export const crossref: Samples = {
  upstream: "crossref",
  answers: {
    "GET /works": works(({ query }) => textOf(query?.query)),
    "GET /works/{doi}": ({ parts, empty, secondPage }) => {
      const whole = work(parts.doi as string, secondPage ? listed.long : undefined);
      const { reference: _none, ...bare } = whole;
      return envelope(
        "work",
        empty ? { ...bare, "reference-count": 0, "references-count": 0 } : whole,
      );
    },
    "GET /journals": (request) =>
      envelope(
        "journal-list",
        page(request, (index) => journal(`${1000 + index}-5679`)),
      ),
    "GET /journals/{issn}": ({ parts }) => envelope("journal", journal(parts.issn as string)),
    "GET /journals/{issn}/works": works(({ parts }) => `journal.${parts.issn}`),
    "GET /funders": (request) =>
      envelope(
        "funder-list",
        page(request, (index) => funder(String(501_100_000_000 + index))),
      ),
    "GET /funders/{id}": ({ parts }) => {
      const v = vary("crossref", "figures", parts.id as string);
      return envelope("funder", {
        ...funder(parts.id as string),
        "work-count": v.int("works", 10, 9000),
        "descendant-work-count": v.int("all", 9000, 20_000),
        descendants: ["501100009996"],
        hierarchy: {},
        "hierarchy-names": {},
      });
    },
    "GET /funders/{id}/works": works(({ parts }) => `funder.${parts.id}`),
  },
  faults: {
    not_found: { status: 404, body: undefined },
    upstream_error: {
      status: 400,
      body: { status: "failed", "message-type": "validation-failure" },
    },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
