import type {
  GovernmentDocument,
  GovernmentDocumentFound,
} from "../../../contract/areas/government/document-records.ts";
import { type Wire, at, boolean, count, defined, each, id, integer, need, rows, text } from "#wire";
import { plain } from "../../mapping/markup.map.ts";
import { trimmed } from "./read.map.ts";

/** Kinds of documents: the source writes some in words and some in capitals. */
const kinds: Readonly<Record<string, string>> = {
  rule: "rule",
  "proposed rule": "proposed_rule",
  prorule: "proposed_rule",
  notice: "notice",
  "presidential document": "presidential_document",
  presdocu: "presidential_document",
};

function kind(value: unknown): string | undefined {
  const word = text(value)?.toLowerCase();
  return word === undefined ? undefined : (kinds[word] ?? word.replaceAll(" ", "_"));
}

/** The parent of an agency stands beside it; names in the document's own words may lack an entry. */
function agency(entry: unknown): GovernmentDocument["agencies"][number] | undefined {
  const name = text(at(entry, "name")) ?? text(at(entry, "raw_name"));
  if (name === undefined) return undefined;
  return defined({
    name,
    agency_slug: text(at(entry, "slug")),
    url: text(at(entry, "url")),
  });
}

function identity(row: Wire) {
  return {
    document_number: need(text(row.document_number), "document_number"),
    document_type: kind(row.type),
    title: need(trimmed(row.title), "title"),
    abstract: trimmed(row.abstract),
    publication_date: text(row.publication_date),
    agencies: each(row.agencies, agency),
    url: text(row.html_url),
    pdf_url: text(row.pdf_url) ?? text(row.public_inspection_pdf_url),
  };
}

/** The words around a match, which the source writes as HTML with a line for each paragraph. */
const excerpt = (value: unknown) => text(plain(text(value) ?? "").replace(/\s+/g, " "));

function documentFound(row: Wire): GovernmentDocumentFound {
  return defined({ ...identity(row), excerpt: excerpt(row.excerpts) });
}

/** Documents of a page and the number of pages; an answer without a document has neither. */
export function documentsFound(body: unknown) {
  if (need(count(at(body, "count")), "count") === 0) return { rows: [], pages: 0 };
  return {
    rows: rows(at(body, "results"), "results", documentFound),
    pages: need(count(at(body, "total_pages")), "total_pages"),
  };
}

function reference(entry: unknown): GovernmentDocument["cfr_references"][number] | undefined {
  const title = integer(at(entry, "title"));
  if (title === undefined) return undefined;
  return defined({
    cfr_title: title,
    cfr_part: id(at(entry, "part")),
    cfr_chapter: id(at(entry, "chapter")),
  });
}

export function document(row: Wire): GovernmentDocument {
  return defined({
    ...identity(row),
    document_subtype: text(row.subtype),
    action: trimmed(row.action),
    dates: trimmed(row.dates),
    citation: text(row.citation),
    volume: count(row.volume),
    start_page: count(row.start_page),
    end_page: count(row.end_page),
    effective_date: text(row.effective_on),
    comments_close_date: text(row.comments_close_on),
    signing_date: text(row.signing_date),
    executive_order_number: id(row.executive_order_number),
    is_significant: boolean(row.significant),
    cfr_references: each(row.cfr_references, reference),
    docket_ids: each(row.docket_ids, text),
    regulation_ids: each(row.regulation_id_numbers, text),
    topics: each(row.topics, text),
    comment_url: text(row.comment_url),
    text_url: text(row.raw_text_url),
    html_url: text(row.body_html_url),
    xml_url: text(row.full_text_xml_url),
  });
}
