import { arxivIdOf } from "../../../contract/areas/papers/ids.ts";
import type { PapersDataset, WorkFields } from "../../../contract/areas/papers/records.ts";
import { type Wire, at, count, defined, each, id, need, object, text } from "#wire";
import {
  dateOf,
  dateText,
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
  titleOf,
} from "./work.map.ts";

/** The members that works and data sets of DataCite share. */
function base(resource: unknown) {
  const row = need(object(at(resource, "attributes")), "doi.attributes");
  const doi = need(doiOf(row.doi), "doi.attributes.doi");
  const day = objectsOf(row.dates).find((one) => one.dateType === "Issued");
  const issued = dateText(at(day, "date")) ?? dateOf(row.publicationYear);
  return {
    row,
    fields: {
      id: doi,
      doi,
      type: kindOf(at(row.types, "resourceTypeGeneral")),
      title: titleOf(at(titlesOf(row, undefined), 0)),
      subtitle: titleOf(at(titlesOf(row, "Subtitle"), 0)),
      abstract: prose(at(descriptionsOf(row, "Abstract"), 0)),
      authors: each(row.creators, creator),
      ...dates(issued),
      // The publisher is a text, and an object where the request wants its ids.
      publisher: text(row.publisher) ?? text(at(row.publisher, "name")),
      language: languageOf(row.language),
      version: id(row.version),
      subjects: some(each(row.subjects, (subject) => text(at(subject, "subject")))),
      funders: some(each(row.fundingReferences, funding)),
      citation_count: count(row.citationCount),
      reference_count: count(row.referenceCount),
      license_url: objectsOf(row.rightsList)
        .map((one) => text(one.rightsUri))
        // Some repositories name a term of a vocabulary in place of an address.
        .find((uri) => uri !== undefined && /^https?:/.test(uri)),
      url: text(row.url) ?? doiUrl(doi),
    },
  };
}

const titlesOf = (row: Wire, type: string | undefined) =>
  objectsOf(row.titles)
    .filter((title) => text(title.titleType) === type)
    .map((title) => title.title);

const descriptionsOf = (row: Wire, type: string) =>
  objectsOf(row.descriptions)
    .filter((one) => one.descriptionType === type)
    .map((one) => one.description);

/** `Family, Given` is the name of a person; parts are optional. */
function creator(entry: unknown) {
  const [given, family] = [text(at(entry, "givenName")), text(at(entry, "familyName"))];
  const whole = text(at(entry, "name"));
  const orcid = objectsOf(at(entry, "nameIdentifiers"))
    .filter((one) => one.nameIdentifierScheme === "ORCID")
    .map((one) => orcidOf(one.nameIdentifier))
    .find(Boolean);
  const affiliations = some(
    each(at(entry, "affiliation"), (one) => text(one) ?? text(at(one, "name"))),
  );
  const isPerson = family !== undefined;
  return personOf(isPerson ? undefined : whole, given, family, { orcid, affiliations });
}

function funding(entry: unknown) {
  const name = text(at(entry, "funderName"));
  const registered = /10\.13039\/(\d+)$/.exec(text(at(entry, "funderIdentifier")) ?? "")?.[1];
  const award = text(at(entry, "awardNumber"));
  return name === undefined
    ? undefined
    : defined({ name, funder_id: registered, awards: award === undefined ? undefined : [award] });
}

/** A work that DataCite registers: articles of arXiv, theses, reports, software. */
export function registered(resource: unknown): WorkFields {
  const { row, fields } = base(resource);
  const container = object(row.container);
  const issn = text(container?.identifier);
  const pages = [text(container?.firstPage), text(container?.lastPage)].filter(Boolean).join("-");
  return defined({
    ...fields,
    arxiv_id: arxivIdOf(fields.doi),
    journal_title: titleOf(container?.title),
    issns: container?.identifierType === "ISSN" && issn !== undefined ? [issn] : undefined,
    volume: text(container?.volume),
    issue: text(container?.issue),
    pages: text(pages),
    pdf_url: pdfOf(arxivIdOf(fields.doi)),
  });
}

const pdfOf = (arxivId: string | undefined) =>
  arxivId === undefined ? undefined : `https://arxiv.org/pdf/${arxivId}`;

export function dataset(resource: unknown): PapersDataset {
  const { row, fields } = base(resource);
  return defined({
    ...fields,
    formats: someTexts(row.formats),
    sizes: someTexts(row.sizes),
    view_count: count(row.viewCount),
    download_count: count(row.downloadCount),
  });
}
