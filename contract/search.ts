import * as z from "zod";

/** Fields and rules that all searching areas share. */

export const location = z
  .union([z.string().trim().min(2).max(120), z.int().positive()])
  .default("us")
  .describe(
    'ISO 3166-1 alpha-2 code, name, full name ("London,England,United Kingdom") or geo code (2000 + ISO numeric is a country)',
  );

export const language = z
  .string()
  .trim()
  .min(2)
  .max(80)
  .default("en")
  .describe("Language code or English name");

const operatingSystems = ["windows", "macos", "android", "ios"] as const;
export const os = z
  .enum(operatingSystems)
  .optional()
  .describe("Operating system of the searcher; without effect where the source knows none");

/** The operating systems of each kind of device. */
export const osRule = "must be windows or macos on a desktop, android or ios on a mobile";

export const device = z
  .enum(["desktop", "mobile"])
  .optional()
  .describe("desktop, unless this or `os` selects mobile");

interface Machine {
  device?: "desktop" | "mobile" | undefined;
  os?: (typeof operatingSystems)[number] | undefined;
}

/** Device of a call: the requested one, or the one that runs `os`. */
export function deviceOf(input: Machine): "desktop" | "mobile" {
  if (input.device !== undefined) return input.device;
  return input.os === "android" || input.os === "ios" ? "mobile" : "desktop";
}

interface ZoomLevels {
  least: number;
  most: number;
  default: number;
}

const zoomLevel = (levels: ZoomLevels) =>
  z.number().min(levels.least).max(levels.most).default(levels.default);

export function coordinate(zoom?: ZoomLevels) {
  const shape = {
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
  };
  return z
    .strictObject(zoom ? { ...shape, zoom: zoomLevel(zoom) } : shape)
    .optional()
    .describe("Point of the search, in place of `location`");
}

/** Input of a search page, with the rules that hold between its fields. */
export function pageInput<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).superRefine((given, context) => {
    const input = given as Machine & { min_rating?: number };
    if (input.os !== undefined && deviceOf({ os: input.os }) !== deviceOf(input)) {
      context.addIssue({ code: "custom", path: ["os"], message: osRule });
    }
    if ((input.min_rating ?? 5) < 3.5 && deviceOf(input) === "desktop") {
      const message = "must be 3.5, 4 or 4.5 on a desktop";
      context.addIssue({ code: "custom", path: ["min_rating"], message });
    }
  });
}

const fieldName = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/)
  .describe("Name of a field of the records");

export const orderBy = z
  .array(z.strictObject({ field: fieldName, dir: z.enum(["asc", "desc"]).default("desc") }))
  .min(1)
  .max(3)
  .optional()
  .describe("Order of the records, the first entry decides first");

export const view = z
  .enum(["summary", "full"])
  .default("full")
  .describe("How much of each record is returned");

/** Billing of a paginated list: every record of `results`. */
export const listed = {
  kind: "list",
  rows: (data: { results: readonly unknown[] }) => data.results,
  most: (input: { limit: number }) => input.limit,
} as const;
