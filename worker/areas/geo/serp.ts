import type { geo } from "../../../contract/areas/geo/index.ts";
import type { Connector } from "../../connector.ts";
import { localityTask } from "../../mapping/locality.ts";
import { ask, itemsOf, literal } from "../../upstreams/dataforseo/client.ts";
import { rows } from "#wire";
import { geoElement } from "./serp.map.ts";
import { resultPageTask, withRectangle } from "../../upstreams/dataforseo/result-page.ts";
import { pageFields, untilBillable } from "../../upstreams/dataforseo/serp-elements.map.ts";
import { targetOf, visibility } from "../../upstreams/dataforseo/serp-visibility.map.ts";

const paths = {
  ai_mode: "/v3/serp/google/ai_mode/live/advanced",
  ai_overview: "/v3/serp/google/organic/live/advanced",
} as const;
const defaultDepth = 10;

export default {
  "geo.serp": async (input, call) => {
    const { surface, view, device } = input;
    const isOverview = surface === "ai_overview";
    const result = await ask(call, paths[surface], {
      keyword: literal(input.query),
      ...localityTask(input),
      device,
      ...resultPageTask(input),
      // Without waiting, an overview that loads late would be empty.
      ...(isOverview ? { depth: input.depth ?? defaultDepth, load_async_ai_overview: true } : {}),
    });
    const target = input.target === undefined ? undefined : targetOf(input.target);
    let position = 0;
    const found = rows(itemsOf(result), "items", (element) => {
      position += 1;
      const found = geoElement(element, { view, target, position, isAnswerOnly: isOverview });
      return { ...found, row: withRectangle(found.row, element) };
    });
    const { item_types: types, ...page } = pageFields(
      result,
      found.map(({ row }) => row.type),
    );
    const results = found.map(({ row }) => row);
    const delivered = untilBillable(results, call.maxRecords);
    return {
      data: {
        query: input.query,
        location: String(input.location),
        language: input.language,
        device,
        surface,
        view,
        ...page,
        serp_features: types,
        results: delivered.rows,
        ...visibility(
          found.map(({ evidence }) => evidence),
          target,
        ),
      },
      truncated: call.shortOfCredits && delivered.isCut,
    };
  },
} satisfies Partial<Connector<typeof geo>>;
