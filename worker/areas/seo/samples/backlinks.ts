import type { SampleRequest } from "../../../sandbox/sample.ts";
import { type SampleTask, live, page } from "../../../sandbox/dataforseo-live.ts";
import {
  breakdowns,
  countries,
  crawled,
  figures,
  moment,
  profile,
  site,
  words,
} from "../../../sandbox/figures.ts";
import { type Vary, vary } from "../../../sandbox/vary.ts";

const at = (name: string) => `/v3/backlinks/${name}/live`;
/** Rows of a sample list. */
const found = { default: 46 };
const sections = ["article", "main", "footer", "aside", ""];
const platforms = ["blogs", "cms", "news", "organization", "ecommerce", "unknown"];

const textOf = (value: unknown, fallback: string) => (typeof value === "string" ? value : fallback);

function summary(task: SampleTask) {
  const v = vary("summary", JSON.stringify(task));
  return {
    target: task.target,
    ...profile(v, 1),
    ...crawled(v),
    info: {
      server: "nginx",
      cms: "samplepress",
      platform_type: ["cms", "blogs"],
      ip_address: `192.0.2.${v.int("ip", 1, 254)}`,
      country: v.pick("country", countries),
      is_ip: false,
      target_spam_score: v.int("own spam", 0, 30),
    },
  };
}

function backlink(task: SampleTask, target: string, index: number) {
  const v = vary("backlink", target, textOf(task.mode, ""), index);
  const from = site(v, index);
  const image = index % 6 === 3;
  const indirect = index % 5 === 2;
  const plain = index % 4 === 1;
  const to = /^https?:/.test(target) ? target : `https://${target}/${v.pick("path", words)}`;
  return {
    type: "backlink",
    domain_from: from,
    url_from: `https://${from}/${v.pick("page", words)}-${index}`,
    url_from_https: true,
    domain_to: new URL(to).hostname,
    url_to: to,
    url_to_https: true,
    tld_from: "example",
    is_new: index % 7 === 0,
    is_lost: task.backlinks_status_type === "lost",
    backlink_spam_score: v.int("spam", 0, 50),
    rank: v.int("rank", 0, 400),
    page_from_rank: v.int("page rank", 0, 600),
    domain_from_rank: plain ? 0 : v.int("domain rank", 1, 600),
    domain_from_platform_type: plain ? null : [v.pick("platform", platforms)],
    domain_from_is_ip: false,
    domain_from_ip: `198.51.100.${v.int("ip", 1, 254)}`,
    domain_from_country: plain ? null : v.pick("country", countries),
    page_from_external_links: v.int("external", 1, 90),
    page_from_internal_links: v.int("internal", 1, 90),
    page_from_size: v.int("size", 2000, 300_000),
    page_from_encoding: "utf-8",
    page_from_language: plain ? null : "en",
    page_from_title: `${v.pick("title", words)} and ${v.pick("second", words)}`,
    page_from_status_code: 200,
    first_seen: moment(v, "first", 2023),
    prev_seen: index % 7 === 0 ? null : moment(v, "prev", 2025),
    last_seen: moment(v, "last", 2026),
    item_type: image ? "image" : indirect ? "redirect" : "anchor",
    attributes: plain ? null : ["noopener", "nofollow"].slice(0, 1 + (index % 2)),
    dofollow: index % 2 === 0,
    original: index % 3 === 0,
    alt: image ? `Picture of a ${v.pick("alt", words)}` : null,
    image_url: image ? `https://${from}/images/${index}.webp` : null,
    anchor: image ? null : `${v.pick("anchor", words)} guide`,
    text_pre: plain ? null : "As told in",
    text_post: plain ? null : "by the same author",
    semantic_location: v.pick("section", sections) || null,
    links_count: v.int("links", 1, 4),
    group_count: task.mode === "as_is" ? 0 : v.int("group", 1, 20),
    is_broken: index % 11 === 10,
    url_to_status_code: indirect ? 301 : 200,
    url_to_spam_score: v.int("to spam", 0, 20),
    url_to_redirect_target: indirect ? `https://www.${target}/` : null,
    ranked_keywords_info: {
      page_from_keywords_count_top_3: v.int("top 3", 0, 4),
      page_from_keywords_count_top_10: v.int("top 10", 4, 20),
      page_from_keywords_count_top_100: v.int("top 100", 20, 90),
    },
    is_indirect_link: indirect,
    indirect_link_path: indirect
      ? [{ type: "redirect", status_code: 301, url: `https://hop.${from}/r/${index}` }]
      : null,
  };
}

