import * as z from "zod";
import { page } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { listed, orderBy, view } from "../../search.ts";
import { innerListLimit, mentionInput, target } from "./fields.ts";
import { breakdown, mention, mentionEcho, mentionGroup } from "./records.ts";

/** The source takes up to two minutes. */
const deadlineMs = () => 130_000;

const linksScope = z
  .enum(["sources", "search_results"])
  .default("sources")
  .describe(
    "Links to count: the links that answers cite, or the links that the search for the answers found",
  );
const itemsListLimit = z.int().min(1).max(1000).default(5).describe("Most records to return");

const totals = breakdown.describe("Over all mentions that match");
const perItem = {
  kind: "list",
  rows: (data: { results: readonly unknown[] }) => data.results,
  most: (input: { items_list_limit: number }) => input.items_list_limit,
} as const;

const label = z.string().trim().min(1).max(250);
const labelled = z.strictObject({
  label: label.describe("Name of the group in the answer"),
  target,
});

const groups = z
  .array(labelled)
  .min(1)
  .max(10)
  .superRefine((given, context) => {
    for (const [index, { label: name }] of given.entries()) {
      if (given.findIndex((other) => other.label === name) === index) continue;
      const message = "must differ from the other labels";
      context.addIssue({ code: "custom", path: [index, "label"], message });
    }
  })
  .describe("Compared with each other, each under its label");

const top = <Id extends string>(id: Id, path: string, what: string) =>
  operation({
    id,
    method: "POST",
    path,
    summary: `${what} in the answers that mention a target`,
    input: mentionInput({
      target,
      links_scope: linksScope,
      items_list_limit: itemsListLimit,
      internal_list_limit: innerListLimit(20, 10),
    }),
    data: z.object({
      ...mentionEcho,
      links_scope: z.string(),
      totals,
      results: z.array(mentionGroup),
    }),
    records: perItem,
    deadlineMs,
    example: { target: [{ keyword: "project management software" }], items_list_limit: 3 },
  });

export const mentions = [
  operation({
    id: "geo.mentions.aggregated_metrics",
    method: "POST",
    path: "/geo/mentions/aggregated-metrics",
    summary: "How often generative answers mention a target, broken down",
    input: mentionInput({ target, internal_list_limit: innerListLimit(20, 10) }),
    data: z.object({ ...mentionEcho, totals }),
    records: { kind: "one" },
    deadlineMs,
    example: { target: [{ domain: "example.com" }, { keyword: "example" }], engine: "assistant" },
  }),
  operation({
    id: "geo.mentions.cross_aggregated_metrics",
    method: "POST",
    path: "/geo/mentions/cross-aggregated-metrics",
    summary: "Mentions of several labeled groups of targets side by side",
    description:
      "One record per group, in the order of the request. `totals` counts a mention of several groups once.",
    input: mentionInput({ groups, internal_list_limit: innerListLimit(10, 5) }),
    data: z.object({ ...mentionEcho, totals, results: z.array(mentionGroup) }),
    records: {
      kind: "list",
      rows: (data) => data.results,
      most: (input) => input.groups.length,
    },
    deadlineMs,
    example: {
      groups: [
        { label: "Ours", target: [{ domain: "example.com" }] },
        { label: "Theirs", target: [{ keyword: "example organisation" }] },
      ],
    },
  }),
  operation({
    id: "geo.mentions.search",
    method: "POST",
    path: "/geo/mentions/search",
    summary: "Generative answers that mention a target",
    paginated: true,
    input: mentionInput({
      target,
      order_by: orderBy,
      view,
      offset: z
        .int()
        .min(0)
        .max(1_000_000)
        .optional()
        .describe("Records to skip, where there is no cursor yet"),
      ...page({ most: 1000, default: 100 }),
    }).refine(({ cursor, offset }) => cursor === undefined || offset === undefined, {
      path: ["offset"],
      message: "must not be given beside cursor",
    }),
    data: z.object({
      ...mentionEcho,
      view: z.string(),
      total_count: z.int().min(0).optional().describe("Answers that match in all"),
      results: z.array(mention),
    }),
    records: listed,
    deadlineMs,
    example: { target: [{ domain: "example.com" }], limit: 5 },
  }),
  top("geo.mentions.top_domains", "/geo/mentions/top-domains", "Domains linked most"),
  top("geo.mentions.top_pages", "/geo/mentions/top-pages", "Pages linked most"),
] as const;
