import type { seo } from "../../../contract/areas/seo/index.ts";
import { type Call, type Connector } from "../../connector.ts";
import { whole } from "../../mapping/list.ts";
import { localityTask } from "../../mapping/locality.ts";
import { type Task, ask, itemsOf } from "../../upstreams/dataforseo/client.ts";
import { type Wire, count, rows } from "#wire";
import { perTarget } from "./backlinks-bulk.ts";
import {
  domainCompetitor,
  historicalSerp,
  intersectionField,
  metricsByType,
  oldestMonthFirst,
  pagesKeyword,
  rankMonth,
  rankOverview,
  rankedField,
  rankedKeyword,
  relevantPage,
  serpCompetitor,
  sharedKeyword,
  subdomain,
  trafficByType,
  trafficHistory,
} from "./competitors.map.ts";
import { sentKeyword } from "./keyword.map.ts";
import { type Locality, labs, localityOf } from "./labs.ts";
import { type ListInput, list } from "../../upstreams/dataforseo/list.ts";
import { upstreamPattern, upstreamTarget } from "./target.ts";

interface Listed<View> extends ListInput, Locality {
  view: View;
  item_types?: readonly string[] | undefined;
  ignore_synonyms?: boolean | undefined;
  historical_mode?: string | undefined;
}

/** One of the Labs lists; `task` has its fields beside the common ones. */
async function labsList<Row, View>(
  call: Call,
  input: Listed<View>,
  options: Pick<Parameters<typeof list<Row>>[2], "field" | "result"> & {
    name: string;
    task: Task;
    row: (row: Wire, view: View) => Row;
  },
) {
  const { name, task, row, ...rest } = options;
  const { listed, paged } = await list(call, input, {
    ...rest,
    path: labs(name),
    task: {
      ...task,
      ...localityTask(input),
      item_types: input.item_types,
      ignore_synonyms: input.ignore_synonyms,
      historical_serp_mode: input.historical_mode,
    },
    row: (wire) => row(wire, input.view),
  });
  return { shared: { ...localityOf(input), view: input.view, ...listed }, paged };
}

const modeOf = (input: {
  intersection_mode?: "union" | "intersect" | undefined;
  exclude_pages?: string[] | undefined;
}) => input.intersection_mode ?? (input.exclude_pages ? "union" : "intersect");

