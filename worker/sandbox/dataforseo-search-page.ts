import type { SampleRequest } from "./sample.ts";
import type { SampleTask } from "./dataforseo-live.ts";
import { moment, words } from "./figures.ts";
import { type Vary, vary } from "./vary.ts";

export type Element = { type: string; [name: string]: unknown };

/** Elements with their rectangles on the screen, one below the other, where a task requests them. */
export function withRectangles<Item extends object>(
  task: SampleTask,
  items: readonly Item[],
): Item[] {
  if (task.calculate_rectangles !== true) return [...items];
  const width = Math.min(652, Number(task.browser_screen_width ?? 1920));
  return items.map((item, index) => ({
    ...item,
    rectangle: { x: 180, y: 140 + index * 190.5, width, height: 170 },
  }));
}

/** A search page: `make` makes elements one by one until `depth` of them are not adverts. */
export function searchPage(
  kind: string,
  task: SampleTask,
  request: SampleRequest,
  make: (v: Vary, index: number, subject: string) => Element,
  more: { [name: string]: unknown } = {},
) {
  const subject = String(task.keyword);
  const where = String(task.location_name ?? task.location_code ?? task.location_coordinate);
  const depth = request.empty ? 0 : Number(task.depth ?? 20);
  const items: Element[] = [];
  const ranks = new Map<string, number>();
  for (let index = 0, found = 0; found < depth; index += 1) {
    const element = make(vary(kind, subject, where, index), index, subject);
    const rank = (ranks.get(element.type) ?? 0) + 1;
    ranks.set(element.type, rank);
    items.push({ ...element, rank_group: rank, rank_absolute: index + 1 });
    if (element.is_paid !== true && !element.type.includes("paid")) found += 1;
  }
  const v = vary(kind, subject, where);
  return {
    keyword: subject,
    type: kind,
    se_domain: "google.com",
    location_code: task.location_code ?? 2840,
    language_code: task.language_code ?? "en",
    check_url: `https://www.google.com/search?q=${encodeURIComponent(subject)}`,
    datetime: moment(v, "seen", 2026),
    spell: null,
    refinement_chips: null,
    ...more,
    item_types: items.length === 0 ? null : [...ranks.keys()],
    se_results_count: kind === "news" ? v.int("total", 1000, 900_000) : 1234 * depth,
    items_count: items.length,
    items: items.length === 0 ? null : items,
  };
}

export const phone = "+1 555-555-0100";
export const street = (v: Vary) => `${v.int("number", 1, 400)} ${v.pick("street", words)} street`;
export const rating = (v: Vary) => ({
  rating_type: "Max5",
  value: v.int("rating", 30, 50) / 10,
  votes_count: v.int("votes", 1, 900),
  rating_max: 5,
});
