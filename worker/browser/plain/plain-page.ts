import { type DefaultTreeAdapterTypes as Tree, html, parse, serialize } from "parse5";
import { refreshTarget } from "../page/refresh-target.ts";
import { maxResultBytes } from "../page/result-limit.ts";
import { plainContent } from "./plain-content.ts";
import { drawShadowRoots } from "./shadow-roots.ts";
import { attributeOf, isElement } from "./tree.ts";
import { isXhtml, parseXhtml } from "./xhtml.ts";

/** A document as a server sends it. */
export interface PlainPage {
  document: Tree.Document;
  /** The document as HTML. */
  source: string;
  /** Address that its links are relative to. */
  base: string;
  title: string | undefined;
  language: string | undefined;
  canonical: string | undefined;
  /** A line for each `meta name=robots`. */
  robots: string;
  /** Absolute http and https addresses in document order, each once; `isFollowed` is false behind `nofollow`. */
  links: { url: string; isFollowed: boolean }[];
  metas: { name: string; content: string; url?: string | undefined }[];
  headLinks: HeadLink[];
  /** The visible content as normalised HTML, and its text. */
  html: string;
  text: string;
}

interface HeadLink {
  rel: string;
  url: string;
  type?: string | undefined;
  sizes?: string | undefined;
  language?: string | undefined;
  title?: string | undefined;
}

/** Limits of one document. */
const most = { statements: 500, characters: 5000 };

/** Reads a document; `url` is its address. XHTML that is not well-formed counts as HTML, as its authors meant it. */
export function readPlainPage(text: string, url: string, contentType = "text/html"): PlainPage {
  const xhtml = isXhtml(contentType) ? parseXhtml(text) : undefined;
  const document = xhtml ?? parse(text);
  // XML has no declarative shadow roots, and selectors and statements know nothing of them.
  const hasRoots = !xhtml && /\sshadowrootmode/i.test(text);
  const drawn = hasRoots ? parse(text) : document;
  if (hasRoots) drawShadowRoots(elementsOf(drawn));
  const read = new Reader(baseOf(document, url));
  for (const node of elementsOf(drawn)) read.element(node);
  const root = drawn.childNodes.find(isElement);
  const body = root?.childNodes.filter(isElement).find(({ tagName }) => tagName === "body");
  return {
    document,
    /** Written on request: only extracts of XHTML need it. */
    get source() {
      return xhtml ? serialize(xhtml) : text;
    },
    ...read.found(),
    ...plainContent(drawn, body, read.base),
  };
}

/** The first usable base counts for the whole document, wherever it stands. */
function baseOf(document: Tree.Document, url: string): string {
  for (const element of elementsOf(document)) {
    const base = element.tagName === "base" ? webUrl(attributeOf(element, "href"), url) : undefined;
    if (base !== undefined) return base;
  }
  return url;
}

/** Every element in document order, without recursion: a document may be nested as deep as its author likes. */
function* elementsOf(document: Tree.Document): Generator<Tree.Element> {
  const open: Tree.ParentNode[] = [document];
  const places = [0];
  while (open.length > 0) {
    const parent = open.at(-1) as Tree.ParentNode;
    const place = places[places.length - 1] as number;
    const node = parent.childNodes[place];
    if (!node) {
      open.pop();
      places.pop();
      continue;
    }
    places[places.length - 1] = place + 1;
    if (!isElement(node)) continue;
    yield node;
    open.push(node);
    places.push(0);
  }
}

class Reader {
  readonly base: string;
  #title: string | undefined;
  #language: string | undefined;
  #canonical: string | undefined;
  #robots = "";
  readonly #links = new Map<string, boolean>();
  #characters = 0;
  readonly #metas: PlainPage["metas"] = [];
  readonly #headLinks: HeadLink[] = [];

  constructor(base: string) {
    this.base = base;
  }

  element(element: Tree.Element): void {
    switch (element.tagName) {
      case "html":
        this.#language = clean(attributeOf(element, "lang"));
        break;
      case "title":
        // A drawing has titles of its own.
        if (element.namespaceURI === html.NS.HTML) this.#title ??= clean(textIn(element));
        break;
      case "meta":
        this.#meta(element);
        break;
      case "link":
        this.#headLink(element);
        break;
      case "a":
      case "area":
        this.#link(element);
        break;
      case "frame":
        this.#frame(element);
        break;
      default:
    }
  }

  found(): Omit<PlainPage, "document" | "source" | "html" | "text"> {
    return {
      base: this.base,
      title: this.#title,
      language: this.#language,
      canonical: this.#canonical,
      robots: this.#robots,
      links: [...this.#links].map(([url, isFollowed]) => ({ url, isFollowed })),
      metas: this.#metas,
      headLinks: this.#headLinks,
    };
  }

  #meta(element: Tree.Element): void {
    const read = (name: string) => clean(attributeOf(element, name));
    const name = read("property") ?? read("name") ?? read("itemprop");
    const content = read("content");
    if (content === undefined) return;
    if (/^refresh$/i.test(read("http-equiv") ?? "")) {
      const stated = refreshTarget.exec(content)?.slice(1).find(Boolean);
      const target = webUrl(stated, this.base);
      if (target) this.#add(target, true);
    }
    if (name === undefined || this.#metas.length >= most.statements) return;
    if (/^robots$/i.test(name)) this.#robots += `${content}\n`;
    this.#metas.push({ name, content, url: webUrl(content, this.base) });
  }

  #headLink(element: Tree.Element): void {
    const read = (name: string) => clean(attributeOf(element, name));
    const rel = read("rel");
    const url = webUrl(attributeOf(element, "href"), this.base);
    if (rel === undefined || url === undefined || this.#headLinks.length >= most.statements) return;
    if (/(?:^|\s)canonical(?:\s|$)/i.test(rel)) this.#canonical ??= url;
    this.#headLinks.push({
      rel,
      url,
      type: read("type"),
      sizes: read("sizes"),
      language: read("hreflang"),
      title: read("title"),
    });
  }

  /** A page of frames has its content, and its links, in them alone. */
  #frame(element: Tree.Element): void {
    const url = webUrl(attributeOf(element, "src"), this.base);
    if (url !== undefined) this.#add(url, true);
  }

  #link(element: Tree.Element): void {
    const url = webUrl(attributeOf(element, "href"), this.base);
    if (url === undefined) return;
    this.#add(url, !/(?:^|\s)nofollow(?:\s|$)/i.test(attributeOf(element, "rel") ?? ""));
  }

  #add(url: string, isFollowed: boolean): void {
    const known = this.#links.get(url);
    if (known === undefined) {
      // Those of a page with more are refused, as where a browser reads it.
      if (this.#characters > maxResultBytes) return;
      this.#characters += url.length;
    }
    this.#links.set(url, known === true || isFollowed);
  }
}

/** The absolute http or https URL of a text; undefined for other schemes and endless texts. */
export function webUrl(text: string | undefined, base: string): string | undefined {
  if (text === undefined || text.length > most.characters) return undefined;
  const url = URL.parse(text.trim(), base);
  return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : undefined;
}

const clean = (text: string | undefined) =>
  text?.slice(0, most.characters).replace(/\s+/g, " ").trim() || undefined;

const textIn = (element: Tree.Element) =>
  element.childNodes.map((node) => ("value" in node ? node.value : "")).join("");
