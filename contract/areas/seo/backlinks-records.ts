import * as z from "zod";
import { count } from "../../fields.ts";

const time = (description: string) =>
  z.string().optional().describe(`${description}, ISO 8601 UTC`);
const counts = (description: string) =>
  z
    .record(z.string(), z.int().min(0))
    .optional()
    .describe(`${description}: name to number of links; \`unknown\` where there is no name`);
const rank = z.int().optional().describe("Rank by incoming links, on the scale of `rank_scale`");
const spamScore = (of: string) => z.int().optional().describe(`Spam score of ${of}, 0 to 100`);
const figure = (description: string) => count(description).optional();

const figures = {
  rank,
  backlinks: figure("Backlinks"),
  broken_backlinks: figure("Backlinks to pages that do not answer"),
  broken_pages: figure("Pages that do not answer and have backlinks"),
  referring_domains: figure("Referring domains, subdomains counted apart"),
  referring_domains_nofollow: figure("Of those, domains with a nofollow link"),
  referring_main_domains: figure("Referring registrable domains"),
  referring_main_domains_nofollow: figure("Of those, domains with a nofollow link"),
  referring_ips: figure("Referring IP addresses"),
  referring_subnets: figure("Referring subnets"),
  referring_pages: figure("Referring pages"),
  referring_pages_nofollow: figure("Of those, pages with a nofollow link"),
};

const breakdowns = {
  referring_links_tld: counts("Top-level domains of the referring pages"),
  referring_links_types: counts("Kinds of link"),
  referring_links_attributes: counts("Attributes of the links"),
  referring_links_platform_types: counts("Kinds of referring site"),
  referring_links_semantic_locations: counts("HTML elements around the links"),
  referring_links_countries: counts("Countries of the referring domains"),
};

const profile = {
  ...figures,
  backlinks_spam_score: spamScore("the referring pages, on average"),
  first_seen: time("First backlink seen"),
  lost_date: time("Last backlink lost"),
  ...breakdowns,
};

export const linkProfile = z.object(profile).meta({ id: "SeoLinkProfile" });
export type LinkProfile = z.output<typeof linkProfile>;

const crawled = {
  crawled_pages: figure("Pages crawled"),
  internal_links_count: figure("Links to pages of its own"),
  external_links_count: figure("Links to pages elsewhere"),
};

export const linkSummary = z
  .object({
    target: z.string(),
    view: z.string(),
    ...profile,
    ...crawled,
    info: z
      .object({
        server: z.string().optional(),
        cms: z.string().optional(),
        platform_types: z.array(z.string()).optional(),
        ip_address: z.string().optional(),
        country: z.string().optional().describe("Country code"),
        is_ip: z.boolean().optional(),
        spam_score: spamScore("the target"),
      })
      .optional(),
  })
  .meta({ id: "SeoLinkSummary" });
export type LinkSummary = z.output<typeof linkSummary>;

const deltas = {
  new_backlinks: figure("Backlinks found in the period"),
  lost_backlinks: figure("Backlinks lost in the period"),
  new_referring_domains: figure("Referring domains found in the period"),
  lost_referring_domains: figure("Referring domains lost in the period"),
};

export const historyPoint = z
  .object({
    date: z.string().describe("First day of the month, YYYY-MM-DD"),
    ...figures,
    ...crawled,
    ...deltas,
    ...breakdowns,
  })
  .meta({ id: "SeoHistoryPoint" });
export type HistoryPoint = z.output<typeof historyPoint>;

