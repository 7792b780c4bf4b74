/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";

export type PictureReader = ReturnType<typeof pictureReader>;

export interface Picture {
  /** Absolute URL; undefined for a placeholder. */
  source: string | undefined;
  alt: string;
}

/** Runs in the page: finds the picture that the author meant, also where a script has yet to insert it. */
export function pictureReader(dom: DomTools) {
  const lazySources = ["data-src", "data-lazy-src", "data-original", "data-lazy", "data-actualsrc"];
  const lazySets = ["data-srcset", "data-lazy-srcset", "data-original-set"];
  const lazy = new Set([...lazySources, ...lazySets]);
  const placeholder =
    /(?:^|[/_-])(?:blank|placeholder|spacer|transparent|pixel|loading|lazy|loader|1x1|gr[ae]y|clear)[\w-]*\.(?:gif|png|svg|jpe?g|webp)$/i;
  const counting = /facebook\.com\/tr|doubleclick|pixel|analytics|scorecard|quantserve|bat\.bing/i;
  const longest = 20_000;

  /** Flags and templates with blanks in them are no URLs. */
  function address(value: string | null): string | undefined {
    if (!value || value.length > 8192 || !/[./]/.test(value) || /[{}\s]/.test(value.trim()))
      return undefined;
    return dom.webUrl(value);
  }

  /** The largest candidate of a `srcset`. */
  function largest(value: string | null): string | undefined {
    let best: string | undefined;
    let most = -1;
    for (const candidate of (value ?? "").slice(0, longest).split(/,\s+/)) {
      const [url = "", size = "1x"] = candidate.trim().split(/\s+/);
      const measure = parseFloat(size) || 0;
      if (url && measure > most) {
        const found = address(url.replace(/,$/, ""));
        if (found) [best, most] = [found, measure];
      }
    }
    return best;
  }

  function first(names: string[], read: (name: string) => string | undefined): string | undefined {
    for (const name of names) {
      const found = read(name);
      if (found) return found;
    }
    return undefined;
  }

  function lazySource(element: Element): string | undefined {
    // Most images have none of these attributes, so one check spares the others.
    if (!dom.attributeNames(element).some((name) => lazy.has(name))) return undefined;
    return (
      first(lazySources, (name) => address(dom.attribute(element, name))) ??
      first(lazySets, (name) => largest(dom.attribute(element, name)))
    );
  }

  /** The URL of a `source` beside the image inside `picture`. */
  function pictureSource(image: Element): string | undefined {
    const parent = dom.parentNode(image);
    if (!(parent instanceof Element) || dom.localName(parent) !== "picture") return undefined;
    for (const source of dom.firstElements(parent, 20)) {
      const found =
        first(lazySets, (name) => largest(dom.attribute(source, name))) ??
        largest(dom.attribute(source, "srcset"));
      if (found) return found;
    }
    return undefined;
  }

  function isPlaceholder(image: HTMLImageElement, url: string): boolean {
    if (placeholder.test(url.slice(0, 2000).replace(/[?#].*$/, ""))) return true;
    const width = dom.naturalWidth(image);
    return width > 0 && width <= 2;
  }

  /** Attributes of the image that a `noscript` holds as text, if that is all it holds. */
  function inNoscript(noscript: Element): Map<string, string> | undefined {
    const text = (dom.textContent(noscript) ?? "").slice(0, 5000);
    const tag = /<img\b[^<>]*>/i.exec(text)?.[0];
    if (tag === undefined || text.replace(/<[^<>]*>/g, "").trim()) return undefined;
    const attributes = new Map<string, string>();
    const entities: Record<string, string> = { amp: "&", quot: '"', lt: "<", gt: ">", "#39": "'" };
    for (const match of tag.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g)) {
      const value = match[2] ?? match[3] ?? match[4] ?? "";
      attributes.set(
        (match[1] ?? "").toLowerCase(),
        value.replace(/&(amp|quot|lt|gt|#39);/g, (_, name: string) => entities[name] ?? ""),
      );
    }
    return attributes;
  }

  /** Whether an image is a tracking pixel. */
  function counts(attributes: Map<string, string>, source: string): boolean {
    const small = ["width", "height"].some((side) => {
      const value = attributes.get(side);
      return value !== undefined && parseFloat(value) <= 2;
    });
    const unseen = /display\s*:\s*none|hidden|absolute/i.test(attributes.get("style") ?? "");
    return small || unseen || counting.test(source);
  }

  function noscriptPicture(noscript: Element | null): Picture | undefined {
    if (!noscript || dom.localName(noscript) !== "noscript") return undefined;
    const attributes = inNoscript(noscript);
    if (!attributes) return undefined;
    const read = (name: string) => attributes.get(name) ?? null;
    const source =
      address(read("src")) ??
      largest(read("srcset")) ??
      first(lazySources, (name) => address(read(name)));
    if (!source || counts(attributes, source)) return undefined;
    return { source, alt: read("alt") ?? "" };
  }

  /** Whether an element is an image, or a thin wrapper around one. */
  function holdsImage(element: Element | null): boolean {
    let at = element;
    for (let depth = 0; at && depth < 4; depth += 1) {
      const name = dom.localName(at);
      if (name === "img" || name === "picture") return true;
      at = dom.childElement(at);
    }
    return false;
  }

  return {
    /** The picture of an image; undefined for a tracking pixel. */
    of(image: HTMLImageElement): Picture | undefined {
      const alt = (dom.attribute(image, "alt") ?? "").slice(0, longest);
      const meant = lazySource(image);
      if (meant) return { source: meant, alt };
      const { width, height } = dom.box(image);
      const own = dom.imageSource(image) ?? dom.webUrl(dom.currentSrc(image) || null);
      if (own && !isPlaceholder(image, own)) {
        return width > 0 && width <= 2 && height <= 2 ? undefined : { source: own, alt };
      }
      const [next, previous] = [dom.nextElement(image), dom.previousElement(image)];
      const parent = next || previous ? undefined : dom.parentNode(image);
      const around = parent instanceof Element ? parent : image;
      const fallback =
        pictureSource(image) ??
        largest(dom.attribute(image, "srcset")) ??
        [next, previous, dom.nextElement(around), dom.previousElement(around)]
          .map(noscriptPicture)
          .find(Boolean)?.source;
      if (fallback) return { source: fallback, alt };
      const dot = width > 0 && width <= 2 && height <= 2;
      return dot ? undefined : { source: undefined, alt };
    },

    /** The picture of a `noscript` that has no image beside it. */
    alone(noscript: Element): Picture | undefined {
      if (holdsImage(dom.previousElement(noscript)) || holdsImage(dom.nextElement(noscript))) {
        return undefined;
      }
      const picture = noscriptPicture(noscript);
      if (!picture?.source) return undefined;
      const file = /\.(?:jpe?g|png|webp|avif|gif|svg)(?:[?#]|$)/i.test(picture.source);
      return picture.alt || file ? picture : undefined;
    },
  };
}
