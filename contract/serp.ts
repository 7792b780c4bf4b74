import * as z from "zod";
import { asciiDomain, pageTarget } from "./target.ts";

export const serpViews = ["summary", "standard", "full"] as const;
export type SerpView = (typeof serpViews)[number];

export const serpView = z
  .enum(serpViews)
  .default("standard")
  .describe("How much of each element is returned; the elements themselves stay the same");

export const query = z.string().trim().min(1).max(700).describe("Words to search for");

/** Target of a visibility search. */
export const serpTarget = pageTarget.describe(
  "Domain or URL whose visibility is measured; subdomains count, `www.` and a path do not",
);

/** Remaining fields of an upstream element, under the source's own names. */
export const extras = z
  .record(z.string(), z.unknown())
  .optional()
  .describe("Further fields under the names of the source");

const rating = z
  .object({
    value: z.number(),
    votes_count: z.int().min(0).optional(),
    rating_type: z.string().optional().describe("Max5, Percents or CustomMax"),
    rating_max: z.number().optional(),
  })
  .meta({ id: "SerpRating" });
export type SerpRating = z.output<typeof rating>;

/** An element of a search page, without the elements inside it. */
const elementFields = {
  type: z.string().describe("Kind of element: organic, local_pack, news_search, …"),
  is_billable: z.boolean().describe("Counts toward billing; adverts are free context"),
  is_paid: z.literal(true).optional().describe("Present on adverts"),
  rank: z.int().optional().describe("Place among all elements, from 1"),
  group_rank: z.int().optional().describe("Place among the elements of the same type"),
  title: z.string().optional(),
  url: z.string().optional(),
  domain: z.string().optional(),
  snippet: z.string().optional(),
  image_url: z.string().optional(),
  phone: z.string().optional(),
  address: z.string().optional(),
  category: z.string().optional(),
  rating: rating.optional(),
  latitude: z.number().optional(),
  longitude: z.number().optional(),
  extras,
};

export interface SerpListElement extends z.output<z.ZodObject<typeof elementFields>> {
  nested_items?: SerpListElement[] | undefined;
}

/** An element of a search page, as events, local, maps, news and organic search list it. */
export const serpListElement = z
  .object({
    ...elementFields,
    get nested_items(): z.ZodOptional<z.ZodArray<z.ZodType<SerpListElement>>> {
      return z
        .array(serpListElement as z.ZodType<SerpListElement>)
        .optional()
        .describe("Elements inside this one; never billed");
    },
  })
  .meta({ id: "SerpListElement" });

/** Fields of every list of search elements, beside the list's own fields. */
export const serpAnswer = {
  query: z.string(),
  location: z.string(),
  language: z.string(),
  view: z.string(),
  observed_at: z.string().optional().describe("ISO 8601 UTC"),
  search_url: z.string().optional(),
  total_results: z.int().min(0).optional().describe("Results that the source claims to know"),
  item_types: z.array(z.string()).describe("Types of element, in the order of the source"),
  result_count: z.int().min(0).describe("Elements in `results`"),
};

/** Billing of a list of search elements: the billable ones, up to `limit` of them. */
export const perElement = {
  kind: "list",
  rows: (data: { results: readonly unknown[] }) => data.results,
  most: (input: { limit: number }) => input.limit,
  billable: (row: { is_billable: boolean }) => row.is_billable,
} as const;

/** Parameters of a result page that go to the source unchanged. */
export const resultPage = {
  google_domain: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^(www\.)?google\.[a-z]{2,3}(\.[a-z]{2})?$/, {
      message: "must be a domain of the search engine, such as google.co.uk",
    })
    .optional()
    .describe("Domain of the search engine, such as google.co.uk; by location when absent"),
  expand_related_results: z
    .boolean()
    .optional()
    .describe("Further results of a site as elements of their own instead of below its first one"),
  remove_url_params: z
    .array(z.string().trim().min(1).max(100))
    .min(1)
    .max(10)
    .optional()
    .describe("Query parameters that are taken out of the addresses of results"),
  google_search_params: z
    .string()
    .trim()
    .max(500)
    .regex(/^&?[\w.~-]+=[\w.~%+:,;*!()-]*(?:&[\w.~-]+=[\w.~%+:,;*!()-]*)*$/, {
      message: "must be parameters of the search engine's address, such as tbs=qdr:w",
    })
    .optional()
    .describe("Further parameters of the search engine's address, such as tbs=qdr:w"),
};

