import type { seo } from "../../../contract/areas/seo/index.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { upstreamFilter } from "../../upstreams/dataforseo/filter.ts";
import { type Task, ask, itemsOf } from "../../upstreams/dataforseo/client.ts";
import { type Wire, rows } from "#wire";
import { day } from "../../upstreams/dataforseo/values.map.ts";
import {
  type View,
  anchorProfile,
  backlink,
  competitor,
  domainIntersection,
  domainPage,
  domainProfile,
  historyPoint,
  linkSummary,
  networkProfile,
  newLostPoint,
  oldestFirst,
  pageField,
  pageIntersection,
  pageProfile,
  timePoint,
} from "./backlinks.map.ts";
import { type ListInput, list } from "../../upstreams/dataforseo/list.ts";
import { numberedTargets, upstreamPattern, upstreamTarget } from "./target.ts";

const at = (name: string) => `/v3/backlinks/${name}/live`;

/** Largest offset that the list of backlinks takes. */
const mostOffset = 20_000;

/** The caller's fields that go upstream unchanged. */
const sameFields = [
  "mode",
  "network_address_type",
  "main_domain",
  "exclude_large_domains",
  "intersection_mode",
  "include_subdomains",
  "include_indirect_links",
  "exclude_internal_backlinks",
  "backlinks_status_type",
  "rank_scale",
  "internal_list_limit",
  "date_from",
  "date_to",
  "group_range",
] as const;

interface Scoped {
  backlinks_filters?: Parameters<typeof upstreamFilter>[0] | undefined;
}

/** The fields of a task that select the counted backlinks. */
function scopeOf(input: Scoped & { [Name in (typeof sameFields)[number]]?: unknown }): Task {
  const same = sameFields.map((name) => [name, input[name]] as const);
  const { backlinks_filters: filters } = input;
  return {
    ...Object.fromEntries(same.filter(([, value]) => value !== undefined)),
    backlinks_filters: filters && upstreamFilter(filters),
  };
}

interface TargetList extends ListInput, Scoped {
  target: string;
  view: View;
}

/** A list of rows about one target. */
async function about<Row>(
  name: string,
  input: TargetList,
  call: Call,
  read: (row: Wire, view: View) => Row,
  options: Pick<Parameters<typeof list<Row>>[2], "token" | "mostOffset" | "field"> = {},
) {
  const { listed, paged } = await list(call, input, {
    path: at(name),
    task: { target: upstreamTarget(input.target), ...scopeOf(input) },
    row: (row) => read(row, input.view),
    ...options,
  });
  const { target, view } = input;
  return { data: { target, view, ...listed }, ...paged };
}

interface IntersectionList extends ListInput, Scoped {
  targets: string[];
  exclude_targets?: string[] | undefined;
  view: View;
}

/** A list of rows that several targets share. */
async function between<Row>(
  name: string,
  input: IntersectionList,
  call: Call,
  read: (row: Wire, targets: readonly string[], view: View) => Row,
) {
  const { targets, view } = input;
  const { listed, paged } = await list(call, input, {
    path: at(name),
    task: {
      targets: numberedTargets(targets),
      exclude_targets: input.exclude_targets?.map(upstreamPattern),
      ...scopeOf(input),
    },
    row: (row) => read(row, targets, view),
  });
  return { data: { targets, view, ...listed }, ...paged };
}

/** A complete time series, oldest first, with the period that the upstream used. */
async function series<Point extends { date: string }>(
  name: string,
  input: { target: string; date_from?: string | undefined; date_to?: string | undefined },
  call: Call,
  read: (row: Wire) => Point,
) {
  const result = await ask(call, at(name), {
    target: upstreamTarget(input.target),
    ...scopeOf(input),
  });
  if (!result) throw nothingKnown();
  return {
    target: input.target,
    date_from: day(result.date_from) ?? input.date_from,
    date_to: day(result.date_to) ?? input.date_to,
    series: oldestFirst(rows(itemsOf(result), "items", read)),
  };
}

function nothingKnown(): GatewayError {
  return new GatewayError("not_found", "The data source knows nothing about this target");
}

export default {
  "seo.backlinks.summary": async (input, call) => {
    const result = await ask(call, at("summary"), {
      target: upstreamTarget(input.target),
      ...scopeOf(input),
    });
    if (!result) throw nothingKnown();
    return { data: linkSummary(result, input.target, input.view) };
  },

  "seo.backlinks.history": async (input, call) => {
    const { view } = input;
    const data = await series("history", input, call, (row) => historyPoint(row, view));
    return { data: { ...data, view } };
  },

  "seo.backlinks.list": async (input, call) => {
    const answer = await about("backlinks", input, call, backlink, {
      token: { request: "search_after_token", answer: "search_after_token", after: mostOffset },
      mostOffset,
    });
    return { ...answer, data: { ...answer.data, mode: input.mode } };
  },

  "seo.backlinks.anchors": (input, call) => about("anchors", input, call, anchorProfile),

  "seo.backlinks.domain_pages": (input, call) =>
    about("domain_pages", input, call, domainPage, { field: pageField }),

  "seo.backlinks.domain_pages_summary": (input, call) =>
    about("domain_pages_summary", input, call, pageProfile),

  "seo.backlinks.referring_domains": (input, call) =>
    about("referring_domains", input, call, domainProfile),

  "seo.backlinks.referring_networks": async (input, call) => {
    const answer = await about("referring_networks", input, call, networkProfile);
    const { network_address_type } = input;
    return { ...answer, data: { ...answer.data, network_address_type } };
  },

  "seo.backlinks.competitors": (input, call) => about("competitors", input, call, competitor),

  "seo.backlinks.domain_intersection": (input, call) =>
    between("domain_intersection", input, call, domainIntersection),

  "seo.backlinks.page_intersection": (input, call) =>
    between("page_intersection", input, call, pageIntersection),

  "seo.backlinks.timeseries": async (input, call) => {
    const data = await series("timeseries_summary", input, call, timePoint);
    return { data: { ...data, group_range: input.group_range } };
  },

  "seo.backlinks.timeseries_new_lost": async (input, call) => {
    const data = await series("timeseries_new_lost_summary", input, call, newLostPoint);
    return { data: { ...data, group_range: input.group_range } };
  },
} satisfies Partial<Connector<typeof seo>>;
