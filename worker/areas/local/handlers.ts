import type { local } from "../../../contract/areas/local/index.ts";
import type { Connector } from "../../connector.ts";
import { localElement } from "../../upstreams/dataforseo/places.map.ts";
import { machineTask, mapTask, searchPage } from "../../upstreams/dataforseo/search-page.ts";

export default {
  "local.search": async (input, call) => {
    const { data, truncated } = await searchPage(call, input, {
      path: "/v3/serp/google/local_finder/live/advanced",
      task: {
        ...mapTask(input),
        ...machineTask(input),
        min_rating: input.min_rating,
        time_filter: input.time_filter === "any" ? undefined : input.time_filter,
      },
      element: (element, position) => localElement(element, input.view, position),
    });
    return { data, truncated };
  },
} satisfies Connector<typeof local>;
