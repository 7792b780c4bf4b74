import { arxivIdOf } from "../../../contract/areas/papers/ids.ts";
import type {
  PapersAuthor,
  PapersAuthorFound,
  PapersAuthorWork,
} from "../../../contract/areas/papers/records.ts";
import { type Wire, array, at, defined, each, integer, need, object, text } from "#wire";
import {
  arxivDoiOf,
  dateOf,
  dates,
  doiOf,
  doiUrl,
  kindOf,
  objectsOf,
  orcidOf,
  textsOf,
  titleOf,
} from "./work.map.ts";

const pageOf = (orcid: string) => `https://orcid.org/${orcid}`;

/** Several services may report the same value. */
const once = (values: readonly string[]): string[] => [...new Set(values)];

const valueOf = (holder: unknown) => text(at(holder, "value"));

export function authorFound(row: Wire): PapersAuthorFound {
  const orcid = need(orcidOf(row["orcid-id"]), "expanded-result.orcid-id");
  const [given, family] = [text(row["given-names"]), text(row["family-names"])];
  const joined = [given, family].filter(Boolean).join(" ");
  return defined({
    orcid,
    name: text(row["credit-name"]) ?? text(joined),
    given_name: given,
    family_name: family,
    other_names: textsOf(row["other-name"]),
    affiliations: textsOf(row["institution-name"]),
    url: pageOf(orcid),
  });
}

export function author(body: unknown): PapersAuthor {
  const orcid = need(orcidOf(at(body, "orcid-identifier", "path")), "orcid-identifier.path");
  const person = at(body, "person");
  const activities = at(body, "activities-summary");
  const given = valueOf(at(person, "name", "given-names"));
  const family = valueOf(at(person, "name", "family-name"));
  const joined = [given, family].filter(Boolean).join(" ");
  const works = array(at(activities, "works", "group"));
  return defined({
    orcid,
    name: valueOf(at(person, "name", "credit-name")) ?? text(joined),
    given_name: given,
    family_name: family,
    other_names: once(
      each(at(person, "other-names", "other-name"), (one) => text(at(one, "content"))),
    ),
    biography: text(at(person, "biography", "content")),
    country_codes: once(
      each(at(person, "addresses", "address"), (one) => valueOf(at(one, "country"))),
    ),
    keywords: once(each(at(person, "keywords", "keyword"), (one) => text(at(one, "content")))),
    links: each(at(person, "researcher-urls", "researcher-url"), link),
    external_ids: each(at(person, "external-identifiers", "external-identifier"), externalId),
    employments: affiliations(activities, "employments", "employment-summary"),
    educations: affiliations(activities, "educations", "education-summary"),
    work_count: works?.length,
    updated_at: momentOf(at(body, "history", "last-modified-date", "value")),
    url: pageOf(orcid),
  });
}

function momentOf(value: unknown): string | undefined {
  const milliseconds = integer(value);
  // Later ones are no times of a computer, and `Date` refuses them.
  return milliseconds === undefined || Math.abs(milliseconds) > 8.64e15
    ? undefined
    : new Date(milliseconds).toISOString();
}

function link(entry: unknown) {
  const url = valueOf(at(entry, "url"));
  return url === undefined ? undefined : defined({ title: text(at(entry, "url-name")), url });
}

function externalId(entry: unknown) {
  const [type, value] = [text(at(entry, "external-id-type")), text(at(entry, "external-id-value"))];
  return type === undefined || value === undefined ? undefined : { type, id: value };
}

/** A group holds one affiliation as several sources report it; the first is the preferred one. */
function affiliations(activities: unknown, kind: string, member: string) {
  return each(at(activities, kind, "affiliation-group"), (group) => {
    const summary = object(at(group, "summaries", 0, member));
    const organization = text(at(summary, "organization", "name"));
    if (organization === undefined) return undefined;
    const address = at(summary, "organization", "address");
    return defined({
      organization,
      role: text(at(summary, "role-title")),
      department: text(at(summary, "department-name")),
      city: text(at(address, "city")),
      country_code: text(at(address, "country")),
      ror_id: rorOf(at(summary, "organization", "disambiguated-organization")),
      start_date: dayOf(at(summary, "start-date")),
      end_date: dayOf(at(summary, "end-date")),
    });
  });
}

const rorOf = (organization: unknown) =>
  at(organization, "disambiguation-source") === "ROR"
    ? /0[a-z0-9]{8}$/.exec(
        text(at(organization, "disambiguated-organization-identifier")) ?? "",
      )?.[0]
    : undefined;

const dayOf = (date: unknown) =>
  dateOf(valueOf(at(date, "year")), valueOf(at(date, "month")), valueOf(at(date, "day")));

/** A group holds one work as several sources report it; the first is the preferred one. */
export function authorWork(group: Wire): PapersAuthorWork {
  const summary = need(object(at(group, "work-summary", 0)), "group.work-summary");
  const own = objectsOf(at(group, "external-ids", "external-id")).filter(
    (one) => one["external-id-relationship"] === "self",
  );
  const idOf = (type: string) =>
    own
      .filter((one) => one["external-id-type"] === type)
      .map((one) => valueOf(one["external-id-normalized"]) ?? text(one["external-id-value"]))
      .find(Boolean);
  const arxivId = idOf("arxiv")?.replace(/^arxiv:/i, "");
  const doi = doiOf(idOf("doi")) ?? arxivDoiOf(arxivId);
  const [pmid, pmcid] = [idOf("pmid"), idOf("pmc")];
  const known = doi ?? (pmid === undefined ? undefined : `pmid:${pmid}`);
  return defined({
    id: known ?? (pmcid === undefined ? undefined : `pmcid:${pmcid}`),
    doi,
    arxiv_id: arxivId ?? (doi === undefined ? undefined : arxivIdOf(doi)),
    pmid,
    pmcid,
    type: kindOf(summary.type),
    title: need(titleOf(valueOf(at(summary.title, "title"))), "work-summary.title"),
    subtitle: titleOf(valueOf(at(summary.title, "subtitle"))),
    ...dates(dayOf(summary["publication-date"])),
    journal_title: titleOf(valueOf(summary["journal-title"])),
    url: valueOf(summary.url) ?? (doi === undefined ? undefined : doiUrl(doi)),
    added_by: valueOf(at(summary.source, "source-name")),
  });
}
