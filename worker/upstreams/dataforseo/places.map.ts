import type { SerpListElement, SerpView } from "../../../contract/serp.ts";
import { type Wire, defined, text } from "#wire";
import { serpElement } from "./serp-elements.map.ts";

const mapExtras = [
  "place_id",
  "cid",
  "feature_id",
  "address_info",
  "work_hours",
  "is_claimed",
  "price_level",
  "hotel_rating",
  "total_photos",
  "additional_categories",
  "category_ids",
  "book_online_url",
  "contact_url",
];

export function mapElement(element: Wire, view: SerpView, position: number): SerpListElement {
  return serpElement(element, { view, position, curated: mapExtras });
}

export function localElement(element: Wire, view: SerpView, position: number): SerpListElement {
  return serpElement(element, {
    view,
    position,
    curated: ["cid", "booking_url"],
    over: ({ address, description }) =>
      defined({ address: text(address) ?? addressIn(text(description) ?? "") }),
  });
}

/** Facts beside an address in the first line of a description. */
const otherSegments: readonly RegExp[] = [
  /^\d+\+? years? in business$/i,
  /^(temporarily |permanently )?(open|opens|closed|closes|closing|opening)\b/i,
  /\d\s?[ap]\.?m\b/i,
  /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*\b.*[:\d]/i,
  /^24 hours$/i,
  /^\(?\+?[\d()][\d\s().-]{5,}$/,
  /^in\s/i,
  /^["“]/,
];

/** The address in a description: its first line may contain it between other facts. */
function addressIn(description: string): string | undefined {
  const [line = ""] = description.slice(0, 1000).split("\n");
  const kept = line
    .split(" · ")
    .map((segment) => segment.trim())
    .filter((segment) => segment !== "" && !otherSegments.some((rule) => rule.test(segment)));
  return kept.length > 0 ? kept.join(", ") : undefined;
}