function domainPage(target: string, index: number) {
  const v = vary("domain page", target, index);
  const redirect = index % 6 === 4;
  const path = `${v.pick("path", words)}-${index}`;
  return {
    type: "backlinks_domain_page",
    main_domain: target,
    domain: target,
    tld: target.split(".").at(-1),
    page: `https://${target}/${path}`,
    ip: `203.0.113.${v.int("ip", 1, 254)}`,
    first_visited: moment(v, "first", 2022),
    prev_visited: index % 5 === 0 ? null : moment(v, "prev", 2025),
    fetch_time: moment(v, "fetch", 2026),
    status_code: redirect ? 301 : 200,
    location: redirect ? `https://www.${target}/${path}` : null,
    size: v.int("size", 500, 90_000),
    encoded_size: v.int("encoded", 200, 500),
    content_encoding: redirect ? null : "br",
    media_type: "text/html",
    server: "samplecache",
    meta: redirect
      ? null
      : {
          title: `About ${v.pick("title", words)}`,
          canonical: `https://${target}/${path}`,
          internal_links_count: v.int("internal", 3, 90),
          external_links_count: v.int("external", 0, 30),
          images_count: v.int("images", 0, 40),
          words_count: v.int("words", 80, 4000),
          page_spam_score: v.int("spam", 0, 30),
          social_media_tags: {
            "og:title": `About ${v.pick("title", words)}`,
            "og:type": "article",
          },
          htags: {
            h1: [v.pick("h1", words)],
            h2: [v.pick("h2", words), v.pick("h2b", words)],
            h3: [v.pick("h3", words)],
          },
          language: "en",
          charset: 65001,
          platform_type: ["cms"],
          technologies: { servers: { cdn: ["Samplecache"], web_servers: ["Nginx"] } },
        },
    page_summary: profile(v, index),
  };
}

/** Targets of an intersection, in the order of their numbers. */
function numbered(task: SampleTask): [string, string][] {
  return Object.entries((task.targets ?? {}) as Record<string, string>);
}

function domainIntersection(task: SampleTask, index: number) {
  const targets = numbered(task);
  const domain = site(vary("intersection", JSON.stringify(task.targets), index), index);
  const members = targets.map(([number, target], at) => {
    const v = vary("intersection", domain, target);
    const linked = isLinked(task, index, at, targets.length);
    const member = { type: "backlinks_domain_intersection", target: domain, ...profile(v, index) };
    return [number, linked ? member : null];
  });
  return {
    domain_intersection: Object.fromEntries(members) as unknown,
    summary: { intersections_count: members.filter(([, member]) => member !== null).length },
  };
}

/** `partial` lists domains that link to all targets; `all` also those that link to some, in turn. */
function isLinked(task: SampleTask, index: number, at: number, targets: number): boolean {
  return task.intersection_mode === "partial" || index % 2 === 0 || index % targets === at;
}

function pageIntersection(task: SampleTask, index: number) {
  const targets = numbered(task);
  const v = vary("pages", JSON.stringify(task.targets), index);
  const from = site(v, index);
  const url = `https://${from}/links-${index}`;
  const linking = targets.filter((_, at) => isLinked(task, index, at, targets.length));
  const members = linking.map(([number, target], at) => {
    const links = [index, index + 1].slice(0, 1 + (index % 2)).map((which) => ({
      ...backlink(task, target, which + at),
      domain_from: from,
      url_from: url,
    }));
    return [number, links];
  });
  return {
    page_intersection: Object.fromEntries(members) as unknown,
    summary: { intersections_count: members.length },
  };
}

