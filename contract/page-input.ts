import * as z from "zod";
import { hasHost } from "./target.ts";

function urlProblem(value: string): string | undefined {
  const url = URL.parse(value);
  if (!url) return "must be an absolute URL";
  if (url.protocol !== "http:" && url.protocol !== "https:") return "must be an http or https URL";
  if (!hasHost(url)) return "must have a host name without empty parts";
  if (url.username || url.password) return "must not carry credentials";
  return undefined;
}

/** A language tag, or a list of them as `Accept-Language` has it. */
const languages = (() => {
  const range = "[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*( *; *q=(0(\\.[0-9]{1,3})?|1(\\.0{1,3})?))?";
  return new RegExp(`^${range}( *, *${range})*$`);
})();

/** Input of every operation that renders a page. */
export const pageFields = {
  url: z
    .string()
    .min(1, { abort: true })
    .max(8192)
    .superRefine((value, context) => {
      const problem = urlProblem(value);
      if (problem) context.addIssue({ code: "custom", message: problem });
    })
    .describe("Absolute http or https URL of the page"),
  wait_until: z
    .enum(["load", "domcontentloaded", "networkidle0", "networkidle2"])
    .default("load")
    .describe(
      "Stage the page must reach; load is fastest, networkidle0 waits for the network to go idle",
    ),
  wait_for_selector: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      "After the stage, also wait until an element matches this CSS selector, within timeout_ms",
    )
    .meta({ examples: ["#results .item"] }),
  timeout_ms: z
    .int()
    .min(1000)
    .max(60_000)
    .default(30_000)
    .describe("Navigation timeout in milliseconds"),
  accept_language: z
    .string()
    .max(200)
    .regex(languages, "must be language tags as in the header Accept-Language")
    .optional()
    .describe("Languages of the request, as in the header of that name; scripts see them as well")
    .meta({ examples: ["de-CH, de;q=0.9, en;q=0.5"] }),
};

export const includeMetadata = z
  .boolean()
  .default(false)
  .describe("Adds metadata: the document's own description, and the status of its answer")
  .meta({ examples: [true] });

/** Metadata of a document, with the status and media type of its answer. */
export const metadata = z
  .object({
    title: z.string().optional().describe("Title of the document, if it has one"),
    description: z
      .string()
      .optional()
      .describe("Description by the document itself, if it has one"),
    language: z.string().optional().describe("Language as the document states it"),
    canonical_url: z.string().optional().describe("Canonical address as the document states it"),
    status: z.int().optional().describe("HTTP status of the last main document"),
    content_type: z.string().describe("Media type of the last main document"),
  })
  .optional()
  .describe("Present when include_metadata is true");

export const viewport = z
  .strictObject({ width: z.int().min(1).max(3840), height: z.int().min(1).max(3840) })
  .default({ width: 1920, height: 1080 })
  .describe("Viewport in CSS pixels");

/** Screen settings that differ from the default desktop screen. */
export const screenFields = {
  viewport,
  device_scale_factor: z
    .number()
    .min(0.5)
    .max(4)
    .default(1)
    .describe("Pixels of the picture for each CSS pixel")
    .meta({ examples: [2] }),
  mobile: z
    .boolean()
    .default(false)
    .describe(
      "Lay out as on a phone: the page's viewport element counts, and the screen is touched; give the phone's viewport too",
    )
    .meta({ examples: [true] }),
  color_scheme: z
    .enum(["light", "dark"])
    .default("light")
    .describe("Value of prefers-color-scheme")
    .meta({ examples: ["dark"] }),
};

/** Most pixels of one picture. */
const maxPixels = 120_000_000;

/** True when the viewport alone has more pixels than a picture may have. */
export function tooManyPixels(input: {
  viewport: { width: number; height: number };
  device_scale_factor: number;
}): boolean {
  const { width, height } = input.viewport;
  return width * height * input.device_scale_factor ** 2 > maxPixels;
}

/** Least time for queueing and reading the page, in addition to `timeout_ms`. */
const marginMs = 15_000;

/** Time from arrival to the latest answer of an operation that renders a page. */
export const pageDeadlineMs = (input: { timeout_ms: number }) =>
  Math.min(input.timeout_ms + marginMs, 75_000);

export const renderedUrl = z.string().describe("The rendered URL, after redirects");