/** Parameters of the elements' positions on a screen. */
export const pixelRanking = {
  include_pixel_rankings: z
    .boolean()
    .default(false)
    .describe(
      "Adds the position of each element on the screen, as `extras.rectangle` in every view",
    ),
  viewport: z
    .strictObject({
      width: z.int().min(240).max(9999),
      height: z.int().min(240).max(9999),
      device_scale_factor: z.number().min(0.5).max(3).optional(),
      pixel_ratio: z
        .number()
        .min(0.5)
        .max(3)
        .optional()
        .describe("Another spelling of `device_scale_factor`"),
    })
    .refine(
      (screen) => screen.device_scale_factor === undefined || screen.pixel_ratio === undefined,
      {
        path: ["pixel_ratio"],
        message: "is given beside device_scale_factor",
      },
    )
    .optional()
    .describe("Screen for pixel rankings; default: the screen of the device"),
};

const referenceFields = {
  title: z.string().optional(),
  url: z.string().optional(),
  domain: z.string().optional(),
  source: z.string().optional().describe("Name of the publisher"),
  snippet: z.string().optional(),
  position: z.string().optional().describe("Side of the page"),
};

/** A source that a generated answer cites. */
export const serpReference = z
  .object({
    ...referenceFields,
    is_target: z.boolean().optional().describe("Present where the request has a target"),
  })
  .meta({ id: "SerpReference" });
export type SerpReference = z.output<typeof serpReference>;

const citation = z
  .object({
    ...referenceFields,
    is_target: z.boolean().optional(),
    result_rank: z.int().optional().describe("Rank of the element that cites"),
    result_type: z.string(),
    result_title: z.string().optional(),
  })
  .meta({ id: "SerpCitation" });
export type SerpCitation = z.output<typeof citation>;

const match = z
  .object({
    rank: z.int().optional(),
    type: z.string(),
    title: z.string().optional(),
    domain: z.string().optional(),
    url: z.string().optional(),
  })
  .meta({ id: "SerpTargetMatch" });
export type SerpTargetMatch = z.output<typeof match>;

/** Visibility of the target on the page. */
const targetVisibility = z
  .object({
    value: z.string().describe("The target as requested"),
    domain: z.string().optional().describe("Its host, without `www.`"),
    present: z.boolean(),
    best_rank: z.int().optional().describe("Best rank of all matches and citations"),
    matches: z.array(match).describe("Elements, and parts of elements, that lead to the target"),
    citations: z.array(citation).describe("References of generated answers that lead to it"),
  })
  .meta({ id: "SerpTargetVisibility" });
export type SerpTargetVisibility = z.output<typeof targetVisibility>;

const competitor = z
  .object({
    domain: z.string(),
    best_rank: z.int().optional().describe("Best rank of the elements that cite it"),
    citation_count: z.int().min(1),
  })
  .meta({ id: "SerpCompetitor" });
export type SerpCompetitor = z.output<typeof competitor>;

/** Visibility fields of an answer, the same for every source. */
export const visibilityFields = {
  target: targetVisibility.optional().describe("Present when a target was requested"),
  competitors: z
    .array(competitor)
    .describe("Domains cited by generated answers, most citations first, at most 50"),
};

/** The host of a domain or URL in lower case and ASCII, without `www.`. */
export function hostName(text: string): string | undefined {
  const url = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(url)) return undefined;
  return asciiDomain(new URL(url).hostname)?.replace(/^www\./, "");
}
