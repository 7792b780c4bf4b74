import { deviceOf } from "../../../contract/search.ts";
import type { SerpListElement, SerpView } from "../../../contract/serp.ts";
import type { Call } from "../../connector.ts";
import { degrees, isCoordinate, languageTask, localityTask } from "../../mapping/locality.ts";
import { type Task, ask, itemsOf, literal } from "./client.ts";
import { type Wire, rows } from "#wire";
import { pageFields, untilBillable } from "./serp-elements.map.ts";

interface PageInput {
  query: string;
  location: string | number;
  language: string;
  view: SerpView;
  limit: number;
}

interface MapInput extends PageInput {
  coordinate?: { latitude: number; longitude: number; zoom?: number } | undefined;
}

interface Machine {
  device?: "desktop" | "mobile" | undefined;
  os?: "windows" | "macos" | "android" | "ios" | undefined;
}

const mostZoom = 21;

/** Centre of a map: "lat,lng,zoom" instead of a location. */
function locationOf(input: MapInput): string {
  const { coordinate, location } = input;
  if (coordinate) {
    const { latitude, longitude, zoom } = coordinate;
    const centre = `${degrees(latitude)},${degrees(longitude)}`;
    return zoom === undefined ? centre : `${centre},${zoom}`;
  }
  return String(location);
}

/** Locality of a search on a map, which has a zoom where other searches have a radius. */
export function mapTask(input: MapInput): Task {
  const location = input.coordinate ? locationOf(input) : input.location;
  if (!isCoordinate(location)) return localityTask(input);
  const [latitude = 0, longitude = 0, zoom] = String(location)
    .replaceAll(" ", "")
    .split(",")
    .map(parseFloat);
  const shown = zoom === undefined || zoom > mostZoom ? "" : `,${zoom}z`;
  return {
    location_coordinate: `${degrees(latitude)},${degrees(longitude)}${shown}`,
    ...languageTask(input.language),
  };
}

export function machineTask(input: Machine): Task {
  return { device: deviceOf(input), os: input.os };
}

/** One search page: at most `limit` elements, adverts included, and no more billable ones than the caller can pay. */
export async function searchPage(
  call: Call,
  input: MapInput,
  options: {
    path: string;
    task: Task;
    element(element: Wire, position: number): SerpListElement;
  },
) {
  const { query, language, view, limit } = input;
  const rowLimit = Math.min(limit, call.maxRecords);
  const task = { keyword: literal(query), ...options.task, depth: rowLimit };
  const result = await ask(call, options.path, task, input);
  let position = 0;
  const elements = rows(itemsOf(result), "items", (element) =>
    options.element(element, ++position),
  );
  const delivered = untilBillable(elements.slice(0, limit), rowLimit);
  const billable = delivered.rows.filter((element) => element.is_billable).length;
  return {
    result,
    data: {
      query,
      location: locationOf(input),
      language,
      view,
      ...pageFields(
        result,
        elements.map(({ type }) => type),
      ),
      result_count: delivered.rows.length,
      results: delivered.rows,
    },
    truncated: call.shortOfCredits && billable === rowLimit && rowLimit < limit,
  };
}
