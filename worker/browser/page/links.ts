/// <reference lib="dom" />
import { getDomain } from "tldts";
import type { DomTools } from "../dom.ts";
import { firstSight, readOnceShown } from "./first-text.ts";
import type { FirstSight, Glance } from "./first-text.ts";
import { evaluate } from "./isolated-world.ts";
import { childFrames, ifThere, readFrames } from "./child-frames.ts";
import type { RenderedPage } from "../chromium/tab.ts";
import { withinResultLimit } from "./result-limit.ts";
import { timerEvent } from "../chromium/timer-watch.ts";
import { pageProgress } from "./unfinished.ts";
import type { PageProgress } from "./unfinished.ts";

const documentParts = { sight: firstSight, progress: pageProgress };

/** Reads the links of the page in document order, without duplicates. */
export async function readLinks(
  page: RenderedPage,
  options: { visibleOnly: boolean; internalOnly: boolean },
): Promise<{ url: string; links: string[] }> {
  const { url, lines, frames } = await readOnceShown(
    page,
    () =>
      evaluate(
        page.tab,
        documentLinks,
        { visibleOnly: options.visibleOnly, timerEvent },
        page.timeLeft(),
        documentParts,
      ),
    ({ lines, shows, waits }) => ({ shows: lines !== "" || shows, waits }),
  );
  const inside = frames > 0 && !options.visibleOnly ? await linksOfFrames(page) : [];
  const links = [...new Set([...(lines ? lines.split("\n") : []), ...inside])];
  const own = siteOf(url);
  return withinResultLimit({
    url,
    links: options.internalOnly ? links.filter((link) => siteOf(link) === own) : links,
  });
}

/** The links of the page's own documents in frames. */
async function linksOfFrames(page: RenderedPage): Promise<string[]> {
  const found: string[] = [];
  let level = [page.tab.frameId];
  for (let depth = 0; depth < readFrames.depth && level.length > 0; depth += 1) {
    const children = await Promise.all(level.map((frameId) => childFrames(page.tab, frameId)));
    level = children.flat().flatMap(({ frameId, isOwn }) => (isOwn ? [frameId] : []));
    level.splice(readFrames.most);
    for (const frameId of level) {
      const tab = { cdp: page.tab.cdp, frameId };
      const inside = await ifThere(
        evaluate(
          tab,
          documentLinks,
          { visibleOnly: false, timerEvent },
          page.timeLeft(),
          documentParts,
        ),
      );
      if (inside?.lines) found.push(...inside.lines.split("\n"));
    }
  }
  return found;
}

/** The registrable domain by the Public Suffix List with private suffixes; the host where there is none. */
export function siteOf(url: string): string {
  return getDomain(url, { allowPrivateDomains: true }) ?? new URL(url).hostname;
}

/** Runs in the page. It returns one string, because an array of 200,000 values is costly to transfer. */
function documentLinks(
  dom: DomTools,
  input: { visibleOnly: boolean; timerEvent: string },
  { sight, progress }: { sight: FirstSight; progress: PageProgress },
): { url: string; lines: string; frames: number } & Glance {
  const links = new Set<string>();
  const root = dom.root(document);
  if (root) {
    dom.walk(root, (element) => {
      const name = dom.localName(element);
      if (name !== "a" && name !== "area") return;
      const target = dom.linkTarget(element);
      if (target === undefined || links.has(target)) return;
      if (!input.visibleOnly || dom.inView(element)) links.add(target);
    });
  }
  return {
    url: location.href,
    lines: [...links].join("\n"),
    shows: sight.anything(),
    waits: progress.waits(input.timerEvent),
    frames: window.length,
  };
}
