/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";

export type EmbedReader = ReturnType<typeof embedReader>;

/** Runs in the page: makes the link that stands for a document or film in a frame. */
export function embedReader(dom: DomTools) {
  const films =
    /(?:^|\.)(?:youtube\.com|youtube-nocookie\.com|youtu\.be|vimeo\.com|dailymotion\.com|twitch\.tv|wistia\.(?:com|net)|loom\.com|ted\.com|bilibili\.com|rutube\.ru|streamable\.com|videopress\.com|jwplayer\.com|brightcove\.net|vidyard\.com|kaltura\.com|archive\.org)$/;
  const sources = ["src", "data-src", "data-lazy-src"];
  const adverts =
    /(?:^|[.-])(?:ads?|adserver|adservice|doubleclick|googlesyndication|adnxs|criteo|taboola|outbrain|amazon-adsystem)(?=[.-])/;
  /** Sizes that networks of advertisers have agreed on. */
  const advertSizes = new Set(
    (
      "120x600 160x600 180x150 200x200 234x60 250x250 300x50 300x100 300x250 300x600 320x50 " +
      "320x100 320x480 336x280 468x60 480x320 728x90 970x90 970x250 300x1050"
    ).split(" "),
  );

  const nameOf = (element: Element) =>
    (dom.attribute(element, "aria-label") ?? dom.attribute(element, "title") ?? "").trim();

  const pictures = "svg, i, img, picture, canvas, video, object";
  /** Most elements beside an icon in which another link is looked for. */
  const mostBeside = 20;

  /** The part of this site, or the other site, that a link without any name leads to. */
  function destination(link: Element): string {
    const url = URL.parse(dom.linkTarget(link) ?? "");
    if (!url || !dom.querySelectorIn(link, pictures)) return "";
    const place =
      url.hostname === location.hostname ? url.pathname.split("/").findLast(Boolean) : "";
    return place || url.hostname.replace(/^www\./, "");
  }

  /** Whether a link with a text beside this one leads to the same place. */
  function isRepeated(link: Element): boolean {
    const target = dom.linkTarget(link);
    const holdsTwin = (part: Element) => {
      let seen = 0;
      let found = false;
      dom.walk(part, (element) => {
        seen += 1;
        found ||=
          dom.localName(element) === "a" &&
          dom.linkTarget(element) === target &&
          Boolean(dom.textContent(element)?.trim()) &&
          dom.shown(element);
        return found || seen > mostBeside;
      });
      return found;
    };
    for (let part: Node | null = link, level = 0; level < 2; level += 1) {
      if (!(part instanceof Element)) return false;
      const beside = [dom.nextElement(part), dom.previousElement(part)];
      if (beside.some((one) => one !== null && holdsTwin(one))) return true;
      part = dom.parentNode(part);
    }
    return false;
  }

  return {
    /** Text of a form field; empty for a field of a secret, a file, or a mark. */
    fieldText(element: Element): string {
      if (element instanceof HTMLTextAreaElement) return dom.areaValue(element);
      if (element instanceof HTMLSelectElement) {
        return [...dom.chosen(element)].map((one) => dom.textContent(one)?.trim() ?? "").join(", ");
      }
      if (!(element instanceof HTMLInputElement)) return "";
      const type = dom.inputType(element);
      const isLabel = /^(?:submit|button|reset)$/.test(type);
      const isShown = /^(?:text|search|url|email|tel|number|date|time|month|week|datetime-local)$/;
      const text = isLabel || isShown.test(type) ? dom.inputValue(element) : "";
      // Chromium labels a button itself that has no value.
      if (text || dom.attribute(element, "value") !== null) return text;
      return type === "submit" ? "Submit" : type === "reset" ? "Reset" : "";
    },

    /** The title of a drawing, unless the drawing is an icon. */
    drawingTitle(drawing: Element): string {
      const { width, height } = dom.box(drawing);
      const title = dom.childElements(drawing).find((child) => dom.localName(child) === "title");
      return title && width >= 64 && height >= 64
        ? (dom.textContent(title) ?? "").slice(0, 1000)
        : "";
    },

    /** The number of a frame in `window.frames`. */
    frameNumber(frame: Element): number | undefined {
      const own =
        frame instanceof HTMLIFrameElement
          ? dom.iframeWindow(frame)
          : frame instanceof HTMLFrameElement && dom.frameWindow(frame);
      const all = Array.from({ length: window.length }, (_, index) => window[index]);
      const number = own ? all.indexOf(own) : -1;
      return number < 0 ? undefined : number;
    },

    /** Whether a frame shows the document of another site as a part of the page, not a film or an advertisement. */
    holdsForeign(frame: Element): boolean {
      const url = URL.parse(dom.webUrl(dom.attribute(frame, "src")) ?? "");
      if (!url || url.origin === location.origin) return false;
      if (films.test(url.hostname) || adverts.test(url.hostname)) return false;
      const [width, height] = [dom.clientWidth(frame), dom.clientHeight(frame)];
      return width >= 100 && height >= 50 && !advertSizes.has(`${width}x${height}`);
    },

    /** The link to the file of a player. */
    media(player: Element): { href: string; text: string } | undefined {
      const sources = [player, ...dom.firstElements(player, 20)];
      const href = sources.map((one) => dom.webUrl(dom.attribute(one, "src"))).find(Boolean);
      if (href === undefined) return undefined;
      const file = URL.parse(href)?.pathname.split("/").at(-1);
      return { href, text: (nameOf(player) || file || href).slice(0, 300) };
    },

    /** The link of a frame of the page's own site or of a film site; other frames are advertisements and counters. */
    link(frame: Element): { href: string; text: string } | undefined {
      for (const name of sources) {
        const href = dom.webUrl(dom.attribute(frame, name));
        const url = href === undefined ? null : URL.parse(href);
        if (href === undefined || !url) continue;
        if (url.origin !== location.origin && !films.test(url.hostname)) return undefined;
        if (href === location.href) return undefined;
        const { width, height } = dom.box(frame);
        // The frame's border adds to its size.
        if (width <= 10 || height <= 10) return undefined;
        const text = dom.attribute(frame, "title") ?? dom.attribute(frame, "aria-label") ?? "";
        return { href, text: text.replace(/\s+/g, " ").trim().slice(0, 300) || href };
      }
      return undefined;
    },

    /** The name of a link that shows only an icon; empty where a link with a text beside it leads there too. */
    label(link: Element): string {
      if (isRepeated(link)) return "";
      const named = (element: Element) =>
        dom.attribute(element, "aria-label")?.trim() || dom.attribute(element, "title")?.trim();
      let text = named(link);
      const inside: Element[] = dom.firstElements(link, 8);
      for (let at = 0; !text && at < inside.length && at < 40; at += 1) {
        const element = inside[at] as Element;
        text =
          dom.localName(element) === "title"
            ? dom.textContent(element)?.trim()
            : (named(element) ?? dom.attribute(element, "alt")?.trim());
        inside.push(...dom.firstElements(element, 8));
      }
      if (!text) {
        const { width, height } = dom.box(link);
        // These words are for screen readers only.
        const hidden = dom.textContent(link)?.trim() ?? "";
        if (width > 1 && height > 1) text = hidden.includes("{") ? "" : hidden || destination(link);
      }
      return (text ?? "").replace(/\s+/g, " ").slice(0, 300);
    },
  };
}
