import type { Handler } from "./connector.ts";
import cnvideo from "./connectors/cnvideo.ts";
import microblog from "./connectors/microblog.ts";
import newsAggregator from "./connectors/news-aggregator.ts";
import seo from "./connectors/seo.ts";
import photosite from "./connectors/photosite.ts";
import shortclip from "./connectors/shortclip.ts";
import threads from "./connectors/threads.ts";
import videosite from "./connectors/videosite.ts";
import type { Handlers } from "./run.ts";

/** Handlers of every area but the browser, whose connector needs a running Chromium. */
const connectors = [
  cnvideo,
  microblog,
  newsAggregator,
  seo,
  photosite,
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
