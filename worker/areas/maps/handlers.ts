import type { maps } from "../../../contract/areas/maps/index.ts";
import type { Connector } from "../../connector.ts";
import { mapElement } from "../../upstreams/dataforseo/places.map.ts";
import { machineTask, mapTask, searchPage } from "../../upstreams/dataforseo/search-page.ts";

export default {
  "maps.search": async (input, call) => {
    const { data, truncated } = await searchPage(call, input, {
      path: "/v3/serp/google/maps/live/advanced",
      task: {
        ...mapTask(input),
        ...machineTask(input),
        search_this_area: input.search_this_area,
        search_places: input.search_places,
      },
      element: (element, position) => mapElement(element, input.view, position),
    });
    return { data, truncated };
  },
} satisfies Connector<typeof maps>;
