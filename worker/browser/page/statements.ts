/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import type { RenderedPage } from "../chromium/tab.ts";
import { timerEvent } from "../chromium/timer-watch.ts";
import { firstSight, readOnceShown } from "./first-text.ts";
import type { FirstSight, Glance } from "./first-text.ts";
import { evaluate } from "./isolated-world.ts";
import { pageProgress } from "./unfinished.ts";
import type { PageProgress } from "./unfinished.ts";

/** The statements of a document about itself, as they stand there. */
export interface Statements {
  url: string;
  /** Name (`property`, `name` or `itemprop`) and content of each `meta`; addresses are absolute where they can be. */
  metas: { name: string; content: string; url?: string | undefined }[];
  links: {
    rel: string;
    url: string;
    type?: string | undefined;
    sizes?: string | undefined;
    language?: string | undefined;
    title?: string | undefined;
  }[];
}

const limits = { each: 500, text: 5000 };
type Input = typeof limits & { timerEvent: string };

export function readStatements(page: RenderedPage): Promise<Statements> {
  const input: Input = { ...limits, timerEvent };
  return readOnceShown(
    page,
    () =>
      evaluate(page.tab, statements, input, page.timeLeft(), {
        sight: firstSight,
        progress: pageProgress,
      }),
    (found) => found,
  );
}

/** Runs in the page. */
function statements(
  dom: DomTools,
  input: Input,
  { sight, progress }: { sight: FirstSight; progress: PageProgress },
): Statements & Glance {
  const clean = (text: string | null) =>
    text?.slice(0, input.text).replace(/\s+/g, " ").trim() || undefined;
  const some = (selector: string) => [...dom.matching(document, selector)].slice(0, input.each);
  const metas = some("meta[content]:is([property], [name], [itemprop])").flatMap((element) => {
    const read = (attribute: string) => clean(dom.attribute(element, attribute));
    const name = read("property") ?? read("name") ?? read("itemprop");
    const content = read("content");
    if (name === undefined || content === undefined) return [];
    return [{ name, content, url: dom.webUrl(content) }];
  });
  const links = some("link[rel][href]").flatMap((element) => {
    const read = (attribute: string) => clean(dom.attribute(element, attribute));
    const rel = read("rel");
    const url = dom.webUrl(dom.attribute(element, "href"));
    if (rel === undefined || url === undefined || url.length > input.text) return [];
    return [
      {
        rel,
        url,
        type: read("type"),
        sizes: read("sizes"),
        language: read("hreflang"),
        title: read("title"),
      },
    ];
  });
  return {
    url: location.href,
    metas,
    links,
    shows: sight.anything(),
    ...progress.glance(input.timerEvent),
  };
}
