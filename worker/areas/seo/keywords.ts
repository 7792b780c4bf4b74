import type { seo } from "../../../contract/areas/seo/index.ts";
import { bulk } from "../../mapping/bulk.ts";
import type { Call, Connector } from "../../connector.ts";
import { whole } from "../../mapping/list.ts";
import { languageTask, localityTask } from "../../mapping/locality.ts";
import { type Task, ask, itemsOf } from "../../upstreams/dataforseo/client.ts";
import { type Wire, integer, need, object, rows, text } from "#wire";
import { time } from "../../upstreams/dataforseo/values.map.ts";
import {
  type KeywordView,
  keywordField,
  keywordHistory,
  keywordIntent,
  keywordRecord,
  relatedKeyword,
  sentKeyword,
  suggestion,
} from "./keyword.map.ts";
import { type Locality, labs, localityOf } from "./labs.ts";
import { type ListInput, list } from "../../upstreams/dataforseo/list.ts";
import { upstreamTarget } from "./target.ts";

/** Figures about many keywords, in the caller's order and spelling. */
async function perKeyword<Row extends { keyword: string }>(
  call: Call,
  keywords: readonly string[],
  options: { path: string; most: number; task: Task; read: (row: Wire) => Row },
) {
  const found = await bulk<Row>(call, {
    inputs: keywords,
    most: options.most,
    key: (row) => row.keyword,
    name: (row, keyword) => ({ ...row, keyword }),
    ask: async (piece) => {
      const task = { keywords: piece.map(sentKeyword), ...options.task };
      return rows(itemsOf(await ask(call, options.path, task)), "items", options.read);
    },
  });
  return {
    found: {
      keywords: [...keywords],
      results: found.results,
      missing_keywords: found.missing.length > 0 ? found.missing : undefined,
      unprocessed_keywords: found.unprocessed.length > 0 ? found.unprocessed : undefined,
    },
    truncated: found.truncated,
  };
}

interface Listed extends ListInput, Locality {
  view: KeywordView;
  include_serp_info: boolean;
}

/** Beyond the offsets that are fast the token continues a list. */
const token = {
  token: { request: "offset_token", answer: "offset_token", after: 10_000 },
} as const;

async function keywordList<Row>(
  call: Call,
  input: Listed,
  options: Omit<Parameters<typeof list<Row>>[2], "field"> & { prefix?: "keyword_data." },
) {
  const { prefix = "", ...rest } = options;
  const { listed, paged } = await list(call, input, {
    ...rest,
    task: { ...rest.task, include_serp_info: input.include_serp_info, ...localityTask(input) },
    field: (name) => keywordField(prefix, name),
  });
  return { shared: { ...localityOf(input), view: input.view, ...listed }, paged };
}

/** Reads the requested keyword, which is beside the list. */
function seedReader(view: KeywordView) {
  let seed: ReturnType<typeof keywordRecord> | undefined;
  return {
    result: (result: Wire): void => {
      const data = object(result.seed_keyword_data);
      if (data && text(data.keyword) !== undefined) seed ??= keywordRecord(data, view);
    },
    seed: () => seed,
  };
}

export default {
  "seo.keywords.overview": async (input, call) => {
    const { found, truncated } = await perKeyword(call, input.keywords, {
      path: labs("keyword_overview"),
      most: 700,
      task: { include_serp_info: input.include_serp_info, ...localityTask(input) },
      read: (row) => keywordRecord(row, input.view),
    });
    return { data: { ...localityOf(input), view: input.view, ...found }, truncated };
  },

  "seo.keywords.history": async (input, call) => {
    const { found, truncated } = await perKeyword(call, input.keywords, {
      path: labs("historical_keyword_data"),
      most: 700,
      task: localityTask(input),
      read: keywordHistory,
    });
    return { data: { ...localityOf(input), ...found }, truncated };
  },

  "seo.keywords.difficulty": async (input, call) => {
    const { found, truncated } = await perKeyword(call, input.keywords, {
      path: labs("bulk_keyword_difficulty"),
      most: 1000,
      task: localityTask(input),
      read: (row) => ({
        keyword: need(text(row.keyword), "items[].keyword"),
        keyword_difficulty: integer(row.keyword_difficulty),
      }),
    });
    return { data: { ...localityOf(input), ...found }, truncated };
  },

  "seo.keywords.intent": async (input, call) => {
    const { found, truncated } = await perKeyword(call, input.keywords, {
      path: labs("search_intent"),
      most: 1000,
      task: languageTask(input.language),
      read: keywordIntent,
    });
    return { data: { language: input.language, ...found }, truncated };
  },

  "seo.keywords.ideas": async (input, call) => {
    const { shared, paged } = await keywordList(call, input, {
      path: labs("keyword_ideas"),
      task: {
        keywords: input.keywords.map(sentKeyword),
        closely_variants: input.closely_variants,
        ignore_synonyms: input.ignore_synonyms,
      },
      row: (row) => keywordRecord(row, input.view),
      ...token,
    });
    return { data: { seed_keywords: input.keywords, ...shared }, ...paged };
  },

  "seo.keywords.suggestions": async (input, call) => {
    const { result, seed } = seedReader(input.view);
    const { shared, paged } = await keywordList(call, input, {
      path: labs("keyword_suggestions"),
      task: {
        keyword: sentKeyword(input.keyword),
        exact_match: input.exact_match,
        include_seed_keyword: input.include_seed_keyword,
        ignore_synonyms: input.ignore_synonyms,
      },
      row: (row) => keywordRecord(row, input.view),
      result,
      ...token,
    });
    return { data: { seed_keyword: input.keyword, seed: seed(), ...shared }, ...paged };
  },

  "seo.keywords.related": async (input, call) => {
    const { result, seed } = seedReader(input.view);
    const { shared, paged } = await keywordList(call, input, {
      path: labs("related_keywords"),
      task: {
        keyword: sentKeyword(input.keyword),
        depth: input.depth,
        include_seed_keyword: input.include_seed_keyword,
        replace_with_core_keyword: input.replace_with_core_keyword,
        ignore_synonyms: input.ignore_synonyms,
      },
      row: (row) => relatedKeyword(row, input.view),
      result,
      prefix: "keyword_data.",
    });
    const { keyword, depth } = input;
    return { data: { seed_keyword: keyword, seed: seed(), depth, ...shared }, ...paged };
  },

  "seo.keywords.for_site": async (input, call) => {
    const { shared, paged } = await keywordList(call, input, {
      path: labs("keywords_for_site"),
      task: {
        target: upstreamTarget(input.target),
        include_subdomains: input.include_subdomains,
      },
      row: (row) => keywordRecord(row, input.view),
      ...token,
    });
    return { data: { target: input.target, ...shared }, ...paged };
  },

  "seo.keywords.autocomplete": async (input, call) => {
    const result = await ask(call, "/v3/serp/google/autocomplete/live/advanced", {
      keyword: sentKeyword(input.keyword),
      cursor_pointer: input.cursor_pointer,
      client: input.client,
      ...localityTask(input),
    });
    const { data: results, truncated } = whole(call, rows(itemsOf(result), "items", suggestion));
    const data = {
      keyword: input.keyword,
      ...localityOf(input),
      cursor_pointer: input.cursor_pointer,
      client: input.client,
      observed_at: time(result?.datetime),
      search_url: text(result?.check_url),
      results,
    };
    return { data, truncated };
  },
} satisfies Partial<Connector<typeof seo>>;
