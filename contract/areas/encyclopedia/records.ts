import * as z from "zod";
import { count } from "../../fields.ts";

/** Fields of every record of a page; `entity_id` is the id of its subject in every language. */
const page = z.object({
  page_id: z.int(),
  title: z.string().describe("Title of the page; of its target where the requested one redirects"),
  language: z.string(),
  url: z.string().optional(),
  entity_id: z.string().optional(),
  revision_id: z.int().optional(),
  updated_at: z.string().optional(),
});

export const encyclopediaSummary = page
  .extend({
    description: z.string().optional().describe("The subject in a few words"),
    summary: z.string().optional().describe("The introduction as plain text"),
    is_disambiguation: z.boolean().describe("True for a list of pages with the same name"),
    thumbnail_url: z.string().optional(),
    image_url: z.string().optional(),
    latitude: z.number().optional(),
    longitude: z.number().optional(),
  })
  .meta({ id: "EncyclopediaSummary" });

export const encyclopediaPage = page
  .extend({
    markdown: z
      .string()
      .describe("The text with its headings, without tables, pictures, links and references"),
  })
  .meta({ id: "EncyclopediaPage" });

export const encyclopediaFound = z
  .object({
    page_id: z.int(),
    title: z.string(),
    language: z.string(),
    snippet: z.string().optional().describe("Plain text around the words"),
    word_count: count("Words of the page").optional(),
    size_bytes: count("Bytes of the page's source").optional(),
    updated_at: z.string().optional(),
    url: z.string(),
  })
  .meta({ id: "EncyclopediaFound" });

export const encyclopediaPageViews = z
  .object({
    title: z.string(),
    language: z.string(),
    granularity: z.string().describe("daily or monthly"),
    view_count: count("Views in all"),
    series: z
      .array(
        z.object({
          date: z.string().describe("The day, or the first one of the month"),
          view_count: count("Views by people"),
        }),
      )
      .describe("Counts, oldest first"),
  })
  .meta({ id: "EncyclopediaPageViews" });

export const encyclopediaEvent = z
  .object({
    text: z.string(),
    year: z.int().optional().describe("Negative before the year 1; absent for holidays"),
    pages: z
      .array(
        z.object({
          title: z.string(),
          description: z.string().optional().describe("The subject in a few words"),
          url: z.string().optional(),
          thumbnail_url: z.string().optional(),
          entity_id: z.string().optional(),
        }),
      )
      .describe("Pages about the subject"),
  })
  .meta({ id: "EncyclopediaEvent" });

export const encyclopediaLanguages = page
  .omit({ revision_id: true, updated_at: true })
  .extend({
    languages: z
      .array(
        z.object({
          language: z.string(),
          title: z.string(),
          name: z.string().optional().describe("English name of the language"),
          own_name: z.string().optional(),
          url: z.string().optional(),
        }),
      )
      .describe("The page in other languages"),
  })
  .meta({ id: "EncyclopediaLanguages" });

const value = z.object({
  type: z.string().describe("text, entity, time, quantity, coordinate, unknown or none"),
  text: z.string().optional(),
  language: z.string().optional(),
  entity_id: z.string().optional(),
  time: z.string().optional().describe("As far as `precision` goes: +1879-03-14T00:00:00Z"),
  precision: z.string().optional(),
  amount: z.string().optional().describe("A decimal number, exact"),
  unit: z.string().optional().describe("Id of the unit; absent for a bare number"),
  latitude: z.number().optional(),
  longitude: z.number().optional(),
});

export const encyclopediaEntity = z
  .object({
    id: z.string(),
    language: z.string(),
    label: z.string().optional().describe("Name in the language of the request"),
    description: z.string().optional(),
    aliases: z.array(z.string()),
    statements: z.array(
      z.object({
        property_id: z.string(),
        data_type: z.string().optional(),
        rank: z.string().optional().describe("preferred, normal or deprecated"),
        value,
      }),
    ),
    pages: z
      .array(z.object({ site: z.string(), title: z.string(), url: z.string().optional() }))
      .describe("Pages about the entity"),
    url: z.string(),
  })
  .meta({ id: "EncyclopediaEntity" });

export const encyclopediaEntityFound = z
  .object({
    id: z.string(),
    language: z.string(),
    label: z.string().optional().describe("Name in the language of the request"),
    description: z.string().optional(),
    matched_text: z.string().optional(),
    url: z.string(),
  })
  .meta({ id: "EncyclopediaEntityFound" });

export const encyclopediaQuery = z
  .object({
    columns: z.array(z.string()).describe("Variables of the query, in its order"),
    rows: z
      .array(
        z.object({
          cells: z
            .array(
              z.object({
                column: z.string().describe("Variable of the query"),
                type: z.string().describe("uri, literal or bnode"),
                value: z.string(),
                entity_id: z.string().optional(),
                language: z.string().optional(),
                data_type: z.string().optional().describe("Type of a literal, as an address"),
              }),
            )
            .describe("Values in the order of the columns; those without a value are absent"),
        }),
      )
      .describe("Rows of the answer"),
    is_complete: z.boolean().describe("False where `limit` cut the rows"),
  })
  .meta({ id: "EncyclopediaQuery" });

export type EncyclopediaQuery = z.output<typeof encyclopediaQuery>;
export type EncyclopediaSummary = z.output<typeof encyclopediaSummary>;
export type EncyclopediaPage = z.output<typeof encyclopediaPage>;
export type EncyclopediaFound = z.output<typeof encyclopediaFound>;
export type EncyclopediaPageViews = z.output<typeof encyclopediaPageViews>;
export type EncyclopediaEvent = z.output<typeof encyclopediaEvent>;
export type EncyclopediaLanguages = z.output<typeof encyclopediaLanguages>;
export type EncyclopediaEntity = z.output<typeof encyclopediaEntity>;
export type EncyclopediaEntityFound = z.output<typeof encyclopediaEntityFound>;
