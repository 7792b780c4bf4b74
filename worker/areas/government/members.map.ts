import type {
  GovernmentMember,
  GovernmentMemberBill,
  GovernmentMemberFound,
} from "../../../contract/areas/government/member-records.ts";
import {
  type Wire,
  array,
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
import { billFound, page } from "./bills.map.ts";
import { trimmed } from "./read.map.ts";

const year = (value: unknown) => count(value);

const years = (row: unknown) => ({
  start_year: year(at(row, "startYear")),
  end_year: year(at(row, "endYear")),
});

const picture = (row: Wire) => ({
  image_url: text(at(row.depiction, "imageUrl")),
  image_attribution: trimmed(at(row.depiction, "attribution")),
});

function memberFound(row: Wire): GovernmentMemberFound {
  return defined({
    bioguide_id: need(text(row.bioguideId), "members.bioguideId"),
    name: need(trimmed(row.name), "members.name"),
    party_name: text(row.partyName),
    state: text(row.state),
    district: id(row.district),
    ...picture(row),
    updated_at: text(row.updateDate),
    terms: each(
      at(row.terms, "item"),
      (entry) => object(entry) && defined({ chamber: text(at(entry, "chamber")), ...years(entry) }),
    ),
  });
}

function term(entry: unknown): GovernmentMember["terms"][number] | undefined {
  const row = object(entry);
  if (!row) return undefined;
  return defined({
    congress: integer(row.congress),
    chamber: text(row.chamber),
    role: text(row.memberType),
    state: text(row.stateName),
    state_code: text(row.stateCode),
    district: id(row.district),
    ...years(row),
  });
}

function party(entry: unknown): GovernmentMember["parties"][number] | undefined {
  const row = object(entry);
  if (!row) return undefined;
  return defined({
    party: text(row.partyAbbreviation) ?? text(row.partyCode),
    party_name: text(row.partyName),
    ...years(row),
  });
}

function position(entry: unknown): GovernmentMember["leadership"][number] | undefined {
  const role = text(at(entry, "type"));
  if (role === undefined) return undefined;
  return defined({
    role,
    congress: integer(at(entry, "congress")),
    is_current: boolean(at(entry, "current")),
  });
}

/** Lists of a member are bare, or in a container as its documents show them. */
const listIn = (value: unknown) => array(value) ?? at(value, "item");

const oldestFirst = <Row extends { start_year?: number | undefined }>(list: Row[]): Row[] =>
  list.toSorted((a, b) => (a.start_year ?? 0) - (b.start_year ?? 0));

export function member(body: unknown): GovernmentMember {
  const row = need(object(at(body, "member")), "member");
  const parties = oldestFirst(each(listIn(row.partyHistory), party));
  const office = object(row.addressInformation) ?? {};
  const last = parties.at(-1);
  return defined({
    bioguide_id: need(text(row.bioguideId), "member.bioguideId"),
    name: need(trimmed(row.directOrderName) ?? trimmed(row.invertedOrderName), "directOrderName"),
    first_name: text(row.firstName),
    middle_name: text(row.middleName),
    last_name: text(row.lastName),
    suffix: text(row.suffixName),
    nickname: text(row.nickName),
    honorific: text(row.honorificName),
    party: last?.party,
    party_name: last?.party_name ?? text(row.party),
    state: text(row.state),
    district: id(row.district),
    is_current: boolean(row.currentMember),
    birth_year: year(row.birthYear),
    death_year: year(row.deathYear),
    terms: oldestFirst(each(listIn(row.terms), term)),
    parties,
    leadership: each(listIn(row.leadership), position),
    website_url: text(row.officialWebsiteUrl) ?? text(row.officialUrl),
    office_address: trimmed(office.officeAddress),
    office_city: text(office.city),
    office_zip_code: id(office.zipCode),
    phone: text(office.phoneNumber),
    sponsored_count: count(at(row.sponsoredLegislation, "count")),
    cosponsored_count: count(at(row.cosponsoredLegislation, "count")),
    ...picture(row),
    updated_at: text(row.updateDate),
  });
}

/** A row without the number of a bill is something else, such as an amendment. */
function memberBill(row: Wire): GovernmentMemberBill | undefined {
  if (id(row.number) === undefined) return undefined;
  const { updated_date: _none, origin_chamber: _chamber, ...bill } = billFound(row);
  return defined({
    ...bill,
    title: bill.title ?? trimmed(row.latestTitle),
    introduced_date: text(row.introducedDate),
    policy_area: text(at(row.policyArea, "name")),
  });
}

export const memberPages = {
  members: page("members", memberFound),
  sponsored: page("sponsoredLegislation", memberBill),
  cosponsored: page("cosponsoredLegislation", memberBill),
};
