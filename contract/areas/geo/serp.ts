import * as z from "zod";
import { operation } from "../../operation.ts";
import {
  extras,
  query,
  serpReference,
  serpTarget,
  serpView,
  visibilityFields,
  pixelRanking,
  resultPage,
} from "../../serp.ts";
import { language, location } from "../../search.ts";

const link = z
  .object({
    title: z.string().optional(),
    url: z.string().optional(),
    domain: z.string().optional(),
    snippet: z.string().optional(),
    is_target: z.boolean().optional(),
  })
  .meta({ id: "GeoSerpLink" });
export type GeoLink = z.output<typeof link>;

const image = z
  .object({
    alt: z.string().optional(),
    url: z.string().optional().describe("Page that shows it"),
    image_url: z.string().optional(),
  })
  .meta({ id: "GeoSerpImage" });
export type GeoImage = z.output<typeof image>;

const table = z
  .object({
    header: z
      .array(z.string())
      .optional()
      .describe("Absent where the first of the rows is the header"),
    rows: z.array(z.array(z.string())),
  })
  .meta({ id: "GeoSerpTable" });
export type GeoTable = z.output<typeof table>;

const sectionFields = {
  type: z.string(),
  title: z.string().optional(),
  text: z.string().optional(),
  markdown: z.string().optional(),
  url: z.string().optional(),
  domain: z.string().optional(),
  source: z.string().optional().describe("Name of the publisher"),
  snippet: z.string().optional(),
  references: z.array(serpReference).optional(),
  links: z.array(link).optional(),
  images: z.array(image).optional(),
  table: table.optional(),
  is_target: z.boolean().optional().describe("Present where the request has a target"),
  extras,
};

export interface GeoSection extends z.output<z.ZodObject<typeof sectionFields>> {
  nested_items?: GeoSection[] | undefined;
}

const section = z
  .object({
    ...sectionFields,
    get nested_items(): z.ZodOptional<z.ZodArray<z.ZodType<GeoSection>>> {
      return z
        .array(section as z.ZodType<GeoSection>)
        .optional()
        .describe("Parts of the section; view full only");
    },
  })
  .meta({ id: "GeoSerpSection" });

const element = z
  .object({
    type: z.string().describe("ai_overview is the generated answer"),
    rank: z.int().optional().describe("Place among all elements, from 1"),
    group_rank: z.int().optional().describe("Place among the elements of the same type"),
    page: z.int().optional(),
    position: z.string().optional().describe("Side of the page"),
    title: z.string().optional(),
    text: z.string().optional(),
    markdown: z.string().optional(),
    references: z.array(serpReference).optional().describe("What the answer cites, each page once"),
    links: z.array(link).optional().describe("Links; of an organic element its own address first"),
    images: z.array(image).optional(),
    sections: z.array(section).optional(),
    is_billable: z.boolean(),
    is_target: z.boolean().optional().describe("Present where the request has a target"),
    extras,
  })
  .meta({ id: "GeoSerpElement" });
export type GeoElement = z.output<typeof element>;

const surface = z
  .enum(["ai_mode", "ai_overview"])
  .default("ai_mode")
  .describe("A conversation's answer, or the overview above ordinary results");

/** More than any page has: all elements of the source are delivered, and billed above the minimum. */
const mostBillable = 100;

export const serp = operation({
  id: "geo.serp",
  method: "POST",
  path: "/geo/serp",
  summary: "One live generated answer: its text, what it cites, and who is visible in it",
  description:
    "`depth`, `google_domain`, `expand_related_results`, `remove_url_params` and `google_search_params` belong to a result page: surface ai_overview only.",
  minimum: 10,
  input: z
    .strictObject({
      query,
      location,
      language,
      device: z.enum(["desktop", "mobile"]).default("desktop"),
      surface,
      target: serpTarget.optional(),
      view: serpView,
      depth: z
        .int()
        .min(1)
        .max(200)
        .optional()
        .describe("Organic results around an overview, 10 by default"),
      ...resultPage,
      ...pixelRanking,
    })
    .superRefine((given, context) => {
      if (given.surface === "ai_overview") return;
      for (const field of ["depth", ...Object.keys(resultPage)] as const) {
        if (given[field as keyof typeof given] === undefined) continue;
        const message = "must be absent unless surface is ai_overview";
        context.addIssue({ code: "custom", path: [field], message });
      }
    }),
  data: z.object({
    query: z.string(),
    location: z.string(),
    language: z.string(),
    device: z.string(),
    surface: z.string(),
    view: z.string(),
    observed_at: z.string().optional().describe("ISO 8601 UTC"),
    search_url: z.string().optional(),
    total_results: z.int().min(0).optional().describe("Results that the source claims to know"),
    serp_features: z.array(z.string()).describe("Types of element on the page"),
    results: z
      .array(element)
      .describe(`Everything on the page, at most ${mostBillable} billable elements`),
    ...visibilityFields,
  }),
  records: {
    kind: "list",
    rows: (data) => data.results,
    most: () => mostBillable,
    billable: (row: GeoElement) => row.is_billable,
  },
  deadlineMs: () => 120_000,
  example: { query: "how do heat pumps work", target: "example.com" },
});
