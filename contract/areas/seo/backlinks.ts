import * as z from "zod";
import { day } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { bulkBacklinks } from "./backlinks-bulk.ts";
import {
  anchorProfile,
  backlink,
  backlinkCompetitor,
  domainIntersection,
  domainPage,
  domainProfile,
  historyPoint,
  linkSummary,
  networkProfile,
  newLostPoint,
  pageIntersection,
  pageProfile,
  timePoint,
} from "./backlinks-records.ts";
import { filters, inOrder, isInOrder, listInput, paging } from "./fields.ts";
import { listed, orderBy, view } from "../../search.ts";
import { address, bareHost, domainTarget, isPage, pageTarget } from "../../target.ts";

const rankScale = z
  .enum(["one_thousand", "one_hundred"])
  .default("one_thousand")
  .describe("Scale of every rank in the answer");
const includeSubdomains = z.boolean().default(true);
const excludeInternal = z.boolean().default(true).describe("Leave out links within the target");
const includeIndirect = z.boolean().default(true).describe("Count links through redirects");
const status = z
  .enum(["live", "lost", "all"])
  .default("live")
  .describe("Backlinks that are there, that are gone, or both");

/** Filters of the backlinks that the figures are computed from. */
const scope = {
  include_subdomains: includeSubdomains,
  include_indirect_links: includeIndirect,
  exclude_internal_backlinks: excludeInternal,
  backlinks_status_type: status,
  backlinks_filters: filters.describe("Only backlinks that fit are counted"),
  rank_scale: rankScale,
  internal_list_limit: z
    .int()
    .min(1)
    .max(1000)
    .default(10)
    .describe("Most entries of each breakdown"),
};
const { include_indirect_links: _indirect, ...directScope } = scope;
const { backlinks_filters: _filters, ...pageScope } = scope;

const shaped = { filters, order_by: orderBy, view };

const list = <Row extends z.ZodType>(row: Row) =>
  z.object({
    target: z.string(),
    view: z.string(),
    total_count: z.int().min(0).optional(),
    results: z.array(row),
  });

const intersected = {
  targets: z.array(pageTarget).min(1).max(20),
  exclude_targets: z
    .array(address(isTargetPattern, "must be a domain or an absolute URL", bareHost))
    .min(1)
    .max(10)
    .optional()
    .describe("Domains and pages that must not be linked to; a `*` at the end stands for any rest"),
  intersection_mode: z
    .enum(["all", "partial"])
    .default("all")
    .describe(
      "Selection of results: every backlink of any target, or only those that all targets have in common",
    ),
};

function isTargetPattern(text: string): boolean {
  const bare = text.endsWith("*") ? text.slice(0, -1) : text;
  return isPage(bare) || pageTarget.safeParse(bare.replace(/[/.]$/, "")).success;
}

const intersections = <Row extends z.ZodType>(row: Row) =>
  z.object({
    targets: z.array(z.string()),
    view: z.string(),
    total_count: z.int().min(0).optional(),
    results: z.array(row),
  });

const series = <Point extends z.ZodType, More extends z.ZodRawShape>(point: Point, more: More) =>
  z.object({
    target: z.string(),
    date_from: z.string().optional(),
    date_to: z.string().optional(),
    ...more,
    series: z.array(point).describe("Oldest first"),
  });

const period = {
  target: domainTarget,
  date_from: day("First day", "2019-01-30").optional(),
  date_to: day("Last day", "2019-01-30").optional(),
  group_range: z
    .enum(["day", "week", "month", "year"])
    .default("month")
    .describe("Period of a point"),
  include_subdomains: includeSubdomains,
};

