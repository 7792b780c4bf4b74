import { areas } from "../contract/index.ts";
import type { Pool } from "../contract/operation.ts";
import type { Handler } from "./connector.ts";
import type { Handlers } from "./run.ts";

/** Every area except `browser` and `web`, whose handlers need a running Chromium. */
const connectors: Readonly<Record<string, () => Promise<{ default: object }>>> = {
  archive: () => import("./areas/archive/handlers.ts"),
  cnblog: () => import("./areas/cnblog/handlers.ts"),
  cnvideo: () => import("./areas/cnvideo/handlers.ts"),
  code: () => import("./areas/code/handlers.ts"),
  encyclopedia: () => import("./areas/encyclopedia/handlers.ts"),
  events: () => import("./areas/events/handlers.ts"),
  finance: () => import("./areas/finance/handlers.ts"),
  food: () => import("./areas/food/handlers.ts"),
  forum: () => import("./areas/forum/handlers.ts"),
  geo: () => import("./areas/geo/handlers.ts"),
  government: () => import("./areas/government/handlers.ts"),
  hotels: () => import("./areas/hotels/handlers.ts"),
  library: () => import("./areas/library/handlers.ts"),
  "job-boards": () => import("./areas/job-boards/handlers.ts"),
  local: () => import("./areas/local/handlers.ts"),
  maps: () => import("./areas/maps/handlers.ts"),
  media: () => import("./areas/media/handlers.ts"),
  microblog: () => import("./areas/microblog/handlers.ts"),
  models: () => import("./areas/models/handlers.ts"),
  nature: () => import("./areas/nature/handlers.ts"),
  news: () => import("./areas/news/handlers.ts"),
  "news-aggregator": () => import("./areas/news-aggregator/handlers.ts"),
  "open-social": () => import("./areas/open-social/handlers.ts"),
  packages: () => import("./areas/packages/handlers.ts"),
  papers: () => import("./areas/papers/handlers.ts"),
  photosite: () => import("./areas/photosite/handlers.ts"),
  places: () => import("./areas/places/handlers.ts"),
  "professional-network": () => import("./areas/professional-network/handlers.ts"),
  questions: () => import("./areas/questions/handlers.ts"),
  security: () => import("./areas/security/handlers.ts"),
  seo: () => import("./areas/seo/handlers.ts"),
  shortclip: () => import("./areas/shortclip/handlers.ts"),
  threads: () => import("./areas/threads/handlers.ts"),
  videosite: () => import("./areas/videosite/handlers.ts"),
  weather: () => import("./areas/weather/handlers.ts"),
};

/** The handlers of all areas with an operation in these pools; a worker loads no other area. */
export async function handlersOf(
  pools: readonly Pool[],
  more: readonly object[] = [],
): Promise<Handlers> {
  const loads = areas
    .filter((area) => area.operations.some((op) => pools.includes(op.pool)))
    .map(({ name }) => connectors[name])
    .filter((load) => load !== undefined);
  const loaded = await Promise.all(loads.map((load) => load()));
  return new Map(
    [...loaded.map((module) => module.default), ...more].flatMap(
      (connector) => Object.entries(connector) as [string, Handler<never>][],
    ),
  ) as Handlers;
}
