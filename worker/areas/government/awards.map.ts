import type {
  GovernmentAward,
  GovernmentAwardFound,
} from "../../../contract/areas/government/spending-records.ts";
import { type Wire, at, count, defined, each, need, number, object, text } from "#wire";
import { day, trimmed } from "./read.map.ts";

const pageOf = (id: string) => `https://www.usaspending.gov/award/${encodeURIComponent(id)}`;

/** Columns that a search requests; those of another kind of award are absent from its rows. */
export const commonColumns = [
  "Award ID",
  "Recipient Name",
  "recipient_id",
  "Recipient UEI",
  "Description",
  "Awarding Agency",
  "Awarding Sub Agency",
  "Funding Agency",
  "Funding Sub Agency",
  "Last Modified Date",
  "Place of Performance State Code",
  "Place of Performance Country Code",
] as const;

/** A row of a search; its members have the names of columns. */
export function awardFound(row: Wire): GovernmentAwardFound {
  const id = need(text(row.generated_internal_id), "generated_internal_id");
  return defined({
    award_id: id,
    award_number: text(row["Award ID"]),
    award_type: text(row["Contract Award Type"]) ?? text(row["Award Type"]),
    amount: number(row["Award Amount"]) ?? number(row["Loan Value"]),
    outlayed_amount: number(row["Total Outlays"]),
    subsidy_cost: number(row["Subsidy Cost"]),
    description: trimmed(row.Description),
    recipient_name: text(row["Recipient Name"]),
    recipient_id: text(row.recipient_id),
    recipient_uei: text(row["Recipient UEI"]),
    agency: text(row["Awarding Agency"]),
    sub_agency: text(row["Awarding Sub Agency"]),
    funding_agency: text(row["Funding Agency"]),
    funding_sub_agency: text(row["Funding Sub Agency"]),
    start_date: day(row["Start Date"]) ?? day(row["Issued Date"]),
    end_date: day(row["End Date"]) ?? day(row["Last Date to Order"]),
    updated_date: day(row["Last Modified Date"]),
    assistance_listing: text(row["CFDA Number"]),
    state_code: text(row["Place of Performance State Code"]),
    country_code: text(row["Place of Performance Country Code"]),
    url: pageOf(id),
  });
}

/** An address; awards and recipients name some of its parts otherwise. */
export function address(value: unknown): GovernmentAward["recipient_address"] {
  const row = object(value);
  if (!row) return undefined;
  const zip = text(row.zip5) ?? text(row.zip);
  const end = text(row.zip4);
  return defined({
    lines: each([row.address_line1, row.address_line2, row.address_line3], text),
    city: text(row.city_name),
    county: text(row.county_name),
    state: text(row.state_name) ?? text(row.foreign_province),
    state_code: text(row.state_code),
    postal_code:
      zip !== undefined && end !== undefined && end.length === 4
        ? `${zip}-${end}`
        : (zip ?? text(row.foreign_postal_code)),
    country: text(row.country_name),
    country_code: text(row.location_country_code) ?? text(row.country_code),
    congressional_district: text(row.congressional_code),
  });
}

function agency(value: unknown): GovernmentAward["awarding_agency"] {
  const name = text(at(value, "toptier_agency", "name"));
  if (name === undefined) return undefined;
  return defined({
    name,
    agency_code: text(at(value, "toptier_agency", "code")),
    abbreviation: text(at(value, "toptier_agency", "abbreviation")),
    sub_agency: text(at(value, "subtier_agency", "name")),
    sub_agency_code: text(at(value, "subtier_agency", "code")),
    office: text(at(value, "office_agency_name")),
  });
}

function listing(entry: unknown): GovernmentAward["assistance_listings"][number] | undefined {
  const listed = text(at(entry, "cfda_number"));
  if (listed === undefined) return undefined;
  return defined({
    number: listed,
    title: text(at(entry, "cfda_title")),
    obligated_amount: number(at(entry, "federal_action_obligation_amount")),
    url: text(at(entry, "sam_website")),
  });
}

export function award(row: Wire): GovernmentAward {
  const id = need(text(row.generated_unique_award_id), "generated_unique_award_id");
  const { recipient, period_of_performance: span } = row;
  const contract = object(row.latest_transaction_contract_data) ?? {};
  return defined({
    award_id: id,
    award_number: text(row.piid) ?? text(row.fain) ?? text(row.uri),
    category: text(row.category),
    award_type: text(row.type_description),
    description: trimmed(row.description),
    obligated_amount: number(row.total_obligation),
    exercised_amount: number(row.base_exercised_options),
    potential_amount: number(row.base_and_all_options),
    subsidy_cost: number(row.total_subsidy_cost),
    loan_amount: number(row.total_loan_value),
    non_federal_amount: number(row.non_federal_funding),
    total_funding: number(row.total_funding),
    subaward_count: count(row.subaward_count),
    subaward_amount: number(row.total_subaward_amount),
    signed_date: day(row.date_signed),
    start_date: day(at(span, "start_date")),
    end_date: day(at(span, "end_date")),
    potential_end_date: day(at(span, "potential_end_date")),
    updated_date: day(at(span, "last_modified_date")),
    parent_award_id: text(at(row.parent_award, "generated_unique_award_id")),
    parent_award_number: text(at(row.parent_award, "piid")),
    awarding_agency: agency(row.awarding_agency),
    funding_agency: agency(row.funding_agency),
    recipient_name: text(at(recipient, "recipient_name")),
    recipient_id: text(at(recipient, "recipient_hash")),
    recipient_uei: text(at(recipient, "recipient_uei")),
    parent_recipient_id: text(at(recipient, "parent_recipient_hash")),
    parent_recipient_name: text(at(recipient, "parent_recipient_name")),
    business_categories: each(at(recipient, "business_categories"), text),
    recipient_address: address(at(recipient, "location")),
    place_of_performance: address(row.place_of_performance),
    naics_code: text(contract.naics),
    naics: text(contract.naics_description),
    product_or_service_code: text(contract.product_or_service_code),
    product_or_service: text(contract.product_or_service_description),
    solicitation_id: text(contract.solicitation_identifier),
    competition: text(contract.extent_competed_description),
    offers_count: count(contract.number_of_offers_received),
    set_aside: text(contract.type_set_aside_description),
    pricing: text(contract.type_of_contract_pricing_description),
    assistance_listings: each(row.cfda_info, listing),
    url: pageOf(id),
  });
}