export const backlinks = [
  operation({
    id: "seo.backlinks.summary",
    method: "POST",
    path: "/seo/backlinks/summary",
    summary: "Backlink figures of a domain or page",
    input: z.strictObject({ target: pageTarget, ...scope, view }),
    data: linkSummary,
    records: { kind: "one" },
    example: { target: "example.com" },
  }),
  operation({
    id: "seo.backlinks.history",
    method: "POST",
    path: "/seo/backlinks/history",
    summary: "Backlink figures of a domain, month by month",
    description: "New and lost links are known since May 2021.",
    input: z
      .strictObject({
        target: domainTarget,
        date_from: day("First day", "2019-01-01").optional(),
        date_to: day("Last day", "2019-01-01").optional(),
        rank_scale: rankScale,
        view,
      })
      .refine(isInOrder, inOrder),
    data: series(historyPoint, { view: z.string() }),
    records: { kind: "one" },
    example: { target: "example.com", date_from: "2021-01-01", date_to: "2021-12-31" },
  }),
  operation({
    id: "seo.backlinks.list",
    method: "POST",
    path: "/seo/backlinks/list",
    summary: "Backlinks of a domain or page",
    description: "The total is an estimate of the source.",
    input: listInput({
      target: pageTarget,
      mode: z
        .enum(["as_is", "one_per_domain", "one_per_anchor"])
        .default("as_is")
        .describe("Every backlink, or the best of each domain or anchor"),
      backlinks_status_type: status,
      include_subdomains: includeSubdomains,
      include_indirect_links: includeIndirect,
      exclude_internal_backlinks: excludeInternal,
      rank_scale: rankScale,
      ...shaped,
      ...paging({ mostOffset: 20_000 }),
    }),
    data: list(backlink).extend({ mode: z.string() }),
    paginated: true,
    records: listed,
    example: { target: "example.com", limit: 20 },
  }),
  operation({
    id: "seo.backlinks.anchors",
    method: "POST",
    path: "/seo/backlinks/anchors",
    summary: "Anchor texts of the backlinks of a domain or page",
    input: listInput({ target: pageTarget, ...scope, ...shaped, ...paging() }),
    data: list(anchorProfile),
    paginated: true,
    records: listed,
    example: { target: "example.com", limit: 20 },
  }),
  operation({
    id: "seo.backlinks.domain_pages",
    method: "POST",
    path: "/seo/backlinks/domain-pages",
    summary: "Pages of a domain with their backlink figures",
    input: listInput({ target: domainTarget, ...directScope, ...shaped, ...paging() }),
    data: list(domainPage),
    paginated: true,
    records: listed,
    example: { target: "example.com", limit: 20 },
  }),
  operation({
    id: "seo.backlinks.domain_pages_summary",
    method: "POST",
    path: "/seo/backlinks/domain-pages-summary",
    summary: "Backlink figures of every page of a target",
    input: listInput({ target: pageTarget, ...scope, ...shaped, ...paging() }),
    data: list(pageProfile),
    paginated: true,
    records: listed,
    example: { target: "example.com", limit: 20 },
  }),
  operation({
    id: "seo.backlinks.referring_domains",
    method: "POST",
    path: "/seo/backlinks/referring-domains",
    summary: "Domains that link to a target",
    input: listInput({ target: pageTarget, ...scope, ...shaped, ...paging() }),
    data: list(domainProfile),
    paginated: true,
    records: listed,
    example: { target: "example.com", limit: 20 },
  }),
  operation({
    id: "seo.backlinks.referring_networks",
    method: "POST",
    path: "/seo/backlinks/referring-networks",
    summary: "Networks whose sites link to a target",
    input: listInput({
      target: pageTarget,
      network_address_type: z.enum(["ip", "subnet"]).default("ip"),
      ...scope,
      ...shaped,
      ...paging(),
    }),
    data: list(networkProfile).extend({ network_address_type: z.string() }),
    paginated: true,
    records: listed,
    example: { target: "example.com", network_address_type: "subnet", limit: 20 },
  }),
  operation({
    id: "seo.backlinks.competitors",
    method: "POST",
    path: "/seo/backlinks/competitors",
    summary: "Domains that share backlinks with a target",
    input: listInput({
      target: pageTarget,
      main_domain: z.boolean().default(true).describe("Only the registrable domain of the target"),
      exclude_large_domains: z.boolean().default(true).describe("Leave out the largest platforms"),
      exclude_internal_backlinks: excludeInternal,
      rank_scale: rankScale,
      ...shaped,
      ...paging(),
    }),
    data: list(backlinkCompetitor),
    paginated: true,
    records: listed,
    example: { target: "example.com", limit: 20 },
  }),
  operation({
    id: "seo.backlinks.domain_intersection",
    method: "POST",
    path: "/seo/backlinks/domain-intersection",
    summary: "Domains that link to any or to all of several targets",
    description:
      "A target that a domain does not link to is absent from its `referring_to`. In `filters` and `order_by` a field is preceded by the number of the target from 1: `1.backlinks`.",
    input: listInput({ ...intersected, ...scope, ...shaped, ...paging() }),
    data: intersections(domainIntersection),
    paginated: true,
    records: listed,
    example: { targets: ["example.com", "example.org"], limit: 20 },
  }),
  operation({
    id: "seo.backlinks.page_intersection",
    method: "POST",
    path: "/seo/backlinks/page-intersection",
    summary: "Pages that link to any or to all of several targets",
    description:
      "A target that a page does not link to is absent from its `links_to`. In `filters` and `order_by` a field is preceded by the number of the target from 1: `1.rank`.",
    input: listInput({ ...intersected, ...pageScope, ...shaped, ...paging() }),
    data: intersections(pageIntersection),
    paginated: true,
    records: listed,
    example: { targets: ["example.com", "example.org"], limit: 20 },
  }),
  operation({
    id: "seo.backlinks.timeseries",
    method: "POST",
    path: "/seo/backlinks/timeseries",
    summary: "Backlink figures of a domain over time",
    input: z.strictObject({ ...period, rank_scale: rankScale }).refine(isInOrder, inOrder),
    data: series(timePoint, { group_range: z.string() }),
    records: { kind: "one" },
    example: { target: "example.com", date_from: "2025-01-01", date_to: "2025-12-31" },
  }),
  operation({
    id: "seo.backlinks.timeseries_new_lost",
    method: "POST",
    path: "/seo/backlinks/timeseries-new-lost",
    summary: "New and lost backlinks of a domain over time",
    input: z.strictObject(period).refine(isInOrder, inOrder),
    data: series(newLostPoint, { group_range: z.string() }),
    records: { kind: "one" },
    example: { target: "example.com", date_from: "2025-01-01", date_to: "2025-12-31" },
  }),
  ...bulkBacklinks,
] as const;
