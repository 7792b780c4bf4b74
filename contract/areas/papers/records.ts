import * as z from "zod";
import { count } from "../../fields.ts";

/** One vocabulary over all sources. Every `id` is accepted by the operations that take one. */

const texts = z.array(z.string());

const publicationDate = z
  .string()
  .optional()
  .describe("Day of publication as far as it is known: YYYY, YYYY-MM or YYYY-MM-DD");

const author = z.object({
  name: z.string().describe("Name as it is shown, or the name of a group"),
  given_name: z.string().optional(),
  family_name: z.string().optional(),
  orcid: z.string().optional(),
  affiliations: texts.optional(),
});

const funding = z.object({
  name: z.string(),
  funder_id: z.string().optional(),
  awards: texts.optional(),
});

/** Every field of a work; each operation shows those that its source has. */
export const workFields = z.object({
  id: z.string().describe("The DOI, else `pmid:` or `pmcid:` with the number"),
  doi: z.string().optional(),
  arxiv_id: z.string().optional(),
  pmid: z.string().optional(),
  pmcid: z.string().optional(),
  type: z
    .string()
    .optional()
    .describe(
      "journal-article, conference-paper, preprint, book, book-chapter, dataset and others",
    ),
  title: z.string().optional(),
  subtitle: z.string().optional(),
  abstract: z.string().optional().describe("Plain text"),
  authors: z.array(author),
  publication_date: publicationDate,
  publication_year: z.int().optional(),
  journal_title: z.string().optional(),
  issns: texts.optional(),
  publisher: z.string().optional(),
  volume: z.string().optional(),
  issue: z.string().optional(),
  pages: z.string().optional(),
  language: z.string().optional().describe("Tag of the language: en, de, zh-Hant"),
  version: z.string().optional(),
  subjects: texts.optional(),
  funders: z.array(funding).optional(),
  citation_count: count("Works known to cite this one").optional(),
  reference_count: count("Works that this one cites").optional(),
  is_open_access: z.boolean().optional(),
  license_url: z.string().optional(),
  pdf_url: z.string().optional(),
  url: z.string().optional(),
});

export type WorkFields = z.output<typeof workFields>;

export const papersWork = workFields.meta({ id: "PapersWork" });

/** A work as publishers register it at Crossref. */
export const papersArticle = workFields
  .omit({ arxiv_id: true, pmid: true, pmcid: true, is_open_access: true, version: true })
  .meta({ id: "PapersArticle" });

export const papersDataset = workFields
  .omit({
    arxiv_id: true,
    pmid: true,
    pmcid: true,
    is_open_access: true,
    journal_title: true,
    issns: true,
    volume: true,
    issue: true,
    pages: true,
    pdf_url: true,
  })
  .extend({
    formats: texts.optional(),
    sizes: texts.optional(),
    view_count: count("Views that repositories reported").optional(),
    download_count: count("Downloads that repositories reported").optional(),
  })
  .meta({ id: "PapersDataset" });

export const papersReference = z
  .object({
    id: z.string().optional().describe("The DOI, where the publisher names it"),
    doi: z.string().optional(),
    key: z.string().optional().describe("Name of the reference in the list of the publisher"),
    title: z.string().optional(),
    author: z.string().optional(),
    publication_year: z.int().optional(),
    journal_title: z.string().optional(),
    volume: z.string().optional(),
    first_page: z.string().optional(),
    citation: z.string().optional(),
  })
  .meta({ id: "PapersReference" });

export const papersCitation = workFields
  .pick({
    id: true,
    doi: true,
    arxiv_id: true,
    pmid: true,
    pmcid: true,
    type: true,
    title: true,
    abstract: true,
    publication_date: true,
    publication_year: true,
    journal_title: true,
    citation_count: true,
    reference_count: true,
    is_open_access: true,
    pdf_url: true,
    url: true,
  })
  .extend({
    id: z.string().optional().describe("The DOI, else `pmid:` or `pmcid:` with the number"),
    authors: z.array(author.pick({ name: true })),
    is_influential: z.boolean().optional(),
    intents: texts.optional(),
    contexts: texts.optional(),
  })
  .meta({ id: "PapersCitation" });

const affiliation = z.object({
  organization: z.string(),
  role: z.string().optional(),
  department: z.string().optional(),
  city: z.string().optional(),
  country_code: z.string().optional(),
  ror_id: z.string().optional(),
  start_date: z.string().optional(),
  end_date: z.string().optional(),
});

export const papersAuthor = z
  .object({
    orcid: z.string(),
    name: z.string().optional(),
    given_name: z.string().optional(),
    family_name: z.string().optional(),
    other_names: texts,
    biography: z.string().optional(),
    country_codes: texts,
    keywords: texts,
    links: z.array(z.object({ title: z.string().optional(), url: z.string() })),
    external_ids: z.array(z.object({ type: z.string(), id: z.string() })),
    employments: z.array(affiliation),
    educations: z.array(affiliation).describe("Where the person studied"),
    work_count: count("Works on the record").optional(),
    updated_at: z.string().optional(),
    url: z.string(),
  })
  .meta({ id: "PapersAuthor" });

