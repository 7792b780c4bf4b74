/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import { firstSight, readOnceShown } from "./first-text.ts";
import type { FirstSight, Glance } from "./first-text.ts";
import { embedReader } from "../markdown/embeds.ts";
import type { EmbedReader } from "../markdown/embeds.ts";
import { evaluate } from "./isolated-world.ts";
import { childFrames, ifThere, readFrames } from "./child-frames.ts";
import type { RenderedPage } from "../chromium/tab.ts";
import { refreshTarget } from "./refresh-target.ts";
import { siteOf } from "./site-of.ts";
import { withinResultLimit } from "./result-limit.ts";
import { timerEvent } from "../chromium/timer-watch.ts";
import { pageProgress } from "./unfinished.ts";
import type { PageProgress } from "./unfinished.ts";

const documentParts = { sight: firstSight, progress: pageProgress, embeds: embedReader };

/** Stands behind an address that only links with `rel=nofollow` lead to. */
const notFollowed = " nofollow";

/** Reads the links of the page in document order, without duplicates. */
export async function readLinks(
  page: RenderedPage,
  options: { visibleOnly: boolean; internalOnly: boolean },
): Promise<{ url: string; links: string[] }> {
  const { url, links } = await readAllLinks(page, options.visibleOnly);
  const own = siteOf(url);
  return withinResultLimit({
    url,
    links: options.internalOnly ? links.filter((link) => siteOf(link) === own) : links,
  });
}

/** Reads the links of the page, and those of them that robots may follow. */
export async function readAllLinks(
  page: RenderedPage,
  visibleOnly: boolean,
): Promise<{ url: string; links: string[]; followed: string[] }> {
  const { url, lines, frames, shown, refresh } = await readOnceShown(
    page,
    () =>
      evaluate(
        page.tab,
        documentLinks,
        { visibleOnly, timerEvent, notFollowed, refreshTarget: refreshTarget.source },
        page.timeLeft(),
        documentParts,
      ),
    ({ lines, shows, ...glance }) => ({ ...glance, shows: lines !== "" || shows }),
  );
  const inside = frames > 0 ? await linksOfFrames(page, visibleOnly, shown) : [];
  const links = new Map<string, boolean>();
  for (const line of [...(lines ? lines.split("\n") : []), ...inside]) {
    const isFollowed = !line.endsWith(notFollowed);
    const link = isFollowed ? line : line.slice(0, -notFollowed.length);
    links.set(link, isFollowed || links.get(link) === true);
  }
  const followed = [...links].filter(([, isFollowed]) => isFollowed).map(([link]) => link);
  // A later refresh leads on, although the page shows no link.
  if (refresh !== undefined) followed.push(refresh);
  return { url, links: [...links.keys()], followed };
}

/** The links of documents in frames: those of the page's own, and those of others that it shows as its parts. */
async function linksOfFrames(
  page: RenderedPage,
  visibleOnly: boolean,
  shown: number[],
): Promise<string[]> {
  const found: string[] = [];
  let level = [{ frameId: page.tab.frameId, shown }];
  for (let depth = 0; depth < readFrames.depth && level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const parent of level) {
      for (const [number, child] of (await childFrames(page.tab, parent.frameId)).entries()) {
        const counts = parent.shown.includes(number) || (child.isOwn && !visibleOnly);
        if (!counts || next.length >= readFrames.most) continue;
        const tab = page.tab.frame(child.frameId);
        const input = { visibleOnly, timerEvent, notFollowed, refreshTarget: refreshTarget.source };
        const inside = await ifThere(
          evaluate(tab, documentLinks, input, page.timeLeft(), documentParts),
        );
        // A frame that could not be loaded holds a page of Chromium's own.
        if (!inside || inside.url.startsWith("chrome")) continue;
        if (inside.lines) found.push(...inside.lines.split("\n"));
        next.push({ frameId: child.frameId, shown: inside.shown });
      }
    }
    level = next;
  }
  return found;
}

/** Runs in the page. It returns one string, because an array of 200,000 values is costly to transfer. */
function documentLinks(
  dom: DomTools,
  input: { visibleOnly: boolean; timerEvent: string; notFollowed: string; refreshTarget: string },
  parts: { sight: FirstSight; progress: PageProgress; embeds: EmbedReader },
): {
  url: string;
  lines: string;
  frames: number;
  shown: number[];
  refresh: string | undefined;
} & Glance {
  /** Addresses, with whether robots may follow a link there. */
  const links = new Map<string, boolean>();
  /** Numbers of the frames whose documents are parts of the page. */
  const shown: number[] = [];
  function showsFrame(frame: Element): void {
    const number = parts.embeds.frameNumber(frame);
    const isWritten = dom.localName(frame) === "frame" || dom.attribute(frame, "srcdoc") !== null;
    const isPart = isWritten || parts.embeds.holdsForeign(frame);
    if (number === undefined || !isPart || (input.visibleOnly && !dom.inView(frame))) return;
    shown.push(number);
  }

  const root = dom.root(document);
  if (root) {
    dom.walk(root, (element) => {
      const name = dom.localName(element);
      if (/^i?frame$/.test(name)) showsFrame(element);
      if (name !== "a" && name !== "area") return;
      const target = dom.linkTarget(element);
      if (target === undefined || links.get(target)) return;
      const isFollowed = !/(?:^|\s)nofollow(?:\s|$)/i.test(dom.attribute(element, "rel") ?? "");
      if (links.has(target) && !isFollowed) return;
      if (!input.visibleOnly || dom.inView(element)) links.set(target, isFollowed);
    });
  }
  const meta = dom.querySelector(document, "meta[http-equiv=refresh i]");
  const stated = (meta && dom.attribute(meta, "content"))?.replace(/\s+/g, " ").trim() ?? "";
  const target = new RegExp(input.refreshTarget, "i").exec(stated)?.slice(1).find(Boolean);
  return {
    url: location.href,
    refresh: target === undefined ? undefined : dom.webUrl(target),
    lines: [...links]
      .map(([target, isFollowed]) => (isFollowed ? target : target + input.notFollowed))
      .join("\n"),
    shows: parts.sight.anything(),
    ...parts.progress.glance(input.timerEvent),
    frames: window.length,
    shown,
  };
}
