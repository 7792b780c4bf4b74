import * as z from "zod";

/** Fields that the areas which list a search page have in common. */

const operatingSystems = ["windows", "macos", "android", "ios"] as const;
export const os = z
  .enum(operatingSystems)
  .optional()
  .describe("Operating system of the searcher; without effect where the source knows none");

export const device = z
  .enum(["desktop", "mobile"])
  .optional()
  .describe("desktop where neither this nor `os` says otherwise");

interface Machine {
  device?: "desktop" | "mobile" | undefined;
  os?: (typeof operatingSystems)[number] | undefined;
}

/** Device of a call: the one asked for, or the one that `os` runs on. */
export function deviceOf(input: Machine): "desktop" | "mobile" {
  if (input.device !== undefined) return input.device;
  return input.os === "android" || input.os === "ios" ? "mobile" : "desktop";
}

export function coordinate(zoom?: { least: number; most: number; usual: number }) {
  const shape = {
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
  };
  const { least = 0, most = 0, usual = 0 } = zoom ?? {};
  return z
    .strictObject(zoom ? { ...shape, zoom: z.number().min(least).max(most).default(usual) } : shape)
    .optional()
    .describe("Place of the search, in place of `location`");
}

/** Input of a search page, with the rules that hold between its fields. */
export function pageInput<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).superRefine((given, context) => {
    const input = given as Machine & { min_rating?: number };
    if (input.os !== undefined && deviceOf({ os: input.os }) !== deviceOf(input)) {
      context.addIssue({ code: "custom", path: ["os"], message: "must be one of the device" });
    }
    if ((input.min_rating ?? 5) < 3.5 && deviceOf(input) === "desktop") {
      const message = "must be 3.5, 4 or 4.5 on a desktop";
      context.addIssue({ code: "custom", path: ["min_rating"], message });
    }
  });
}
