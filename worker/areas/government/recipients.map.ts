import type {
  GovernmentAgencies,
  GovernmentAgency,
  GovernmentAgencySpending,
  GovernmentRecipient,
  GovernmentRecipientFound,
  GovernmentSubAgency,
} from "../../../contract/areas/government/spending-records.ts";
import {
  type Wire,
  at,
  boolean,
  count,
  defined,
  each,
  integer,
  need,
  number,
  object,
  rows,
  text,
} from "#wire";
import { address } from "./awards.map.ts";
import { trimmed, wordOf } from "./read.map.ts";

const levels = { P: "parent", C: "child", R: "recipient" };

function recipientFound(row: Wire): GovernmentRecipientFound {
  return defined({
    recipient_id: need(text(row.id), "results.id"),
    name: text(row.name),
    uei: text(row.uei),
    level: wordOf(levels, row.recipient_level),
    amount: number(row.amount),
  });
}

/** Rows of a page, and whether another page follows. */
export function pageOf<Row>(body: unknown, read: (row: Wire) => Row) {
  return {
    rows: rows(at(body, "results"), "results", read),
    hasNext: need(boolean(at(body, "page_metadata", "hasNext")), "page_metadata.hasNext"),
  };
}

/** The last award of a page, in the form in which a request for the awards behind it names it. */
export function lastRecordOf(body: unknown) {
  const metadata = at(body, "page_metadata");
  const last_record_unique_id = integer(at(metadata, "last_record_unique_id"));
  const last_record_sort_value = text(at(metadata, "last_record_sort_value"));
  return last_record_unique_id === undefined || last_record_sort_value === undefined
    ? undefined
    : { last_record_unique_id, last_record_sort_value };
}

export const recipientsFound = (body: unknown) => pageOf(body, recipientFound);

function parent(entry: unknown): GovernmentRecipient["parents"][number] | undefined {
  const id = text(at(entry, "parent_id"));
  if (id === undefined) return undefined;
  return defined({
    recipient_id: id,
    name: text(at(entry, "parent_name")),
    uei: text(at(entry, "parent_uei")),
  });
}

export function recipient(row: Wire): GovernmentRecipient {
  return defined({
    recipient_id: need(text(row.recipient_id), "recipient_id"),
    name: text(row.name),
    other_names: each(row.alternate_names, text),
    uei: text(row.uei),
    level: wordOf(levels, row.recipient_level),
    parents: each(row.parents, parent),
    business_categories: each(row.business_types, text),
    address: address(row.location),
    amount: number(row.total_transaction_amount),
    transaction_count: count(row.total_transactions),
    loan_amount: number(row.total_face_value_loan_amount),
    loan_transaction_count: count(row.total_face_value_loan_transactions),
  });
}

export function agencies(body: unknown): GovernmentAgencies {
  return {
    agencies: rows(at(body, "results"), "results", (row) =>
      defined({
        agency_code: need(text(row.toptier_code), "results.toptier_code"),
        name: need(text(row.agency_name), "results.agency_name"),
        abbreviation: text(row.abbreviation),
        budget_amount: number(row.budget_authority_amount),
        obligated_amount: number(row.obligated_amount),
        outlayed_amount: number(row.outlay_amount),
        budget_share: number(row.percentage_of_total_budget_authority),
        fiscal_year: integer(row.active_fy),
        fiscal_quarter: integer(row.active_fq),
      }),
    ),
  };
}

export function agency(body: unknown): GovernmentAgency {
  const row = need(object(body), "agency");
  return defined({
    agency_code: need(text(row.toptier_code), "toptier_code"),
    name: need(text(row.name), "name"),
    abbreviation: text(row.abbreviation),
    fiscal_year: integer(row.fiscal_year),
    mission: trimmed(row.mission),
    website_url: text(row.website),
    budget_request_url: text(row.congressional_justification_url),
    sub_agency_count: count(row.subtier_agency_count),
  });
}

export function agencySpending(body: unknown): GovernmentAgencySpending {
  const years = rows(at(body, "agency_data_by_year"), "agency_data_by_year", (row) =>
    defined({
      fiscal_year: need(integer(row.fiscal_year), "fiscal_year"),
      budget_amount: number(row.agency_budgetary_resources),
      total_budget_amount: number(row.total_budgetary_resources),
      obligated_amount: number(row.agency_total_obligated),
      outlayed_amount: number(row.agency_total_outlayed),
    }),
  );
  return {
    agency_code: need(text(at(body, "toptier_code")), "toptier_code"),
    series: years.toSorted((one, other) => one.fiscal_year - other.fiscal_year),
  };
}

const activity = (row: Wire) => ({
  obligated_amount: number(row.total_obligations),
  transaction_count: count(row.transaction_count),
  new_award_count: count(row.new_award_count),
});

function office(entry: unknown): GovernmentSubAgency["offices"][number] | undefined {
  const row = object(entry);
  const name = text(row?.name);
  if (!row || name === undefined) return undefined;
  return defined({ name, office_code: text(row.code), ...activity(row) });
}

function subAgency(row: Wire): GovernmentSubAgency {
  return defined({
    name: need(text(row.name), "results.name"),
    abbreviation: text(row.abbreviation),
    ...activity(row),
    offices: each(row.children, office),
  });
}

export const subAgencies = (body: unknown) => pageOf(body, subAgency);
