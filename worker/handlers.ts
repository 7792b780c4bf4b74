import type { Handler } from "./connector.ts";
import cnblog from "./areas/cnblog/handlers.ts";
import professionalNetwork from "./areas/professional-network/handlers.ts";
import cnvideo from "./areas/cnvideo/handlers.ts";
import events from "./areas/events/handlers.ts";
import geo from "./areas/geo/handlers.ts";
import hotels from "./areas/hotels/handlers.ts";
import local from "./areas/local/handlers.ts";
import maps from "./areas/maps/handlers.ts";
import microblog from "./areas/microblog/handlers.ts";
import newsAggregator from "./areas/news-aggregator/handlers.ts";
import news from "./areas/news/handlers.ts";
import photosite from "./areas/photosite/handlers.ts";
import seo from "./areas/seo/handlers.ts";
import shortclip from "./areas/shortclip/handlers.ts";
import forum from "./areas/forum/handlers.ts";
import threads from "./areas/threads/handlers.ts";
import videosite from "./areas/videosite/handlers.ts";
import type { Handlers } from "./run.ts";

/** Every area except the browser, whose handlers need a running Chromium. */
const connectors = [
  forum,
  cnblog,
  cnvideo,
  professionalNetwork,
  events,
  geo,
  hotels,
  local,
  maps,
  microblog,
  news,
  newsAggregator,
  photosite,
  seo,
  shortclip,
  threads,
  videosite,
];

export function handlersOf(more: readonly object[] = []): Handlers {
  return new Map(
    [...connectors, ...more].flatMap(
      (connector) => Object.entries(connector) as [string, Handler<never>][],
    ),
  ) as Handlers;
}
