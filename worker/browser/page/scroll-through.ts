/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import { evaluate } from "./isolated-world.ts";
import type { RenderedPage } from "../chromium/tab.ts";

/** Most time for scrolling and waiting for pictures together. */
const mostMs = 8000;
/** So much time must remain for the screenshot itself. */
const pictureMs = 2000;

/**
 * Scrolls through the whole page once, so that pictures and sections that wait to come into view are drawn. It waits
 * for them and leaves the page at its top.
 */
export async function scrollThrough(page: RenderedPage, maxHeight: number): Promise<void> {
  const ms = Math.min(mostMs, page.timeLeft() - pictureMs);
  if (ms < 500) return;
  await evaluate(page.tab, showAll, { ms, maxHeight }, page.timeLeft());
}

/** Runs in the page. */
async function showAll(dom: DomTools, input: { ms: number; maxHeight: number }): Promise<void> {
  const ends = performance.now() + input.ms;
  const left = () => Math.max(0, ends - performance.now());
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const to = (top: number) => scrollTo({ top, left: 0, behavior: "instant" });
  const height = () => {
    const root = dom.root(document);
    return Math.min(input.maxHeight, root ? dom.scrollHeight(root) : 0);
  };

  const frames = () =>
    new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const isAwaited = (image: HTMLImageElement) =>
    dom.currentSrc(image) === "" && dom.attribute(image, "src") !== null && dom.rendered(image);

  const half = input.ms / 2;
  for (let top = innerHeight; top < height() && left() > half; top += innerHeight) {
    to(top);
    // Intersection observers run with the next frames, which are late on a busy machine.
    await Promise.all([pause(60), Promise.race([frames(), pause(500)])]);
  }
  to(0);

  const most = 1000;
  const lazy = [...dom.images(document)]
    .slice(0, most)
    .filter((image) => dom.attribute(image, "loading")?.toLowerCase() === "lazy");
  // Chromium begins to load a picture a moment after it came into view, and only then names its URL.
  const toBegin = performance.now() + Math.min(1000, left());
  while (performance.now() < toBegin && lazy.some(isAwaited)) await pause(30);

  const decoded = [...dom.images(document)]
    .slice(0, most)
    .filter((image) => dom.currentSrc(image) !== "")
    .map((image) => dom.decode(image).catch(() => undefined));
  await Promise.race([Promise.all(decoded), pause(left())]);
  const finite = dom
    .animations(document)
    .slice(0, most)
    .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
    .map((animation) => animation.finished.catch(() => undefined));
  await Promise.race([Promise.all(finite), pause(Math.min(1500, left()))]);
}