/** Dates of a series: the first days of months, or the last days of periods. */
function dates(task: SampleTask, kind: "first of month" | "last of period"): string[] {
  const from = new Date(`${textOf(task.date_from, "2025-01-01")}T00:00:00Z`);
  const to = new Date(`${textOf(task.date_to, "2025-12-31")}T00:00:00Z`);
  const found: string[] = [];
  const day = new Date(from);
  while (day <= to && found.length < 400) {
    const next = new Date(day.getTime() + 86_400_000);
    const ends = {
      day: true,
      week: next.getUTCDay() === 1,
      month: next.getUTCDate() === 1,
      year: next.getUTCDate() === 1 && next.getUTCMonth() === 0,
    };
    const wanted =
      kind === "first of month"
        ? day.getUTCDate() === 1
        : ends[textOf(task.group_range, "month") as keyof typeof ends];
    if (wanted) found.push(`${day.toISOString().slice(0, 10)} 00:00:00 +00:00`);
    day.setTime(next.getTime());
  }
  return found;
}

function series(
  task: SampleTask,
  request: SampleRequest,
  kind: "first of month" | "last of period",
  point: (v: Vary, date: string) => unknown,
) {
  const items = dates(task, kind).map((date) =>
    point(vary("point", String(task.target), date), date),
  );
  return {
    target: task.target,
    date_from: task.date_from ?? "2025-01-01",
    date_to: task.date_to ?? "2025-12-31",
    items_count: items.length,
    // History comes newest first, the others oldest first.
    items: request.empty ? null : kind === "first of month" ? items.reverse() : items,
  };
}

function deltas(v: Vary) {
  return {
    new_backlinks: v.int("new", 0, 900),
    lost_backlinks: v.int("lost", 0, 700),
    new_referring_domains: v.int("new domains", 0, 90),
    lost_referring_domains: v.int("lost domains", 0, 70),
  };
}

const mainDeltas = (v: Vary) => ({
  new_referring_main_domains: v.int("new main", 0, 80),
  lost_referring_main_domains: v.int("lost main", 0, 60),
});

const historyPoint = (v: Vary, date: string) => ({
  type: "backlinks_history",
  date,
  ...figures(v),
  ...crawled(v),
  ...breakdowns(v, false),
  ...(date >= "2021-05" ? deltas(v) : {}),
});

/** A list about `task.target`. */
function list(name: string, row: (task: SampleTask, index: number) => unknown) {
  return live(at(name), (task, request) => ({
    target: task.target,
    ...page(task, request, found, (index) => row(task, index)),
  }));
}

const about = (
  name: string,
  type: string,
  own: (v: Vary, task: SampleTask, index: number) => object,
) =>
  list(name, (task, index) => {
    const v = vary(name, String(task.target), index);
    return { type, ...own(v, task, index), ...profile(v, index) };
  });

/** Answers for many targets, in another order than requested; hosts that begin with "blog." are unknown. */
function bulk(name: string, row: (v: Vary, target: string, index: number) => object) {
  return live(at(name), (task, request) => {
    const targets = ((task.targets ?? []) as string[]).filter(
      (target) => !request.empty && !target.startsWith("blog."),
    );
    const items = targets
      .map((target, index) => ({
        type: `backlinks_${name}`,
        ...row(vary(name, target), target, index),
      }))
      .reverse();
    return { items_count: items.length, items };
  });
}