export const papersAuthorFound = z
  .object({
    orcid: z.string(),
    name: z.string().optional(),
    given_name: z.string().optional(),
    family_name: z.string().optional(),
    other_names: texts,
    affiliations: texts,
    url: z.string(),
  })
  .meta({ id: "PapersAuthorFound" });

export const papersAuthorWork = workFields
  .pick({
    doi: true,
    arxiv_id: true,
    pmid: true,
    pmcid: true,
    type: true,
    title: true,
    subtitle: true,
    publication_date: true,
    publication_year: true,
    journal_title: true,
    url: true,
  })
  .extend({
    id: z.string().optional().describe("The DOI, else `pmid:` or `pmcid:` with the number"),
    added_by: z.string().optional(),
  })
  .meta({ id: "PapersAuthorWork" });

export const papersInstitution = z
  .object({
    ror_id: z.string(),
    name: z.string(),
    aliases: texts,
    acronyms: texts,
    labels: z.array(z.object({ name: z.string(), language: z.string().optional() })),
    types: texts,
    status: z.string().optional(),
    established: z.int().optional(),
    city: z.string().optional(),
    region: z.string().optional(),
    country: z.string().optional(),
    country_code: z.string().optional(),
    latitude: z.number().optional(),
    longitude: z.number().optional(),
    domains: texts,
    website_url: z.string().optional(),
    encyclopedia_url: z.string().optional(),
    external_ids: z.array(z.object({ type: z.string(), id: z.string() })),
    relationships: z.array(
      z.object({ ror_id: z.string(), name: z.string().optional(), type: z.string() }),
    ),
    url: z.string(),
  })
  .meta({ id: "PapersInstitution" });

export const papersJournal = z
  .object({
    title: z.string(),
    issns: z.array(z.string()),
    print_issn: z.string().optional(),
    electronic_issn: z.string().optional(),
    publisher: z.string().optional(),
    subjects: texts,
    work_count: count("Works with a DOI").optional(),
    recent_work_count: count("Works of this and the two years before").optional(),
    works_by_year: z.array(z.object({ year: z.int(), count: z.int() })),
  })
  .meta({ id: "PapersJournal" });

export const papersFunderFound = z
  .object({
    funder_id: z.string(),
    name: z.string(),
    alternative_names: texts,
    country: z.string().optional(),
    replaces: texts,
    replaced_by: texts,
    url: z.string().optional(),
  })
  .meta({ id: "PapersFunderFound" });

export const papersFunder = papersFunderFound
  .extend({
    work_count: count("Works that name the funder").optional(),
    descendant_work_count: count("Works that name the funder or a part of it").optional(),
    descendants: texts,
  })
  .meta({ id: "PapersFunder" });

const copy = z.object({
  url: z.string(),
  pdf_url: z.string().optional(),
  landing_page_url: z.string().optional(),
  host_type: z.string().optional().describe("publisher or repository"),
  version: z.string().optional().describe("submittedVersion, acceptedVersion or publishedVersion"),
  license: z.string().optional(),
  repository: z.string().optional(),
  oa_date: z.string().optional(),
});

export const papersOpenAccess = z
  .object({
    doi: z.string(),
    title: z.string().optional(),
    type: z.string().optional(),
    is_open_access: z.boolean(),
    open_access_status: z.string().optional().describe("gold, hybrid, bronze, green or closed"),
    best_copy: copy.optional(),
    copies: z.array(copy),
    journal_title: z.string().optional(),
    issns: texts,
    publisher: z.string().optional(),
    is_journal_open_access: z.boolean().optional(),
    is_journal_in_doaj: z.boolean().optional(),
    publication_date: publicationDate,
    publication_year: z.int().optional(),
    updated_at: z.string().optional(),
    url: z.string().optional(),
  })
  .meta({ id: "PapersOpenAccess" });

export type PapersArticle = z.output<typeof papersArticle>;
export type PapersDataset = z.output<typeof papersDataset>;
export type PapersReference = z.output<typeof papersReference>;
export type PapersCitation = z.output<typeof papersCitation>;
export type PapersAuthor = z.output<typeof papersAuthor>;
export type PapersAuthorFound = z.output<typeof papersAuthorFound>;
export type PapersAuthorWork = z.output<typeof papersAuthorWork>;
export type PapersInstitution = z.output<typeof papersInstitution>;
export type PapersJournal = z.output<typeof papersJournal>;
export type PapersFunder = z.output<typeof papersFunder>;
export type PapersFunderFound = z.output<typeof papersFunderFound>;
export type PapersOpenAccess = z.output<typeof papersOpenAccess>;
