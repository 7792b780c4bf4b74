import type {
  JobBoard,
  JobDepartment,
  JobPosting,
  RemoteJob,
} from "../../../contract/areas/job-boards/records.ts";
import {
  type Wire,
  at,
  count,
  defined,
  each,
  id,
  integer,
  need,
  number,
  object,
  rows,
  text,
} from "#wire";

const trimmed = (value: unknown) => text(text(value)?.trim());

const characters: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  nbsp: "\u00a0",
  amp: "&",
};

/** Greenhouse writes the marks of HTML as entities; one layer of them is taken off. */
export const unescaped = (value: unknown): string | undefined =>
  trimmed(
    text(value)?.replace(
      /&(lt|gt|quot|#39|nbsp|amp);/g,
      (all, name: string) => characters[name] ?? all,
    ),
  );

export function greenhouseBoard(board: string, body: unknown): JobBoard {
  return defined({
    board,
    name: need(text(at(body, "name")), "name"),
    description_html: unescaped(at(body, "content")),
  });
}

const named = (value: unknown) => each(value, (entry) => text(at(entry, "name")));

const cents = (value: unknown) => {
  const whole = integer(value);
  return whole === undefined ? undefined : whole / 100;
};

function greenhousePay(entry: unknown): JobPosting["pay_ranges"][number] {
  const words = each([at(entry, "title"), at(entry, "blurb")], trimmed).join("\n");
  return defined({
    minimum: cents(at(entry, "min_cents")),
    maximum: cents(at(entry, "max_cents")),
    currency: text(at(entry, "currency_type")),
    description: text(words),
  });
}

export const greenhousePosting =
  (board: string) =>
  (row: Wire): JobPosting =>
    defined({
      id: need(id(row.id), "jobs.id"),
      source: "greenhouse",
      board,
      title: need(trimmed(row.title), "jobs.title"),
      company: text(row.company_name),
      url: text(row.absolute_url),
      location: trimmed(at(row.location, "name")),
      locations: [],
      departments: named(row.departments),
      offices: named(row.offices),
      language: text(row.language),
      requisition_id: text(row.requisition_id),
      published_at: text(row.first_published),
      updated_at: text(row.updated_at),
      pay_ranges: each(row.pay_input_ranges, greenhousePay),
      description_html: unescaped(row.content),
      sections: [],
    });

const ids = (value: unknown) => each(value, id);

function department(row: Wire): JobDepartment {
  return defined({
    id: need(id(row.id), "departments.id"),
    name: need(text(row.name), "departments.name"),
    parent_id: id(row.parent_id),
    child_ids: ids(row.child_ids),
    posting_ids: each(row.jobs, (job) => id(at(job, "id"))),
  });
}

export const departments = (body: unknown) =>
  rows(at(body, "departments"), "departments", department);

function leverPay(row: Wire): JobPosting["pay_ranges"] {
  const range = object(row.salaryRange);
  const description = trimmed(row.salaryDescriptionPlain);
  if (!range && description === undefined) return [];
  return [
    defined({
      minimum: number(range?.min),
      maximum: number(range?.max),
      currency: text(range?.currency),
      interval: text(range?.interval),
      description,
    }),
  ];
}

function leverSection(entry: unknown): JobPosting["sections"][number] | undefined {
  const content = text(at(entry, "content"));
  if (content === undefined) return undefined;
  return defined({ title: trimmed(at(entry, "text")), content_html: content });
}

const timeOf = (value: unknown) => {
  const ms = count(value);
  return ms === undefined || ms > 8.64e15 ? undefined : new Date(ms).toISOString();
};

export const leverPosting =
  (source: "lever" | "lever-eu", board: string, isFull: boolean) =>
  (row: Wire): JobPosting => {
    const { categories } = row;
    const one = text(at(categories, "department"));
    return defined({
      id: need(text(row.id), "id"),
      source,
      board,
      title: need(trimmed(row.text), "text"),
      url: text(row.hostedUrl),
      apply_url: text(row.applyUrl),
      location: text(at(categories, "location")),
      locations: each(at(categories, "allLocations"), text),
      country_code: text(row.country),
      workplace_type: text(row.workplaceType),
      employment_type: text(at(categories, "commitment")),
      departments: one === undefined ? [] : [one],
      team: text(at(categories, "team")),
      offices: [],
      level: text(at(categories, "level")),
      created_at: timeOf(row.createdAt),
      pay_ranges: leverPay(row),
      description_html: isFull ? trimmed(row.description) : undefined,
      description: isFull ? trimmed(row.descriptionPlain) : undefined,
      sections: isFull
        ? [...each(row.lists, leverSection), ...each([{ content: row.additional }], leverSection)]
        : [],
    });
  };

function remotivePosting(row: Wire): RemoteJob {
  return defined({
    id: need(id(row.id), "jobs.id"),
    title: need(trimmed(row.title), "jobs.title"),
    company: trimmed(row.company_name),
    company_logo_url: text(row.company_logo),
    url: text(row.url),
    location: trimmed(row.candidate_required_location),
    employment_type: text(row.job_type),
    job_category: text(row.category),
    tags: each(row.tags, trimmed),
    pay: trimmed(row.salary),
    published_at: text(row.publication_date),
    description_html: trimmed(row.description),
  });
}

export const remotivePostings = (body: unknown) => rows(at(body, "jobs"), "jobs", remotivePosting);