export default {
  "seo.competitors.domain": async (input, call) => {
    const { shared, paged } = await labsList(call, input, {
      name: "competitors_domain",
      task: {
        target: upstreamTarget(input.target),
        max_rank_group: input.max_rank_group,
        exclude_top_domains: input.exclude_top_domains,
        exclude_domains: input.exclude_domains?.map(upstreamTarget),
        intersecting_domains: input.intersecting_domains?.map(upstreamTarget),
      },
      row: domainCompetitor,
    });
    return { data: { target: input.target, ...shared }, ...paged };
  },

  "seo.competitors.serp": async (input, call) => {
    const { shared, paged } = await labsList(call, input, {
      name: "serp_competitors",
      task: {
        keywords: input.keywords.map(sentKeyword),
        include_subdomains: input.include_subdomains,
      },
      row: serpCompetitor,
    });
    return { data: { keywords: input.keywords, ...shared }, ...paged };
  },

  "seo.competitors.ranked_keywords": async (input, call) => {
    let first: Wire | undefined;
    const { shared, paged } = await labsList(call, input, {
      name: "ranked_keywords",
      task: {
        target: upstreamTarget(input.target),
        load_rank_absolute: input.load_rank_absolute,
      },
      row: rankedKeyword,
      field: rankedField,
      result(result) {
        first ??= result;
      },
    });
    const view = input.view === "summary" ? "summary" : "full";
    const data = {
      target: input.target,
      metrics: metricsByType(first?.metrics, view),
      metrics_absolute: metricsByType(first?.metrics_absolute, view),
      ...shared,
    };
    return { data, ...paged };
  },

  "seo.competitors.relevant_pages": async (input, call) => {
    const { shared, paged } = await labsList(call, input, {
      name: "relevant_pages",
      task: { target: upstreamTarget(input.target) },
      row: relevantPage,
    });
    return { data: { target: input.target, ...shared }, ...paged };
  },

  "seo.competitors.subdomains": async (input, call) => {
    const { shared, paged } = await labsList(call, input, {
      name: "subdomains",
      task: { target: upstreamTarget(input.target) },
      row: subdomain,
    });
    return { data: { target: input.target, ...shared }, ...paged };
  },

  "seo.competitors.domain_intersection": async (input, call) => {
    const { target1, target2 } = input;
    const { shared, paged } = await labsList(call, input, {
      name: "domain_intersection",
      task: {
        target_1: upstreamTarget(target1),
        target_2: upstreamTarget(target2),
        intersections: input.intersections,
        include_serp_info: input.include_serp_info,
      },
      row: sharedKeyword,
      field: intersectionField,
    });
    return { data: { target1, target2, ...shared }, ...paged };
  },

  "seo.competitors.page_intersection": async (input, call) => {
    const { pages } = input;
    const intersection_mode = modeOf(input);
    const { shared, paged } = await labsList(call, input, {
      name: "page_intersection",
      task: {
        pages: Object.fromEntries(
          pages.map((page, index) => [String(index + 1), upstreamPattern(page)]),
        ),
        exclude_pages: input.exclude_pages?.map(upstreamPattern),
        intersection_mode,
        include_subdomains: input.include_subdomains,
        include_serp_info: input.include_serp_info,
      },
      row: (row, view: typeof input.view) => pagesKeyword(row, pages, view),
      field: intersectionField,
    });
    return { data: { pages, intersection_mode, ...shared }, ...paged };
  },

  "seo.competitors.domain_rank_overview": async (input, call) => {
    const { shared, paged } = await labsList(call, input, {
      name: "domain_rank_overview",
      task: { target: upstreamTarget(input.target) },
      row: rankOverview,
    });
    return { data: { target: input.target, ...shared }, ...paged };
  },

  "seo.competitors.historical_rank_overview": async (input, call) => {
    const { target, view } = input;
    const result = await ask(call, labs("historical_rank_overview"), {
      target: upstreamTarget(target),
      date_from: input.date_from,
      date_to: input.date_to,
      correlate: input.correlate,
      ignore_synonyms: input.ignore_synonyms,
      ...localityTask(input),
    });
    const months = oldestMonthFirst(rows(itemsOf(result), "items", (row) => rankMonth(row, view)));
    const { data: results, ...rest } = whole(call, months);
    const total_count = count(result?.total_count);
    return { data: { target, ...localityOf(input), view, total_count, results }, ...rest };
  },

  "seo.competitors.historical_serps": async (input, call) => {
    const { keyword, view } = input;
    const result = await ask(call, labs("historical_serps"), {
      keyword: sentKeyword(keyword),
      date_from: input.date_from,
      date_to: input.date_to,
      ...localityTask(input),
    });
    const pages = rows(itemsOf(result), "items", (row) => historicalSerp(row, view));
    const { data: results, ...rest } = whole(call, pages);
    const total_count = count(result?.total_count);
    return { data: { keyword, ...localityOf(input), view, total_count, results }, ...rest };
  },

  "seo.competitors.bulk_traffic": async (input, call) => {
    const { data, ...rest } = await perTarget(call, input.targets, {
      path: labs("bulk_traffic_estimation"),
      task: {
        item_types: input.item_types,
        ignore_synonyms: input.ignore_synonyms,
        ...localityTask(input),
      },
      read: (row) => ({ metrics: trafficByType(row.metrics) }),
    });
    return { data: { ...localityOf(input), view: input.view, ...data }, ...rest };
  },

  "seo.competitors.historical_bulk_traffic": async (input, call) => {
    const { data, ...rest } = await perTarget(call, input.targets, {
      path: labs("historical_bulk_traffic_estimation"),
      task: {
        date_from: input.date_from,
        date_to: input.date_to,
        item_types: input.item_types,
        ignore_synonyms: input.ignore_synonyms,
        ...localityTask(input),
      },
      read: (row) => trafficHistory(row.metrics),
    });
    return { data: { ...localityOf(input), ...data }, ...rest };
  },
} satisfies Partial<Connector<typeof seo>>;
