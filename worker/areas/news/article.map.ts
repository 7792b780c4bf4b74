import type { SerpListElement, SerpView } from "../../../contract/serp.ts";
import type { Wire } from "#wire";
import { seconds } from "../../upstreams/dataforseo/values.map.ts";
import { serpElement } from "../../upstreams/dataforseo/serp-elements.map.ts";

/** An article or a block of stories; the time of publication is in unix seconds. */
export function newsElement(element: Wire, view: SerpView, position: number): SerpListElement {
  return serpElement(element, {
    view,
    position,
    curated: ["time_published", "source", "badges"],
    taken: ["timestamp"],
    own: ({ timestamp }) => ({ published_at: seconds(timestamp) }),
  });
}
