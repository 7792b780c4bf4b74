import type {
  ProfessionalNetworkCompany,
  ProfessionalNetworkOffice,
  ProfessionalNetworkUser,
} from "../../../contract/areas/professional-network/records.ts";
import { type Wire, array, at, boolean, defined, each, id, need, object, text } from "#wire";
import {
  companyReference,
  figure,
  first,
  isFloor,
  monthOf,
  numberOf,
  pageName,
  picture,
  locationOf,
  slugOf,
  texts,
  timeOf,
} from "./value.map.ts";

/** Keys that identify a person in a reply. */
export const userKeys = [
  "urn",
  "id",
  "entity_urn",
  "full_name",
  "fullName",
  "name",
  "first_name",
  "firstName",
];
export const companyKeys = ["id", "company_id", "urn", "name", "company_name"];

const connections = [
  "connection_count",
  "connections_count",
  "connections",
  "follower_and_connection.connection_count",
];

/** A profile; `requested` is the public identifier from the request. */
export function user(row: Wire, requested: string): ProfessionalNetworkUser {
  const firstName = first(row, ["first_name", "firstName"], text);
  const lastName = first(row, ["last_name", "lastName"], text);
  const named = [firstName, lastName].filter((part) => part !== undefined).join(" ");
  const slug =
    first(row, ["public_identifier", "publicIdentifier", "username", "slug"], pageName) ??
    slugOf(row.url) ??
    requested;
  const experiences = listOf(row.experiences ?? row.experience, experience);
  const open = experiences?.find((job) => job.is_current ?? job.end === undefined);
  const isMinimum = first(row, connections, (value) =>
    figure(value) === undefined ? undefined : isFloor(value),
  );
  return defined({
    public_identifier: slug,
    display_name: need(
      first(row, ["full_name", "fullName", "name"], text) ?? text(named),
      "data.full_name",
    ),
    share_url: `https://www.linkedin.com/in/${encodeURIComponent(slug.toWellFormed())}/`,
    id: first(row, ["urn", "id", "entity_urn", "linkedin_id"], id),
    first_name: firstName,
    last_name: lastName,
    headline: first(row, ["headline", "position", "occupation"], text),
    description: first(row, ["about", "summary", "bio"], text),
    avatar_url: first(row, ["avatar", "profile_picture", "profile_pic_url"], picture),
    cover_image_url: first(row, ["cover", "background_image", "banner_image"], picture),
    location: locationOf(row.location, row),
    follower_count: first(
      row,
      ["follower_count", "followers_count", "followers", "follower_and_connection.follower_count"],
      figure,
    ),
    connection_count: first(row, connections, figure),
    connection_count_is_minimum: isMinimum === true ? true : undefined,
    is_premium: boolean(row.is_premium),
    is_open_to_work: boolean(row.is_open_to_work),
    is_hiring: boolean(row.is_hiring),
    is_creator: boolean(row.is_creator),
    is_influencer: boolean(row.is_influencer),
    is_top_voice: boolean(row.is_top_voice),
    current_company: companyReference(row.current_company) ?? open?.company,
    experiences,
    educations: listOf(row.educations ?? row.education, education),
    skills: texts(array(row.skills)),
    create_time: first(row, ["created", "created_date"], timeOf),
  });
}

function experience(row: Wire) {
  const job = defined({
    title: first(row, ["title", "position"], text),
    company: companyReference(row.company, row),
    location: first(row, ["location", "location.full", "location.name"], text),
    start: first(row, ["start", "start_date", "date.start"], monthOf),
    end: first(row, ["end", "end_date", "date.end"], monthOf),
    is_current: boolean(row.is_current),
    description: text(row.description),
  });
  return Object.keys(job).length > 0 ? job : undefined;
}

