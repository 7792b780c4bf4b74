import type { PapersOpenAccess } from "../../../contract/areas/papers/records.ts";
import { at, boolean, defined, each, integer, need, object, text } from "#wire";
import { dateText, doiOf, kindOf, titleOf } from "./work.map.ts";

export function openAccess(body: unknown): PapersOpenAccess {
  const row = need(object(body), "doi object");
  const date = dateText(row.published_date);
  return defined({
    doi: need(doiOf(row.doi), "doi"),
    title: titleOf(row.title),
    type: kindOf(row.genre),
    is_open_access: need(boolean(row.is_oa), "is_oa"),
    open_access_status: text(row.oa_status),
    best_copy: copy(row.best_oa_location),
    copies: each(row.oa_locations, copy),
    journal_title: titleOf(row.journal_name),
    issns: (text(row.journal_issns) ?? "").split(",").filter((issn) => issn !== ""),
    publisher: text(row.publisher),
    is_journal_open_access: boolean(row.journal_is_oa),
    is_journal_in_doaj: boolean(row.journal_is_in_doaj),
    publication_date: date,
    publication_year: integer(row.year),
    updated_at: text(row.updated),
    url: text(row.doi_url),
  });
}

function copy(entry: unknown) {
  const url = text(at(entry, "url"));
  if (url === undefined) return undefined;
  return defined({
    url,
    pdf_url: text(at(entry, "url_for_pdf")),
    landing_page_url: text(at(entry, "url_for_landing_page")),
    host_type: text(at(entry, "host_type")),
    version: text(at(entry, "version")),
    license: text(at(entry, "license")),
    repository: text(at(entry, "repository_institution")),
    oa_date: dateText(at(entry, "oa_date")),
  });
}
