import type {
  GovernmentBill,
  GovernmentBillAction,
  GovernmentBillCosponsor,
  GovernmentBillFound,
  GovernmentBillSummary,
} from "../../../contract/areas/government/bill-records.ts";
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
  rows,
  text,
} from "#wire";
import { trimmed } from "./read.map.ts";

/** Kinds of bills in the addresses of Congress.gov. */
const pages: Readonly<Record<string, string>> = {
  hr: "house-bill",
  s: "senate-bill",
  hjres: "house-joint-resolution",
  sjres: "senate-joint-resolution",
  hconres: "house-concurrent-resolution",
  sconres: "senate-concurrent-resolution",
  hres: "house-resolution",
  sres: "senate-resolution",
};

/** English ordinals: 101st, 112th, 123rd. */
export function ordinal(number: number): string {
  const last = number % 10;
  const isTeen = Math.floor(number / 10) % 10 === 1;
  return `${number}${isTeen ? "th" : last === 1 ? "st" : last === 2 ? "nd" : last === 3 ? "rd" : "th"}`;
}

function latestAction(value: unknown): GovernmentBillFound["latest_action"] {
  const words = text(at(value, "text"));
  if (words === undefined) return undefined;
  return defined({
    text: words,
    date: text(at(value, "actionDate")),
    time: text(at(value, "actionTime")),
  });
}

export function billFound(row: Wire): GovernmentBillFound {
  const congress = need(count(row.congress), "bill.congress");
  const kind = need(text(row.type), "bill.type").toLowerCase();
  const number = need(id(row.number), "bill.number");
  return defined({
    bill_id: `${congress}-${kind}-${number}`,
    congress,
    bill_type: kind,
    bill_number: number,
    title: trimmed(row.title),
    origin_chamber: text(row.originChamber),
    latest_action: latestAction(row.latestAction),
    updated_date: text(row.updateDate),
    url: `https://www.congress.gov/bill/${ordinal(congress)}-congress/${pages[kind] ?? kind}/${number}`,
  });
}

/** A member of congress, without whom the row has no meaning. */
function member(row: Wire) {
  return {
    bioguide_id: need(text(row.bioguideId), "bioguideId"),
    name: text(row.fullName),
    first_name: text(row.firstName),
    last_name: text(row.lastName),
    party: text(row.party),
    state_code: text(row.state),
    district: id(row.district),
  };
}

function sponsor(entry: unknown): GovernmentBill["sponsors"][number] | undefined {
  const row = object(entry);
  return row && text(row.bioguideId) !== undefined ? defined(member(row)) : undefined;
}

function law(entry: unknown): GovernmentBill["laws"][number] | undefined {
  const number = text(at(entry, "number"));
  if (number === undefined) return undefined;
  return defined({ law_type: text(at(entry, "type")), law_number: number });
}

function estimate(entry: unknown): GovernmentBill["cost_estimates"][number] | undefined {
  const url = text(at(entry, "url"));
  if (url === undefined) return undefined;
  return defined({
    title: trimmed(at(entry, "title")),
    description: trimmed(at(entry, "description")),
    published_at: text(at(entry, "pubDate")),
    url,
  });
}

export function bill(body: unknown): GovernmentBill {
  const row = need(object(at(body, "bill")), "bill");
  const number = (name: string) => count(at(row[name], "count"));
  return defined({
    ...billFound(row),
    introduced_date: text(row.introducedDate),
    policy_area: text(at(row.policyArea, "name")),
    sponsors: each(row.sponsors, sponsor),
    cosponsor_count: number("cosponsors"),
    action_count: number("actions"),
    amendment_count: number("amendments"),
    committee_count: number("committees"),
    related_bill_count: number("relatedBills"),
    summary_count: number("summaries"),
    text_version_count: number("textVersions"),
    laws: each(row.laws, law),
    committee_reports: each(row.committeeReports, (entry) => text(at(entry, "citation"))),
    cost_estimates: each(row.cboCostEstimates, estimate),
    constitutional_authority_html: trimmed(row.constitutionalAuthorityStatementText),
  });
}

function vote(entry: unknown): GovernmentBillAction["votes"][number] | undefined {
  const number = integer(at(entry, "rollNumber"));
  if (number === undefined) return undefined;
  return defined({
    roll_number: number,
    chamber: text(at(entry, "chamber")),
    congress: integer(at(entry, "congress")),
    session: integer(at(entry, "sessionNumber")),
    voted_at: text(at(entry, "date")),
    url: text(at(entry, "url")),
  });
}

function committee(entry: unknown): GovernmentBillAction["committees"][number] | undefined {
  const name = text(at(entry, "name"));
  if (name === undefined) return undefined;
  return defined({ name, committee_code: text(at(entry, "systemCode")) });
}

function action(row: Wire): GovernmentBillAction {
  return defined({
    text: need(text(row.text), "actions.text"),
    date: text(row.actionDate),
    time: text(row.actionTime),
    action_type: text(row.type),
    action_code: text(row.actionCode),
    reported_by: text(at(row.sourceSystem, "name")),
    committees: each(row.committees, committee),
    votes: each(row.recordedVotes, vote),
  });
}

function summary(row: Wire): GovernmentBillSummary {
  return defined({
    version: text(row.actionDesc),
    version_code: text(row.versionCode),
    date: text(row.actionDate),
    updated_at: text(row.updateDate),
    text_html: need(trimmed(row.text), "summaries.text"),
  });
}

function cosponsor(row: Wire): GovernmentBillCosponsor {
  return defined({
    ...member(row),
    is_original: boolean(row.isOriginalCosponsor),
    sponsored_date: text(row.sponsorshipDate),
    withdrawn_date: text(row.sponsorshipWithdrawnDate),
  });
}

/** Rows of a page under `name`, and the number of all rows; the shorter count of cosponsors lacks who withdrew. */
export const page =
  <Row>(name: string, read: (row: Wire) => Row | undefined) =>
  (body: unknown) => ({
    rows: rows(at(body, name), name, read),
    total: need(
      count(at(body, "pagination", "countIncludingWithdrawnCosponsors")) ??
        count(at(body, "pagination", "count")),
      "pagination.count",
    ),
  });

export const billPages = {
  bills: page("bills", billFound),
  actions: page("actions", action),
  summaries: page("summaries", summary),
  cosponsors: page("cosponsors", cosponsor),
};
