import type { PapersCitation } from "../../../contract/areas/papers/records.ts";
import {
  type Wire,
  at,
  boolean,
  count,
  defined,
  each,
  id,
  integer,
  need,
  object,
  text,
} from "#wire";
import {
  arxivDoiOf,
  dateOf,
  dateText,
  doiOf,
  kindOf,
  prose,
  some,
  someTexts,
  textsOf,
  titleOf,
} from "./work.map.ts";

/** The members of a citation that the request names. */
export const citationFields = [
  "isInfluential",
  "intents",
  "contexts",
  "externalIds",
  "url",
  "title",
  "abstract",
  "venue",
  "year",
  "publicationDate",
  "publicationTypes",
  "journal",
  "authors",
  "citationCount",
  "referenceCount",
  "isOpenAccess",
  "openAccessPdf",
].join(",");

/** A work that cites another, with the places of the citation. */
export function citation(row: Wire): PapersCitation {
  const paper = need(object(row.citingPaper), "citingPaper");
  const ids = paper.externalIds;
  const arxivId = text(at(ids, "ArXiv"));
  const doi = doiOf(at(ids, "DOI")) ?? arxivDoiOf(arxivId);
  const [pmid, pmc] = [id(at(ids, "PubMed")), id(at(ids, "PubMedCentral"))];
  const pmcid = pmc === undefined ? undefined : `PMC${pmc.replace(/^PMC/i, "")}`;
  const known = doi ?? (pmid === undefined ? undefined : `pmid:${pmid}`);
  return defined({
    id: known ?? (pmcid === undefined ? undefined : `pmcid:${pmcid}`),
    doi,
    arxiv_id: arxivId,
    pmid,
    pmcid,
    type: kindOf(at(paper.publicationTypes, 0)),
    title: need(titleOf(paper.title), "citingPaper.title"),
    abstract: prose(paper.abstract),
    authors: each(paper.authors, (author) => {
      const name = text(at(author, "name"));
      return name === undefined ? undefined : { name };
    }),
    publication_date: dateText(paper.publicationDate) ?? dateOf(paper.year),
    publication_year: integer(paper.year),
    journal_title: titleOf(at(paper.journal, "name")) ?? titleOf(paper.venue),
    citation_count: count(paper.citationCount),
    reference_count: count(paper.referenceCount),
    is_open_access: boolean(paper.isOpenAccess),
    pdf_url: text(at(paper.openAccessPdf, "url")),
    url: text(paper.url),
    is_influential: boolean(row.isInfluential),
    intents: some(textsOf(row.intents)),
    contexts: someTexts(row.contexts),
  });
}
