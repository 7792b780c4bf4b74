import { type MentionTarget, engineOf } from "../../../contract/areas/geo/fields.ts";
import type { geo } from "../../../contract/areas/geo/index.ts";
import type { KeywordVolume } from "../../../contract/areas/geo/records.ts";
import type { FilterCondition, FilterExpression } from "../../../contract/filter.ts";
import { bulk } from "../../mapping/bulk.ts";
import type { Call, Connector } from "../../connector.ts";
import { upstreamFilter } from "../../upstreams/dataforseo/filter.ts";
import { localityTask } from "../../mapping/locality.ts";
import { type Task, ask, itemsOf, literal } from "../../upstreams/dataforseo/client.ts";
import { rows } from "#wire";
import {
  inOrder,
  keywordVolume,
  mention,
  mentionGroup,
  onlyGroup,
  platformOf,
  totals,
} from "./mentions.map.ts";
import { list } from "../../upstreams/dataforseo/list.ts";

const at = (name: string) => `/v3/ai_optimization/llm_mentions/${name}/live`;
/** Largest offset that the list of mentions takes. */
const mostOffset = 10_000;
const volumePath = "/v3/ai_optimization/ai_keyword_data/keywords_search_volume/live";
const mostKeywords = 1000;
/** The upstream's longest breakdown; it refuses a larger limit. */
const longestBreakdown = 10;

interface Question {
  engine: Parameters<typeof engineOf>[0];
  location: string | number;
  language: string;
  filters?: FilterExpression | undefined;
}

function entity(target: MentionTarget): Task {
  const { domain, keyword, filter, scope, match, include_subdomains } = target;
  return {
    ...(keyword === undefined
      ? { domain, include_subdomains }
      : { keyword: literal(keyword), match_type: `${match}_match` }),
    search_filter: filter,
    search_scope: scope,
  };
}

function condition({ field, op, value }: FilterCondition): FilterCondition {
  if (field === "model") return { field: "model_name", op, value };
  if (field !== "platform") return { field, op, value };
  return { field, op, value: Array.isArray(value) ? value.map(platformOf) : platformOf(value) };
}

const filterOf = (filters: FilterExpression | undefined) =>
  filters && upstreamFilter(filters, condition);

function common(input: Question): Task {
  return { platform: platformOf(input.engine), ...localityTask(input) };
}

function counted(input: Question & { internal_list_limit: number }): Task {
  const filter = filterOf(input.filters);
  return {
    ...common(input),
    initial_dataset_filters: filter,
    internal_list_limit: Math.min(input.internal_list_limit, longestBreakdown),
  };
}

const echo = ({ engine, location, language }: Question) => ({
  engine: engineOf(engine),
  location: String(location),
  language,
});

interface TopQuestion extends Question {
  target: MentionTarget[];
  links_scope: string;
  items_list_limit: number;
  internal_list_limit: number;
}

async function top(call: Call, input: TopQuestion, name: string, key: "domain" | "page") {
  const rowLimit = Math.min(input.items_list_limit, call.maxRecords);
  const result = await ask(call, at(name), {
    target: input.target.map(entity),
    ...counted(input),
    links_scope: input.links_scope,
    limit: rowLimit,
  });
  const found = rows(itemsOf(result), "items", (row) => mentionGroup(row, key));
  const results = found.slice(0, rowLimit);
  return {
    data: { ...echo(input), links_scope: input.links_scope, totals: totals(result), results },
    truncated:
      call.shortOfCredits && results.length === rowLimit && rowLimit < input.items_list_limit,
  };
}

export default {
  "geo.keywords.search_volume": async (input, call) => {
    const found = await bulk<KeywordVolume>(call, {
      inputs: input.keywords,
      most: mostKeywords,
      key: (row) => row.keyword,
      name: (row, keyword) => ({ ...row, keyword }),
      ask: async (piece) => {
        const task = { keywords: piece.map(literal), ...localityTask(input) };
        return rows(itemsOf(await ask(call, volumePath, task)), "items", keywordVolume);
      },
    });
    return {
      data: {
        location: String(input.location),
        language: input.language,
        results: found.results,
        missing_keywords: found.missing.length > 0 ? found.missing : undefined,
        unprocessed_keywords: found.unprocessed.length > 0 ? found.unprocessed : undefined,
      },
      truncated: found.truncated,
    };
  },

  "geo.mentions.aggregated_metrics": async (input, call) => {
    const task = { target: input.target.map(entity), ...counted(input) };
    const result = await ask(call, at("target_metrics"), task);
    return { data: { ...echo(input), totals: totals(result) } };
  },

  "geo.mentions.cross_aggregated_metrics": async (input, call) => {
    const paid = input.groups.slice(0, call.maxRecords);
    const truncated = paid.length < input.groups.length;
    const [only, second] = paid;
    if (only && !second) {
      // A comparison needs two groups; a single group uses the ordinary interface.
      const task = { target: only.target.map(entity), ...counted(input) };
      const result = await ask(call, at("target_metrics"), task);
      const results = [onlyGroup(result, only.label)];
      return { data: { ...echo(input), totals: totals(result), results }, truncated };
    }
    const result = await ask(call, at("multi_target_metrics"), {
      targets: paid.map(({ label, target }) => ({ key: label, target: target.map(entity) })),
      ...counted(input),
      limit: longestBreakdown,
    });
    const found = rows(itemsOf(result), "items", (row) => mentionGroup(row, "key"));
    const labels = paid.map(({ label }) => label);
    return {
      data: { ...echo(input), totals: totals(result), results: inOrder(labels, found) },
      truncated,
    };
  },

  "geo.mentions.search": async (input, call) => {
    const { filters, ...rest } = input;
    const filter = filterOf(filters);
    const { listed, paged } = await list(call, rest, {
      path: at("search_mentions"),
      task: {
        target: input.target.map(entity),
        ...common(input),
        filters: filter,
      },
      row: (row) => mention(row, input.view),
      token: { request: "search_after_token", answer: "search_after_token", after: mostOffset },
      mostOffset,
    });
    return { data: { ...echo(input), view: input.view, ...listed }, ...paged };
  },

  "geo.mentions.top_domains": (input, call) => top(call, input, "top_mentioned_domains", "domain"),
  "geo.mentions.top_pages": (input, call) => top(call, input, "top_mentioned_pages", "page"),
} satisfies Partial<Connector<typeof geo>>;
