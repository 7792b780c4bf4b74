import * as z from "zod";
import { day, page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import { view } from "../../search.ts";
import { doi, funderId, issn, orcid, rorId, workId } from "./ids.ts";
import {
  papersArticle,
  papersAuthor,
  papersAuthorFound,
  papersAuthorWork,
  papersCitation,
  papersDataset,
  papersFunder,
  papersFunderFound,
  papersInstitution,
  papersJournal,
  papersOpenAccess,
  papersReference,
  papersWork,
} from "./records.ts";
import {
  crossref,
  datacite,
  europePmc,
  openAlex,
  orcid as orcidRegistry,
  ror,
  semanticScholar,
  unpaywall,
} from "./sources.ts";

const paging = page({ most: 100, default: 20 });
const q = text(1, 500, "Words to look for");

const types = [
  "journal-article",
  "conference-paper",
  "preprint",
  "book",
  "book-chapter",
  "dissertation",
  "dataset",
  "report",
  "peer-review",
] as const;

/** Filters, order and view of every list of works. */
const works = {
  type: z.enum(types).optional().describe("Kind of work"),
  from_date: day("Published on this day or later", "1000-01-01").optional(),
  to_date: day("Published on this day or earlier", "1000-01-01").optional(),
  sort: z
    .enum(["relevance", "newest", "oldest", "most_cited"])
    .default("relevance")
    .describe("Order of the works"),
  view: view.describe(
    "`summary` leaves out abstracts, affiliations, subjects, funders, licences and files",
  ),
  ...paging,
};

const workOperations = [
  operation({
    id: "papers.search",
    method: "GET",
    path: "/papers/search",
    summary: "Scholarly works by words, kind and date",
    description:
      "`source` `openalex` needs the operator's free key, and leaves out works that have neither a DOI nor a PMID or PMCID. `arxiv` searches the articles of arXiv as DataCite registers them: preprints only, without `from_date` and `to_date`.",
    input: z.strictObject({
      q,
      source: z
        .enum(["crossref", "openalex", "arxiv"])
        .default("crossref")
        .describe("Where to search: publishers' records, OpenAlex, or arXiv"),
      ...works,
    }),
    data: z.array(papersWork),
    paginated: true,
    sources: [crossref, openAlex, datacite],
    records: perPage,
    example: { q: "graph neural networks", limit: 5 },
  }),
  operation({
    id: "papers.works.get",
    method: "GET",
    path: "/papers/work",
    summary: "One scholarly work by its DOI, arXiv id, PMID or PMCID",
    description:
      "A DOI is looked up at the agency that registers it: Crossref, else DataCite. A PMID or PMCID is looked up at Europe PMC.",
    input: z.strictObject({ id: workId }),
    data: papersWork,
    sources: [crossref, datacite, europePmc],
    records: { kind: "one" },
    example: { id: "10.5555/sample.2024.17" },
  }),
  operation({
    id: "papers.works.references",
    method: "GET",
    path: "/papers/references",
    summary: "Works that a work cites, as its publisher registered them",
    input: z.strictObject({ id: doi, ...page({ most: 500, default: 50 }) }),
    data: z.array(papersReference),
    paginated: true,
    sources: [crossref],
    records: perPage,
    example: { id: "10.5555/sample.2024.17", limit: 5 },
  }),
  operation({
    id: "papers.works.citations",
    method: "GET",
    path: "/papers/citations",
    summary: "Works that cite a work, with the sentences of the citation",
    description: "The source shows at most the first 10,000 citations of a work.",
    input: z.strictObject({ id: workId, ...page({ most: 500, default: 50 }) }),
    data: z.array(papersCitation),
    paginated: true,
    sources: [semanticScholar],
    records: perPage,
    example: { id: "10.5555/sample.2024.17", limit: 5 },
  }),
  operation({
    id: "papers.open_access.get",
    method: "GET",
    path: "/papers/open-access",
    summary: "Free legal copies of a work",
    input: z.strictObject({ doi }),
    data: papersOpenAccess,
    sources: [unpaywall],
    records: { kind: "one" },
    example: { doi: "10.5555/sample.2024.17" },
  }),
];

const peopleOperations = [
  operation({
    id: "papers.authors.search",
    method: "GET",
    path: "/papers/authors/search",
    summary: "Researchers by name, institution or other words of their public record",
    description: "The source shows at most the first 10,000 researchers of a search.",
    input: z.strictObject({ q, ...paging }),
    data: z.array(papersAuthorFound),
    paginated: true,
    sources: [orcidRegistry],
    records: perPage,
    example: { q: "Lovelace", limit: 5 },
  }),
  operation({
    id: "papers.authors.get",
    method: "GET",
    path: "/papers/authors/{orcid}",
    summary: "The public record of one researcher",
    input: z.strictObject({ orcid }),
    data: papersAuthor,
    sources: [orcidRegistry],
    records: { kind: "one" },
    example: { orcid: "0000-0002-1825-0097" },
  }),
  operation({
    id: "papers.authors.works",
    method: "GET",
    path: "/papers/authors/{orcid}/works",
    summary: "Works on the public record of a researcher, in the order of the record",
    input: z.strictObject({ orcid, ...page({ most: 500, default: 50 }) }),
    data: z.array(papersAuthorWork),
    paginated: true,
    sources: [orcidRegistry],
    records: perPage,
    example: { orcid: "0000-0002-1825-0097", limit: 5 },
  }),
  operation({
    id: "papers.institutions.search",
    method: "GET",
    path: "/papers/institutions/search",
    summary: "Universities, companies and other research organisations by name",
    description: "The source shows at most the first 10,000 organisations of a search.",
    input: z.strictObject({ q, ...paging }),
    data: z.array(papersInstitution),
    paginated: true,
    sources: [ror],
    records: perPage,
    example: { q: "institute of physics", limit: 5 },
  }),
  operation({
    id: "papers.institutions.get",
    method: "GET",
    path: "/papers/institutions/{ror_id}",
    summary: "One research organisation",
    input: z.strictObject({ ror_id: rorId }),
    data: papersInstitution,
    sources: [ror],
    records: { kind: "one" },
    example: { ror_id: "05dxps055" },
  }),
];

const listedAt = "The source shows at most the first 10,000 of a search.";

const sourceOperations = [
  operation({
    id: "papers.journals.search",
    method: "GET",
    path: "/papers/journals/search",
    summary: "Journals by words of their title",
    description: listedAt,
    input: z.strictObject({ q, ...paging }),
    data: z.array(papersJournal),
    paginated: true,
    sources: [crossref],
    records: perPage,
    example: { q: "physics", limit: 5 },
  }),
  operation({
    id: "papers.journals.get",
    method: "GET",
    path: "/papers/journals/{issn}",
    summary: "One journal",
    input: z.strictObject({ issn }),
    data: papersJournal,
    sources: [crossref],
    records: { kind: "one" },
    example: { issn: "1234-5679" },
  }),
  operation({
    id: "papers.journals.works",
    method: "GET",
    path: "/papers/journals/{issn}/works",
    summary: "Works of a journal",
    input: z.strictObject({ issn, q: q.optional(), ...works }),
    data: z.array(papersArticle),
    paginated: true,
    sources: [crossref],
    records: perPage,
    example: { issn: "1234-5679", sort: "newest", limit: 5 },
  }),
  operation({
    id: "papers.funders.search",
    method: "GET",
    path: "/papers/funders/search",
    summary: "Funders of research by words of their name",
    description: listedAt,
    input: z.strictObject({ q, ...paging }),
    data: z.array(papersFunderFound),
    paginated: true,
    sources: [crossref],
    records: perPage,
    example: { q: "science foundation", limit: 5 },
  }),
  operation({
    id: "papers.funders.get",
    method: "GET",
    path: "/papers/funders/{funder_id}",
    summary: "One funder of research",
    input: z.strictObject({ funder_id: funderId }),
    data: papersFunder,
    sources: [crossref],
    records: { kind: "one" },
    example: { funder_id: "501100009999" },
  }),
  operation({
    id: "papers.funders.works",
    method: "GET",
    path: "/papers/funders/{funder_id}/works",
    summary: "Works that name a funder",
    input: z.strictObject({ funder_id: funderId, q: q.optional(), ...works }),
    data: z.array(papersArticle),
    paginated: true,
    sources: [crossref],
    records: perPage,
    example: { funder_id: "501100009999", sort: "newest", limit: 5 },
  }),
];

const datasetOperations = [
  operation({
    id: "papers.datasets.search",
    method: "GET",
    path: "/papers/datasets/search",
    summary: "Research data sets by words",
    input: z.strictObject({ q, ...paging }),
    data: z.array(papersDataset),
    paginated: true,
    sources: [datacite],
    records: perPage,
    example: { q: "ocean temperature", limit: 5 },
  }),
  operation({
    id: "papers.datasets.get",
    method: "GET",
    path: "/papers/dataset",
    summary: "One research data set",
    input: z.strictObject({ id: doi }),
    data: papersDataset,
    sources: [datacite],
    records: { kind: "one" },
    example: { id: "10.5555/data.2024.17" },
  }),
];

export const papers = area({
  name: "papers",
  summary: "Scholarly works, their citations, authors, institutions, journals, funders and data",
  pool: "social",
  operations: [...workOperations, ...peopleOperations, ...sourceOperations, ...datasetOperations],
});
