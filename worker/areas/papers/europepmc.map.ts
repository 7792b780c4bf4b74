import type { WorkFields } from "../../../contract/areas/papers/records.ts";
import { type Wire, at, boolean, count, defined, each, need, text } from "#wire";
import {
  dateText,
  dates,
  doiOf,
  doiUrl,
  languageOf,
  objectsOf,
  orcidOf,
  personOf,
  prose,
  some,
  someTexts,
  titleOf,
} from "./work.map.ts";

/** A work of the life sciences. */
export function lifeScienceWork(row: Wire): WorkFields {
  const doi = doiOf(row.doi);
  const [pmid, pmcid] = [text(row.pmid), text(row.pmcid)];
  const journal = at(row.journalInfo, "journal");
  const known = doi ?? (pmid === undefined ? undefined : `pmid:${pmid}`);
  return defined({
    id: need(known ?? (pmcid === undefined ? undefined : `pmcid:${pmcid}`), "result.id"),
    doi,
    pmid,
    pmcid,
    type: kind(row),
    title: titleOf(row.title),
    abstract: prose(row.abstractText),
    authors: each(at(row.authorList, "author"), author),
    ...dates(dateText(row.firstPublicationDate) ?? dateText(row.pubYear)),
    journal_title: titleOf(at(journal, "title")),
    issns: some(issnsOf(journal)),
    publisher: text(at(row.bookOrReportDetails, "publisher")),
    volume: text(at(row.journalInfo, "volume")),
    issue: text(at(row.journalInfo, "issue")),
    pages: text(row.pageInfo),
    language: languageOf(row.language),
    subjects: someTexts(at(row.keywordList, "keyword")),
    funders: some(each(at(row.grantsList, "grant"), grant)),
    citation_count: count(row.citedByCount),
    is_open_access: yes(row.isOpenAccess),
    pdf_url: fullText(row, "pdf"),
    url: doi === undefined ? fullText(row, "html") : doiUrl(doi),
  });
}

/** Those of the print and of the electronic edition, which are often the same one. */
const issnsOf = (journal: unknown): string[] => [
  ...new Set(each([at(journal, "issn"), at(journal, "essn")], text)),
];

const fullText = (row: Wire, style: string): string | undefined =>
  objectsOf(at(row.fullTextUrlList, "fullTextUrl"))
    .filter((one) => one.documentStyle === style)
    .map((one) => text(one.url))
    .find(Boolean);

/** The source writes yes and no as Y and N. */
const yes = (value: unknown) => (value === "Y" ? true : value === "N" ? false : boolean(value));

function kind(row: Wire): string | undefined {
  if (row.source === "PPR") return "preprint";
  const kinds = each(at(row.pubTypeList, "pubType"), text).map((one) => one.toLowerCase());
  const names: readonly (readonly [RegExp, string])[] = [
    [/^preprint$/, "preprint"],
    [/^(research-article|review-article|journal article|review)$/, "journal-article"],
    [/^book/, "book"],
  ];
  return names.find(([rule]) => kinds.some((one) => rule.test(one)))?.[1];
}

function author(entry: unknown) {
  const affiliations = some(
    each(at(entry, "authorAffiliationDetailsList", "authorAffiliation"), (one) =>
      text(at(one, "affiliation")),
    ),
  );
  const isOrcid = at(entry, "authorId", "type") === "ORCID";
  const given = at(entry, "firstName");
  const family = at(entry, "lastName");
  const hasParts = text(given) !== undefined && text(family) !== undefined;
  const whole = text(at(entry, "collectiveName")) ?? (hasParts ? undefined : at(entry, "fullName"));
  return personOf(whole, given, family, {
    orcid: isOrcid ? orcidOf(at(entry, "authorId", "value")) : undefined,
    affiliations,
  });
}

function grant(entry: unknown) {
  const name = text(at(entry, "agency"));
  const award = text(at(entry, "grantId"));
  return name === undefined
    ? undefined
    : defined({ name, awards: award === undefined ? undefined : [award] });
}
