import * as z from "zod";
import { operation } from "../../operation.ts";
import { bulkFields } from "./backlinks-records.ts";
import { bulkTargets, perTarget, recentDay } from "./fields.ts";
import { view } from "../../search.ts";
import { pageTarget } from "../../target.ts";

const targets = bulkTargets(pageTarget);
const rankScale = z
  .enum(["one_thousand", "one_hundred"])
  .default("one_thousand")
  .describe("Scale of every rank in the answer");
const since = recentDay("First day; one month ago by default", "2019-01-01", 366).optional();

const answers = <Shape extends z.ZodRawShape>(component: string, fields: Shape) =>
  z.object({
    results: z
      .array(z.object({ target: z.string(), ...fields }).meta({ id: component }))
      .describe("In the order of `targets`"),
    missing_targets: z.array(z.string()).optional().describe("Not known to the source"),
    unprocessed_targets: z
      .array(z.string())
      .optional()
      .describe("Not paid for by the balance, or lost with a part of the call that failed"),
  });

const shared = {
  method: "POST",
  pool: "seo-bulk",
  records: perTarget,
} as const;
const some = ["example.com", "blog.example.org", "https://example.net/guide"];

export const bulkBacklinks = [
  operation({
    ...shared,
    id: "seo.backlinks.bulk_ranks",
    path: "/seo/backlinks/bulk-ranks",
    summary: "Rank of up to 1000 domains or pages",
    input: z.strictObject({ targets, rank_scale: rankScale }),
    data: answers("SeoTargetRank", bulkFields.rank),
    example: { targets: some },
  }),
  operation({
    ...shared,
    id: "seo.backlinks.bulk_backlinks",
    path: "/seo/backlinks/bulk-backlinks",
    summary: "Number of backlinks of up to 1000 domains or pages",
    input: z.strictObject({ targets }),
    data: answers("SeoTargetBacklinks", bulkFields.backlinks),
    example: { targets: some },
  }),
  operation({
    ...shared,
    id: "seo.backlinks.bulk_spam_score",
    path: "/seo/backlinks/bulk-spam-score",
    summary: "Spam score of up to 1000 domains or pages",
    input: z.strictObject({ targets }),
    data: answers("SeoTargetSpamScore", bulkFields.spamScore),
    example: { targets: some },
  }),
  operation({
    ...shared,
    id: "seo.backlinks.bulk_referring_domains",
    path: "/seo/backlinks/bulk-referring-domains",
    summary: "Number of referring domains of up to 1000 domains or pages",
    input: z.strictObject({ targets }),
    data: answers("SeoTargetReferringDomains", bulkFields.referringDomains),
    example: { targets: some },
  }),
  operation({
    ...shared,
    id: "seo.backlinks.bulk_new_lost_backlinks",
    path: "/seo/backlinks/bulk-new-lost-backlinks",
    summary: "New and lost backlinks of up to 1000 domains or pages",
    input: z.strictObject({ targets, date_from: since }),
    data: answers("SeoTargetNewLostBacklinks", bulkFields.newLostBacklinks),
    example: { targets: some },
  }),
  operation({
    ...shared,
    id: "seo.backlinks.bulk_new_lost_referring_domains",
    path: "/seo/backlinks/bulk-new-lost-referring-domains",
    summary: "New and lost referring domains of up to 1000 domains or pages",
    input: z.strictObject({ targets, date_from: since }),
    data: answers("SeoTargetNewLostReferringDomains", bulkFields.newLostReferringDomains),
    example: { targets: some },
  }),
  operation({
    ...shared,
    id: "seo.backlinks.bulk_pages_summary",
    path: "/seo/backlinks/bulk-pages-summary",
    summary: "Backlink figures of up to 1000 domains or pages",
    description: "More than 100 different hosts take several requests to the upstream.",
    input: z.strictObject({
      targets,
      include_subdomains: z.boolean().default(true),
      rank_scale: rankScale,
      view,
    }),
    data: answers("SeoTargetSummary", bulkFields.pageSummary).extend({ view: z.string() }),
    example: { targets: some },
  }),
] as const;
