import type { Task } from "./client.ts";
import { type Wire, defined, number, object } from "#wire";

interface Input {
  google_domain?: string | undefined;
  expand_related_results?: boolean | undefined;
  group_organic_results?: boolean | undefined;
  remove_url_params?: string[] | undefined;
  include_pixel_rankings: boolean;
  viewport?:
    | {
        width: number;
        height: number;
        device_scale_factor?: number | undefined;
        pixel_ratio?: number | undefined;
      }
    | undefined;
  google_search_params?: string | undefined;
  include_omitted_results?: boolean | undefined;
}

/** Display settings of a result page in a task. */
export function resultPageTask(input: Input): Task {
  const { expand_related_results: expand, viewport } = input;
  return defined({
    se_domain: input.google_domain,
    group_organic_results: expand === undefined ? input.group_organic_results : !expand,
    remove_from_url: input.remove_url_params,
    calculate_rectangles: input.include_pixel_rankings || undefined,
    browser_screen_width: viewport?.width,
    browser_screen_height: viewport?.height,
    browser_screen_resolution_ratio: viewport?.device_scale_factor ?? viewport?.pixel_ratio,
    search_param: searchParams(input),
  });
}

/** The upstream takes one text, each parameter after a `&`. */
function searchParams({ google_search_params: own, include_omitted_results: all }: Input) {
  const text = `${all ? "&filter=0" : ""}${own ? `&${own.replace(/^&/, "")}` : ""}`;
  return text === "" ? undefined : text;
}

/** An element with its rectangle on the screen, which the upstream sends only on request. */
export function withRectangle<Row extends { extras?: { [name: string]: unknown } | undefined }>(
  row: Row,
  element: Wire,
): Row {
  const holder = object(element.rectangle);
  const rectangle = defined({
    x: number(holder?.x),
    y: number(holder?.y),
    width: number(holder?.width),
    height: number(holder?.height),
  });
  if (Object.keys(rectangle).length === 0) return row;
  return { ...row, extras: { ...row.extras, rectangle } };
}