export const seoBacklinks = {
  ...live(at("summary"), (task, request) => (request.empty ? null : summary(task))),
  ...live(at("history"), (task, request) => series(task, request, "first of month", historyPoint)),
  ...live(at("backlinks"), (task, request) => ({
    target: task.target,
    mode: task.mode,
    ...page(task, request, found, (index) => backlink(task, String(task.target), index)),
    search_after_token: `sample-after-${Number(task.offset ?? 0) + Number(task.limit ?? 100)}`,
  })),
  ...about("anchors", "backlinks_anchor", (v, _task, index) => ({
    anchor: index % 8 === 5 ? null : `${v.pick("anchor", words)} no. ${index + 1}`,
  })),
  ...list("domain_pages", (task, index) => domainPage(String(task.target), index)),
  ...about("domain_pages_summary", "backlinks_page_summary", (v, task, index) => ({
    url: `https://${String(task.target).replace(/^https?:\/\/|\/.*$/g, "")}/${v.pick("path", words)}-${index}`,
  })),
  ...about("referring_domains", "backlinks_referring_domain", (v, _task, index) => ({
    domain: site(v, index),
  })),
  ...list("referring_networks", (task, index) => {
    const v = vary("networks", String(task.target), index);
    const { backlinks_spam_score: _score, ...known } = profile(v, index);
    const address = `203.0.${index}.${task.network_address_type === "subnet" ? "0" : v.int("ip", 1, 254)}`;
    return { type: "backlinks_referring_network", network_address: address, ...known };
  }),
  ...list("competitors", (task, index) => {
    const v = vary("competitors", String(task.target), index);
    const intersections = v.int("shared", 1, 300);
    return {
      type: "backlinks_competitors",
      target: site(v, index),
      rank: v.int("rank", 0, 700),
      intersections,
    };
  }),
  ...live(at("domain_intersection"), (task, request) => ({
    targets: task.targets,
    ...page(task, request, found, (index) => domainIntersection(task, index)),
  })),
  ...live(at("page_intersection"), (task, request) => ({
    targets: task.targets,
    ...page(task, request, found, (index) => pageIntersection(task, index)),
  })),
  ...live(at("timeseries_summary"), (task, request) =>
    series(task, request, "last of period", (v, date) => {
      const { broken_backlinks: _links, broken_pages: _pages, ...known } = figures(v);
      const backlinks_nofollow = Math.floor(known.backlinks / 6);
      return { type: "backlinks_timeseries_summary", date, ...known, backlinks_nofollow };
    }),
  ),
  ...live(at("timeseries_new_lost_summary"), (task, request) =>
    series(task, request, "last of period", (v, date) => ({
      type: "backlinks_timeseries_new_lost_summary",
      date,
      ...deltas(v),
      ...mainDeltas(v),
    })),
  ),
  ...bulk("bulk_ranks", (v, target) => ({ target, rank: v.int("rank", 0, 900) })),
  ...bulk("bulk_backlinks", (v, target) => ({ target, backlinks: v.int("links", 0, 90_000) })),
  ...bulk("bulk_spam_score", (v, target) => ({ target, spam_score: v.int("spam", 0, 100) })),
  ...bulk("bulk_referring_domains", (v, target) => {
    const domains = v.int("domains", 4, 9000);
    return {
      target,
      referring_domains: domains,
      referring_domains_nofollow: Math.floor(domains / 6),
      referring_main_domains: domains - 2,
      referring_main_domains_nofollow: Math.floor(domains / 7),
    };
  }),
  ...bulk("bulk_new_lost_backlinks", (v, target) => ({
    target,
    new_backlinks: v.int("new", 0, 900),
    lost_backlinks: v.int("lost", 0, 800),
  })),
  ...bulk("bulk_new_lost_referring_domains", (v, target) => ({
    target,
    new_referring_domains: v.int("new domains", 0, 90),
    lost_referring_domains: v.int("lost domains", 0, 80),
    ...mainDeltas(v),
  })),
  ...bulk("bulk_pages_summary", (v, url, index) => ({
    url,
    ...profile(v, index),
    main_domain_rank: v.int("main rank", 0, 900),
  })),
};