export const backlink = z
  .object({
    domain_from: z.string().optional(),
    url_from: z.string(),
    url_from_https: z.boolean().optional(),
    domain_to: z.string().optional(),
    url_to: z.string().optional(),
    url_to_https: z.boolean().optional(),
    tld_from: z.string().optional(),
    is_new: z.boolean().optional().describe("Found on the latest visit"),
    is_lost: z.boolean().optional().describe("Gone on the latest visit"),
    is_broken: z.boolean().optional().describe("Leads to a page that does not answer"),
    dofollow: z.boolean().optional(),
    original: z.boolean().optional().describe("Was there when the page was first indexed"),
    backlink_spam_score: spamScore("the backlink"),
    rank,
    page_from_rank: z.int().optional(),
    domain_from_rank: z.int().optional(),
    domain_from_platform_type: z.array(z.string()).optional(),
    domain_from_is_ip: z.boolean().optional(),
    domain_from_ip: z.string().optional(),
    domain_from_country: z.string().optional().describe("Country code"),
    page_from_external_links: figure("Links from the page to elsewhere"),
    page_from_internal_links: figure("Links from the page to its own site"),
    page_from_size: figure("Size of the page in bytes"),
    page_from_encoding: z.string().optional(),
    page_from_language: z.string().optional(),
    page_from_title: z.string().optional(),
    page_from_status_code: z.int().optional().describe("HTTP status of the page"),
    first_seen: time("First seen"),
    prev_seen: time("Seen before the latest visit"),
    last_seen: time("Last seen"),
    item_type: z
      .string()
      .optional()
      .describe("anchor, image, meta, canonical, alternate or redirect"),
    attributes: z.array(z.string()).optional().describe("Attributes of the link"),
    alt: z.string().optional(),
    image_url: z.string().optional(),
    anchor: z.string().optional(),
    text_pre: z.string().optional().describe("Text before the anchor"),
    text_post: z.string().optional().describe("Text behind the anchor"),
    semantic_location: z.string().optional().describe("HTML element around the link"),
    links_count: figure("Identical links on the page"),
    group_count: figure("Links of the same group, with a mode that groups"),
    url_to_status_code: z.int().optional().describe("HTTP status of the linked page"),
    url_to_spam_score: spamScore("the linked page"),
    url_to_redirect_target: z.string().optional(),
    is_indirect_link: z.boolean().optional().describe("Leads there through redirects"),
    indirect_link_path: z
      .array(
        z.object({
          type: z.string().optional(),
          status_code: z.int().optional().describe("HTTP status"),
          url: z.string(),
        }),
      )
      .optional(),
    ranked_keywords_info: z
      .object({
        page_from_keywords_count_top_3: figure("Keywords for which the page ranks in the top 3"),
        page_from_keywords_count_top_10: figure("Same for the top 10"),
        page_from_keywords_count_top_100: figure("Same for the top 100"),
      })
      .optional(),
  })
  .meta({ id: "SeoBacklink" });
export type Backlink = z.output<typeof backlink>;

export const anchorProfile = z
  .object({
    anchor: z.string().optional().describe("Text of the links; absent where there is none"),
    ...profile,
  })
  .meta({ id: "SeoAnchorProfile" });
export type AnchorProfile = z.output<typeof anchorProfile>;

export const pageProfile = z.object({ url: z.string(), ...profile }).meta({ id: "SeoPageProfile" });
export type PageProfile = z.output<typeof pageProfile>;

export const domainProfile = z
  .object({ domain: z.string(), ...profile })
  .meta({ id: "SeoDomainProfile" });
export type DomainProfile = z.output<typeof domainProfile>;

const { backlinks_spam_score: _score, ...networkFields } = profile;
export const networkProfile = z
  .object({ network_address: z.string().describe("IP address or subnet"), ...networkFields })
  .meta({ id: "SeoNetworkProfile" });
export type NetworkProfile = z.output<typeof networkProfile>;

