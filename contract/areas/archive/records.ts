import * as z from "zod";
import { count } from "../../fields.ts";

/** Records of archived pages and items. */

const moment = (what: string) => z.string().describe(`${what}, ISO 8601 in UTC`).optional();

export const capture = z
  .object({
    url: z.string().describe("Address of the page that was captured"),
    captured_at: z.string().describe("When it was captured, ISO 8601 in UTC"),
    capture_url: z.string().describe("Page of the capture"),
    raw_url: z.string().describe("The captured content alone, without the archive's banner"),
    status: z.int().optional().describe("HTTP status that the site answered"),
    content_type: z.string().optional().describe("Media type of the content"),
    digest: z
      .string()
      .optional()
      .describe("SHA-1 of the content in base 32; equal for equal content"),
    size: count("Bytes of the compressed capture").optional(),
  })
  .meta({ id: "ArchiveCapture" });

export const nearestCapture = capture
  .pick({ url: true, captured_at: true, capture_url: true, raw_url: true, status: true })
  .meta({ id: "ArchiveNearestCapture" });

const about = {
  id: z.string().describe("Identifier of the item, as it stands in its address"),
  title: z.string().optional(),
  media_type: z.string().optional().describe("texts, audio, movies, software, image, web, …"),
  creators: z.array(z.string()).describe("Authors, artists or makers"),
  description: z.string().optional().describe("Plain text"),
  date: z.string().optional().describe("Day or year of the work, as its uploader wrote it"),
  languages: z.array(z.string()).describe("Languages, as its uploader named them"),
  subjects: z.array(z.string()).describe("Subjects, as its uploader named them"),
  collections: z.array(z.string()).describe("Identifiers of the collections that it is in"),
  license_url: z.string().optional().describe("Address of its licence"),
  published_at: moment("When it became public"),
  item_url: z.string().describe("Page of the item"),
};

export const archiveItemHit = z
  .object({ ...about, download_count: count("Views of all time").optional() })
  .meta({ id: "ArchiveItemHit" });

export const archiveItem = z
  .object({
    ...about,
    size: count("Bytes of all its files").optional(),
    file_count: count("Files").optional(),
    files: z
      .array(
        z
          .object({
            name: z.string(),
            url: z.string().describe("Address to download it from"),
            format: z.string().optional().describe("Format, as the archive names it"),
            size: count("Bytes").optional(),
            md5: z.string().optional().describe("MD5 of its content"),
            is_original: z.boolean().describe("Whether it was uploaded, not made by the archive"),
          })
          .meta({ id: "ArchiveFile" }),
      )
      .describe("The first 500 files"),
  })
  .meta({ id: "ArchiveItem" });

export type Capture = z.output<typeof capture>;
export type NearestCapture = z.output<typeof nearestCapture>;
export type ArchiveItemHit = z.output<typeof archiveItemHit>;
export type ArchiveItem = z.output<typeof archiveItem>;
