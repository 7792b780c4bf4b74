import * as z from "zod";

const reserved = new Set(["__proto__", "constructor", "prototype"]);

const selector = z.strictObject({
  name: z
    .string()
    .max(50, { abort: true })
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,49}$/, "must be letters, digits and underscores, 50 at most")
    .refine((name) => !reserved.has(name), { message: "is a reserved name" })
    .describe("Name of the value in `selected`"),
  selector: z.string().min(1).max(1000).describe("CSS selector"),
  attribute: z
    .string()
    .max(100, { abort: true })
    .regex(/^[A-Za-z_:][A-Za-z0-9_.:-]{0,99}$/, "must be the name of an attribute")
    .optional()
    .describe("Attribute that holds the value; the text of the element when absent"),
  type: z
    .enum(["text", "number", "integer", "boolean", "url", "date"])
    .default("text")
    .describe(
      "Type of the value. A number is plain (`1299.5`), or grouped with commas and a point (`1,299.50`), with at most a currency before or after; a date is ISO 8601",
    ),
  many: z.boolean().default(false).describe("Every match as a list, instead of the first match"),
});

/** Input of every operation that extracts data from a page. */
export const extractFields = {
  selectors: z
    .array(selector)
    .max(50)
    .default([])
    .superRefine((selectors, context) => {
      const names = selectors.map(({ name }) => name);
      for (const [index, name] of names.entries()) {
        if (names.indexOf(name) === index) continue;
        context.addIssue({ code: "custom", path: [index, "name"], message: "is given twice" });
      }
    })
    .describe("The caller's own fields, by CSS selector"),
  include_source: z
    .boolean()
    .default(false)
    .describe(
      "Adds the page's own JSON-LD, microdata, RDFa, microformats and application state as `extras`",
    ),
};
