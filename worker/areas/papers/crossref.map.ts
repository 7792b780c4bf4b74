import type {
  PapersArticle,
  PapersFunder,
  PapersFunderFound,
  PapersJournal,
  PapersReference,
} from "../../../contract/areas/papers/records.ts";
import { type Wire, array, at, count, defined, each, id, integer, need, object, text } from "#wire";
import {
  dateOf,
  dates,
  doiOf,
  doiUrl,
  kindOf,
  languageOf,
  objectsOf,
  orcidOf,
  personOf,
  prose,
  some,
  someTexts,
  textsOf,
  titleOf,
} from "./work.map.ts";

/** A work as its publisher registered it. */
export function article(row: Wire): PapersArticle {
  const doi = need(doiOf(row.DOI), "work.DOI");
  return defined({
    id: doi,
    doi,
    // A preprint is posted content; other posted content keeps that name.
    type: row.subtype === "preprint" ? "preprint" : kindOf(row.type),
    title: titleOf(at(row.title, 0)),
    subtitle: titleOf(at(row.subtitle, 0)),
    abstract: prose(row.abstract),
    authors: each(row.author, author),
    ...dates(dateOfParts(row.issued)),
    journal_title: titleOf(at(row["container-title"], 0)),
    issns: someTexts(row.ISSN),
    publisher: text(row.publisher),
    volume: text(row.volume),
    issue: text(row.issue),
    pages: text(row.page) ?? text(row["article-number"]),
    language: languageOf(row.language),
    subjects: someTexts(row.subject),
    funders: some(each(row.funder, funding)),
    citation_count: count(row["is-referenced-by-count"]),
    reference_count: count(row["references-count"]) ?? count(row["reference-count"]),
    license_url: text(at(licenseOf(row), "URL")),
    pdf_url: objectsOf(row.link)
      .filter((link) => link["content-type"] === "application/pdf")
      .map((link) => text(link.URL))
      .find(Boolean),
    url: text(at(row.resource, "primary", "URL")) ?? doiUrl(doi),
  });
}

/** The licence of the version of record, else the first. */
function licenseOf(row: Wire): Wire | undefined {
  const licenses = objectsOf(row.license);
  return licenses.find((license) => license["content-version"] === "vor") ?? licenses[0];
}

function author(entry: unknown) {
  const affiliations = some(each(at(entry, "affiliation"), (one) => text(at(one, "name"))));
  const orcid = orcidOf(at(entry, "ORCID"));
  return personOf(at(entry, "name"), at(entry, "given"), at(entry, "family"), {
    orcid,
    affiliations,
  });
}

function funding(entry: unknown) {
  const name = text(at(entry, "name"));
  const registered = /^10\.13039\/(\d+)$/.exec(doiOf(at(entry, "DOI")) ?? "")?.[1];
  return name === undefined
    ? undefined
    : defined({ name, funder_id: registered, awards: someTexts(at(entry, "award")) });
}

const dateOfParts = (value: unknown) => {
  const parts = at(value, "date-parts", 0);
  return dateOf(at(parts, 0), at(parts, 1), at(parts, 2));
};

/** The fields that view `summary` keeps. */
export function summaryOf<Work extends PapersArticle>(work: Work): Work {
  const authors = work.authors.map(({ affiliations: _affiliations, ...author }) => author);
  const kept = Object.entries(work).filter(([name]) => !details.has(name));
  return { ...(Object.fromEntries(kept) as Work), authors };
}

const details = new Set(["abstract", "subtitle", "subjects", "funders", "license_url", "pdf_url"]);

export function reference(row: Wire): PapersReference {
  const doi = doiOf(row.DOI);
  return defined({
    id: doi,
    doi,
    key: text(row.key),
    title: titleOf(row["article-title"]) ?? titleOf(row["volume-title"]),
    author: text(row.author),
    publication_year: integer(/^\d{4}/.exec(text(row.year) ?? "")?.[0]),
    journal_title: titleOf(row["journal-title"]) ?? titleOf(row["series-title"]),
    volume: text(row.volume),
    first_page: text(row["first-page"]),
    citation: prose(row.unstructured),
  });
}

/** Whether the publisher registered nothing of a reference but its number in the list. */
export function isBare(entry: unknown): boolean {
  const row = object(entry);
  return row !== undefined && Object.keys(reference(row)).every((name) => name === "key");
}

export function journal(row: Wire): PapersJournal {
  const issns = textsOf(row.ISSN);
  const typed = (type: string) =>
    objectsOf(row["issn-type"])
      .filter((one) => one.type === type)
      .map((one) => text(one.value))
      .find(Boolean);
  return defined({
    title: need(titleOf(row.title), "journal.title"),
    issns,
    print_issn: typed("print"),
    electronic_issn: typed("electronic"),
    publisher: text(row.publisher),
    subjects: each(row.subjects, (subject) => text(subject) ?? text(at(subject, "name"))),
    work_count: count(at(row.counts, "total-dois")),
    recent_work_count: count(at(row.counts, "current-dois")),
    works_by_year: each(at(row.breakdowns, "dois-by-issued-year"), byYear).toSorted(
      (a, b) => a.year - b.year,
    ),
  });
}

function byYear(pair: unknown) {
  const [year, works] = [integer(at(pair, 0)), count(at(pair, 1))];
  return year === undefined || works === undefined ? undefined : { year, count: works };
}

export function funderFound(row: Wire): PapersFunderFound {
  return defined({
    funder_id: need(id(row.id), "funder.id"),
    name: need(text(row.name), "funder.name"),
    alternative_names: textsOf(row["alt-names"]),
    country: text(row.location),
    replaces: textsOf(row.replaces),
    replaced_by: textsOf(row["replaced-by"]),
    url: text(row.uri),
  });
}

export function funder(row: Wire): PapersFunder {
  return defined({
    ...funderFound(row),
    work_count: count(row["work-count"]),
    descendant_work_count: count(row["descendant-work-count"]),
    descendants: each(array(row.descendants), id),
  });
}