export const domainPage = z
  .object({
    url: z.string(),
    domain: z.string().optional(),
    main_domain: z.string().optional(),
    tld: z.string().optional(),
    ip: z.string().optional(),
    title: z.string().optional(),
    first_visited: time("First visit of the crawler"),
    prev_visited: time("Visit before the latest"),
    fetch_time: time("Latest visit"),
    status_code: z.int().optional().describe("HTTP status of the page"),
    location: z.string().optional().describe("Where the page redirects"),
    size: figure("Bytes"),
    encoded_size: figure("Bytes on the wire"),
    media_type: z.string().optional(),
    content_encoding: z.string().optional(),
    server: z.string().optional(),
    meta: z
      .object({
        canonical: z.string().optional(),
        internal_links_count: figure("Links to pages of its own"),
        external_links_count: figure("Links to pages elsewhere"),
        images_count: figure("Images"),
        words_count: figure("Words"),
        spam_score: spamScore("the page"),
        language: z.string().optional(),
        charset: z.string().optional(),
        h1: z.array(z.string()).optional(),
        h2: z.array(z.string()).optional(),
        h3: z.array(z.string()).optional(),
        platform_types: z.array(z.string()).optional(),
        technologies: z
          .record(z.string(), z.record(z.string(), z.array(z.string())))
          .optional()
          .describe("Group, then category, then names"),
        social_media_tags: z.record(z.string(), z.string()).optional().describe("Tag to content"),
      })
      .optional()
      .describe("Absent on redirects"),
    ...profile,
  })
  .meta({ id: "SeoDomainPage" });
export type DomainPage = z.output<typeof domainPage>;

export const domainIntersection = z
  .object({
    domain: z.string().describe("The referring domain"),
    intersections_count: figure("Targets it links to"),
    referring_to: z.array(z.object({ target: z.string(), metrics: linkProfile })),
  })
  .meta({ id: "SeoDomainLinkIntersection" });
export type DomainIntersection = z.output<typeof domainIntersection>;

export const pageIntersection = z
  .object({
    url_from: z.string().describe("The referring page"),
    domain_from: z.string().optional(),
    intersections_count: figure("Targets it links to"),
    links_to: z.array(z.object({ target: z.string(), links: z.array(backlink) })),
  })
  .meta({ id: "SeoPageLinkIntersection" });
export type PageIntersection = z.output<typeof pageIntersection>;

export const backlinkCompetitor = z
  .object({
    target: z.string().describe("The competing domain"),
    rank,
    intersections: figure("Backlinks shared with the target"),
  })
  .meta({ id: "SeoBacklinkCompetitor" });
export type BacklinkCompetitor = z.output<typeof backlinkCompetitor>;

const { broken_backlinks: _links, broken_pages: _pages, ...pointFigures } = figures;
export const timePoint = z
  .object({
    date: z.string().describe("Last day of the period, YYYY-MM-DD"),
    ...pointFigures,
    backlinks_nofollow: figure("Of the backlinks, nofollow ones"),
  })
  .meta({ id: "SeoTimePoint" });
export type TimePoint = z.output<typeof timePoint>;

export const newLostPoint = z
  .object({
    date: z.string().describe("Last day of the period, YYYY-MM-DD"),
    ...deltas,
    new_referring_main_domains: figure("Referring registrable domains found in the period"),
    lost_referring_main_domains: figure("Referring registrable domains lost in the period"),
  })
  .meta({ id: "SeoNewLostPoint" });
export type NewLostPoint = z.output<typeof newLostPoint>;

/** Fields of the answers to bulk calls, beside `target`. */
export const bulkFields = {
  rank: { rank },
  backlinks: { backlinks: figures.backlinks },
  spamScore: { spam_score: spamScore("the target") },
  referringDomains: {
    referring_domains: figures.referring_domains,
    referring_domains_nofollow: figures.referring_domains_nofollow,
    referring_main_domains: figures.referring_main_domains,
    referring_main_domains_nofollow: figures.referring_main_domains_nofollow,
  },
  newLostBacklinks: {
    new_backlinks: deltas.new_backlinks,
    lost_backlinks: deltas.lost_backlinks,
  },
  newLostReferringDomains: {
    new_referring_domains: deltas.new_referring_domains,
    lost_referring_domains: deltas.lost_referring_domains,
    new_referring_main_domains: figure("Referring registrable domains found in the period"),
    lost_referring_main_domains: figure("Referring registrable domains lost in the period"),
  },
  pageSummary: {
    url: z.string().describe("The target as the source writes it"),
    main_domain_rank: z.int().optional().describe("Rank of the registrable domain"),
    ...profile,
  },
};