function education(row: Wire) {
  const name = first(row, ["school", "school.name", "school_name"], text);
  const number = first(row, ["school.id", "school_id"], numberOf);
  const school = defined({ id: number, name });
  const course = defined({
    school: Object.keys(school).length > 0 ? school : undefined,
    degree: text(row.degree),
    field: first(row, ["field", "field_of_study"], text),
    start: first(row, ["start", "start_date", "date.start"], monthOf),
    end: first(row, ["end", "end_date", "date.end"], monthOf),
    description: text(row.description),
  });
  return Object.keys(course).length > 0 ? course : undefined;
}

/** The company's number, which other calls need. */
export function companyNumber(row: Wire): string | undefined {
  return first(row, ["id", "company_id", "urn"], numberOf);
}

/** A company; `requested` is the universal name from the request. */
export function company(row: Wire, requested: string): ProfessionalNetworkCompany {
  const slug =
    first(row, ["universal_name", "universalName", "slug"], pageName) ??
    slugOf(row.url) ??
    slugOf(row.linkedin_url) ??
    requested;
  return defined({
    universal_name: slug,
    name: need(first(row, ["name", "company_name"], text), "data.name"),
    share_url: `https://www.linkedin.com/company/${encodeURIComponent(slug.toWellFormed())}/`,
    id: companyNumber(row),
    tagline: first(row, ["tagline", "slogan"], text),
    description: first(row, ["description", "about", "unformatted_about"], text),
    website_url: first(row, ["website", "website_simplified"], text),
    industries: first(row, ["industries", "industry"], oneOrMore),
    specialties: first(row, ["specialities", "specialties"], texts),
    company_type: first(row, ["company_type", "organization_type", "type"], text),
    founded_year: first(
      row,
      ["founded", "founded_year", "founded_on"],
      (value) => monthOf(value)?.year,
    ),
    employee_count: first(
      row,
      ["employee_count", "staff_count", "employees_in_linkedin", "company_size_on_linkedin"],
      figure,
    ),
    employee_count_range: first(row, ["employee_count_range", "company_size"], rangeOf),
    follower_count: first(row, ["follower_count", "followers_count", "followers"], figure),
    headquarters: first(row, ["hq", "headquarters", "address"], office),
    locations: first(row, ["locations", "formatted_locations"], offices),
    logo_url: first(row, ["logo", "image"], picture),
    cover_image_url: first(row, ["cover", "background_cover_image_url"], picture),
  });
}

/** Industries; a single text is one industry, including its commas. */
function oneOrMore(value: unknown): string[] | undefined {
  const one = text(value);
  return one === undefined ? texts(value) : [one];
}

/** `{start, end}`, "51-200" or "10,001+ employees". */
function rangeOf(value: unknown): { start: number; end?: number } | undefined {
  const written = /^(\d[\d,]{0,12})(?:\s?[-–]\s?(\d[\d,]{0,12}))?/.exec(text(value) ?? "");
  const start = figure(written?.[1] ?? at(value, "start"));
  const end = figure(written?.[2] ?? at(value, "end"));
  return start === undefined ? undefined : defined({ start, end });
}

function office(value: unknown): ProfessionalNetworkOffice | undefined {
  const row = object(value);
  if (!row) return text(value) === undefined ? undefined : { full: value as string };
  const found = defined({
    country: text(row.country),
    country_code: text(row.country_code),
    city: text(row.city),
    region: first(row, ["region", "state", "geographic_area"], text),
    postal_code: id(row.postal_code),
    line1: first(row, ["line1", "street"], text),
    full: first(row, ["full", "full_address"], text),
  });
  return Object.keys(found).length > 0 ? found : undefined;
}

function offices(value: unknown): ProfessionalNetworkOffice[] | undefined {
  const found = each(value, office);
  return found.length > 0 ? found : undefined;
}

function listOf<T>(value: unknown, read: (row: Wire) => T | undefined): T[] | undefined {
  const found = each(value, (entry) => {
    const row = object(entry);
    return row && read(row);
  });
  return found.length > 0 ? found : undefined;
}
