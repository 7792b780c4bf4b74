import type { news } from "../../../contract/areas/news/index.ts";
import type { Connector } from "../../connector.ts";
import { localityTask } from "../../mapping/locality.ts";
import { newsElement } from "./article.map.ts";
import { searchPage } from "../../upstreams/dataforseo/search-page.ts";

const ranges = { hour: "h", day: "d", week: "w", month: "m", year: "y" } as const;

export default {
  "news.search": async (input, call) => {
    const { time_range: range } = input;
    const { result, data, truncated } = await searchPage(call, input, {
      path: "/v3/serp/google/news/live/advanced",
      task: {
        ...localityTask(input),
        search_param: range && `&tbs=qdr:${ranges[range]}`,
      },
      element: (element, position) => newsElement(element, input.view, position),
    });
    const mixed = result?.includes_non_news_search_results === true;
    return {
      data: { ...data, includes_non_news_search_results: mixed || undefined },
      truncated,
    };
  },
} satisfies Connector<typeof news>;
