import type { WorkFields } from "../../../contract/areas/papers/records.ts";
import { type Wire, array, at, boolean, count, defined, each, object, text } from "#wire";
import {
  dateText,
  dates,
  doiOf,
  doiUrl,
  kindOf,
  languageOf,
  orcidOf,
  personOf,
  some,
  someTexts,
  titleOf,
} from "./work.map.ts";

/** A work of OpenAlex; undefined where it has none of the ids that other operations take. */
export function openWork(row: Wire): WorkFields | undefined {
  const doi = doiOf(row.doi) ?? doiOf(at(row.ids, "doi"));
  // Ids are addresses: https://pubmed.ncbi.nlm.nih.gov/29456894
  const pmid = /(\d+)\/?$/.exec(text(at(row.ids, "pmid")) ?? "")?.[1];
  const pmc = /(?:PMC)?(\d+)\/?$/i.exec(text(at(row.ids, "pmcid")) ?? "")?.[1];
  const pmcid = pmc === undefined ? undefined : `PMC${pmc}`;
  const known = doi ?? (pmid === undefined ? undefined : `pmid:${pmid}`);
  const id = known ?? (pmcid === undefined ? undefined : `pmcid:${pmcid}`);
  if (id === undefined) return undefined;
  const source = object(at(row.primary_location, "source"));
  const biblio = row.biblio;
  const [from, to] = [text(at(biblio, "first_page")), text(at(biblio, "last_page"))];
  return defined({
    id,
    doi,
    pmid,
    pmcid,
    type: kind(row),
    title: titleOf(row.title) ?? titleOf(row.display_name),
    abstract: abstractOf(row.abstract_inverted_index),
    authors: each(row.authorships, author),
    ...dates(dateText(row.publication_date)),
    journal_title: titleOf(source?.display_name),
    issns: someTexts(source?.issn),
    publisher: text(source?.host_organization_name),
    volume: text(at(biblio, "volume")),
    issue: text(at(biblio, "issue")),
    pages: from === undefined || to === undefined || from === to ? from : `${from}-${to}`,
    language: languageOf(row.language),
    subjects: some(each(row.keywords, (one) => text(at(one, "display_name")))),
    // `awards` took the place of `grants` in 2025.
    funders: some(each(row.awards ?? row.grants, grant)),
    citation_count: count(row.cited_by_count),
    reference_count: count(row.referenced_works_count),
    is_open_access: boolean(at(row.open_access, "is_oa")),
    pdf_url: text(at(row.best_oa_location, "pdf_url")) ?? text(at(row.primary_location, "pdf_url")),
    url:
      text(at(row.primary_location, "landing_page_url")) ??
      (doi === undefined ? undefined : doiUrl(doi)),
  });
}

/** The source calls articles of journals and papers of conferences alike `article`. */
function kind(row: Wire): string | undefined {
  const type = kindOf(row.type_crossref) ?? kindOf(row.type);
  return type === "article" ? "journal-article" : type === "posted-content" ? "preprint" : type;
}

function author(entry: unknown) {
  const affiliations = some(
    each(at(entry, "institutions"), (one) => text(at(one, "display_name"))),
  );
  const orcid = orcidOf(at(entry, "author", "orcid"));
  const name = text(at(entry, "author", "display_name")) ?? at(entry, "raw_author_name");
  return personOf(name, undefined, undefined, { orcid, affiliations });
}

function grant(entry: unknown) {
  const name = text(at(entry, "funder_display_name"));
  const award = text(at(entry, "funder_award_id")) ?? text(at(entry, "award_id"));
  return name === undefined
    ? undefined
    : defined({ name, awards: award === undefined ? undefined : [award] });
}

/** Words of no abstract stand further from its beginning. */
const lastWord = 20_000;

/** An abstract comes as an inverted index: each word with its places. */
function abstractOf(index: unknown): string | undefined {
  const words: string[] = [];
  for (const [word, places] of Object.entries(object(index) ?? {})) {
    for (const place of array(places) ?? []) {
      if (count(place) !== undefined && Number(place) < lastWord) words[Number(place)] = word;
    }
  }
  return text(words.filter(Boolean).join(" "));
}
