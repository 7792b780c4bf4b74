import * as z from "zod";
import { filterExpression } from "../../filter.ts";
import { language, location } from "../../search.ts";
import { asciiDomain } from "../../target.ts";

export const engines = ["assistant", "searchengine"] as const;
export type Engine = (typeof engines)[number];
/** Aliases of the engines. */
const engineNames = { chatgpt: "assistant", google: "searchengine" } as const;

/** The engine of a request, under its name in answers. */
export function engineOf(given: Engine | keyof typeof engineNames): Engine {
  return given === "chatgpt" || given === "google" ? engineNames[given] : given;
}

const domainScopes = ["any", "sources", "search_results"] as const;
const keywordScopes = ["any", "question", "answer", "brand_entities", "fan_out_queries"] as const;
const scopes = [...new Set([...domainScopes, ...keywordScopes])] as [string, ...string[]];

const isDomain = (text: string) =>
  asciiDomain(text) !== undefined && !text.toLowerCase().startsWith("www.");

/** Target of a mentions search: a domain or a keyword. */
const mentionTarget = z
  .strictObject({
    domain: z
      .string()
      .trim()
      .min(1)
      .max(63)
      .refine(isDomain, { message: "must be a domain without scheme and www." })
      .optional()
      .describe("Domain without scheme and `www.`; either this or `keyword`"),
    keyword: z.string().trim().min(1).max(2000).optional(),
    filter: z
      .enum(["include", "exclude"])
      .default("include")
      .describe("Whether answers with it count or are left out"),
    scope: z
      .array(z.enum(scopes))
      .min(1)
      .max(scopes.length)
      .optional()
      .describe(
        `Where it is looked for: for a domain ${domainScopes.join(", ")}, for a keyword ${keywordScopes.join(", ")}`,
      ),
    match: z
      .enum(["word", "partial"])
      .default("word")
      .describe("Whole words or parts of words; without effect on a domain"),
    include_subdomains: z.boolean().default(false).describe("Without effect on a keyword"),
  })
  .superRefine((target, context) => {
    const { domain, keyword, scope = [] } = target;
    if ((domain === undefined) === (keyword === undefined)) {
      const message = "must have exactly one of `domain` and `keyword`";
      context.addIssue({ code: "custom", path: [], message });
      return;
    }
    const known: readonly string[] = domain === undefined ? keywordScopes : domainScopes;
    for (const [index, entry] of scope.entries()) {
      if (known.includes(entry)) continue;
      const message = `must be one of ${known.join(", ")}`;
      context.addIssue({ code: "custom", path: ["scope", index], message });
    }
  })
  .meta({ id: "GeoMentionTarget" });
export type MentionTarget = z.output<typeof mentionTarget>;

/** Targets that are measured together. */
export const target = z
  .array(mentionTarget)
  .min(1)
  .max(10)
  .describe("Domains and keywords whose mentions are counted together");

export const filters = filterExpression({
  id: "GeoMentionFilter",
  fields: [
    "ai_search_volume",
    "mentions",
    "platform",
    "model",
    "location",
    "language",
    "sources_domain",
    "search_results_domain",
    "brand_entities_title",
    "brand_entities_category",
  ],
})
  .optional()
  .describe(
    "Only mentions that fit are counted; `platform` is assistant or searchengine, `model` the name of the assistant's model",
  );

/** Input fields of every operation about mentions. */
export const mentionFields = {
  engine: z
    .enum([...engines, "chatgpt", "google"])
    .default("searchengine")
    .describe(
      "Generative answers of an assistant (United States and English only) or of a search engine; `chatgpt` and `google` are other spellings of the two",
    ),
  location,
  language,
  filters,
};

const americas: readonly unknown[] = ["us", "united states", 2840];
const english: readonly unknown[] = ["en", "english"];
const lower = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : value);

/** Input of an operation about mentions: the assistant's answers exist for one country and language only. */
export function mentionInput<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject({ ...mentionFields, ...shape }).superRefine((given, context) => {
    const input = given as z.output<z.ZodObject<typeof mentionFields>>;
    if (engineOf(input.engine) !== "assistant") return;
    for (const [field, known] of [
      ["location", americas],
      ["language", english],
    ] as const) {
      if (known.includes(lower(input[field]))) continue;
      const message = `must be ${String(known[1])} for the engine assistant`;
      context.addIssue({ code: "custom", path: [field], message });
    }
  });
}

export function innerListLimit(most: number, defaultLimit: number) {
  return z
    .int()
    .min(1)
    .max(most)
    .default(defaultLimit)
    .describe("Most entries of each breakdown; the source prints 10 at most");
}
