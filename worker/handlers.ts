import type { Handler } from "./connector.ts";
import cnblog from "./connectors/cnblog.ts";
import professionalNetwork from "./connectors/professional-network.ts";
import cnvideo from "./connectors/cnvideo.ts";
import events from "./connectors/events.ts";
import geo from "./connectors/geo.ts";
import hotels from "./connectors/hotels.ts";
import local from "./connectors/local.ts";
import maps from "./connectors/maps.ts";
import microblog from "./connectors/microblog.ts";
import newsAggregator from "./connectors/news-aggregator.ts";
import news from "./connectors/news.ts";
import photosite from "./connectors/photosite.ts";
import seo from "./connectors/seo.ts";
import shortclip from "./connectors/shortclip.ts";
import forum from "./connectors/forum.ts";
import threads from "./connectors/threads.ts";
import videosite from "./connectors/videosite.ts";
import type { Handlers } from "./run.ts";

/** Handlers of every area but the browser, whose connector needs a running Chromium. */
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
