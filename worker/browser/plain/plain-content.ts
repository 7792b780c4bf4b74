import type { DefaultTreeAdapterTypes as Tree } from "parse5";
import { type TableGrid, type TableGrids, tableGrids } from "../markdown/table-grid.ts";
import { tableCells } from "../table-cells.ts";
import { plainDom } from "./plain-dom.ts";
import { attributeOf, isElement } from "./tree.ts";

/** Writes a parsed document as plain, regular HTML for the Markdown converter, in one pass and without recursion. */

/** Nothing of these is text of the page. */
const dropped = new Set(
  "script style noscript template head svg math iframe frame object embed canvas audio video dialog select option datalist textarea input button progress meter map".split(
    " ",
  ),
);
/** Elements that the converter knows. */
const kept = new Set(
  "h1 h2 h3 h4 h5 h6 p ul ol li blockquote pre dl dt dd figure figcaption em strong b i s del code kbd samp sub sup".split(
    " ",
  ),
);
const inlines = new Set("em strong b i s del code kbd samp sub sup".split(" "));
/** Containers, which the search for the main content scores by name. */
const containers = new Set(
  "div section article main header footer nav aside address form fieldset center details summary hgroup table tr th td caption".split(
    " ",
  ),
);

/** Characters of text and HTML that are read of one page. */
const mostCharacters = 8_000_000;
/** Deeper elements only give their text: the converter recurses. */
const mostDepth = 200;

export function plainContent(
  document: Tree.Document,
  body: Tree.Element | undefined,
  base: string,
): { html: string; text: string } {
  const dom = plainDom(document, base);
  const writer = new Writer(base, tableGrids(dom)(tableCells(dom)));
  if (body) writer.write(body);
  return writer.found();
}

interface Open {
  element: Tree.Element;
  place: number;
  end: string | (() => void);
  isPre: boolean;
  isBlock: boolean;
}

/** A link whose content is being written. */
interface Link {
  tag: string;
  /** Whether its tag stands open in the HTML. */
  isOpen: boolean;
  /** Inline elements that are open within it. */
  inlines: number;
}

/** A table of data that is open. */
interface Table {
  grid: TableGrid;
  isInCell: boolean;
}

/** The grid reads elements by the document's tools only. */
const inDom = (element: Tree.Element) => element as unknown as Element;
/** The tags of a cell. */
const cellLength = "<td></td>".length;

class Writer {
  readonly #base: string;
  readonly #grids: TableGrids;
  /** The parts written of the document, or of an open cell. */
  #html: string[] = [];
  readonly #text: string[] = [];
  #length = 0;
  #table: Table | undefined;
  #link: Link | undefined;

  constructor(base: string, grids: TableGrids) {
    this.#base = base;
    this.#grids = grids;
  }

  found(): { html: string; text: string } {
    return { html: this.#html.join(""), text: this.#text.join("").replace(/\s+/g, " ").trim() };
  }

  write(body: Tree.Element): void {
    const open: Open[] = [{ element: body, place: 0, end: "", isPre: false, isBlock: true }];
    for (let top = open.at(-1); top && this.#length < mostCharacters; top = open.at(-1)) {
      const node = top.element.childNodes[top.place];
      top.place += 1;
      if (!node) {
        this.#end(top);
        if (top.isBlock) this.#text.push(" ");
        open.pop();
      } else if (isElement(node)) {
        const entered = this.#enter(node, open.length, top.isPre);
        if (entered) open.push(entered);
      } else if ("value" in node) this.#textOf(node.value, top.isPre);
    }
    for (const one of open.toReversed()) this.#end(one);
  }

  #end({ end }: Open): void {
    if (typeof end !== "string") end();
    else if (end) this.#put(end);
  }

  #put(html: string): void {
    this.#html.push(html);
    this.#length += html.length;
  }

  #textOf(value: string, isPre: boolean): void {
    const shown = isPre ? value : value.replace(/[ \t\r\n\f]+/g, " ");
    if (shown.trim() !== "") this.#openLink();
    // Noncharacters are signs of the converter.
    this.#put(escape(shown.replace(/[\uFDD0-\uFDEF]/g, "")));
    this.#text.push(shown);
  }

  #enter(element: Tree.Element, depth: number, isPre: boolean): Open | undefined {
    const { tagName: name } = element;
    if (name === "hr") this.#closeLink();
    if (name === "br" || name === "hr") {
      this.#put(isPre && name === "br" ? "\n" : `<${name}>`);
      this.#text.push(" ");
    }
    if (name === "img") this.#image(element);
    if (dropped.has(name) || isHidden(element)) return undefined;
    const pre = isPre || name === "pre";
    const isBlock = kept.has(name) || containers.has(name);
    if (isBlock) this.#text.push(" ");
    const opened = { element, place: 0, isPre: pre, isBlock };
    const tag = depth > mostDepth ? undefined : this.#tagOf(element, isPre);
    if (name === "a" && tag) return { ...opened, end: this.#startLink(tag) };
    const isInline = inlines.has(name);
    if (isBlock && !isInline) this.#closeLink();
    const end = depth > mostDepth || isPre ? undefined : this.#tablePart(element);
    if (end) return { ...opened, end: () => this.#endBlock(end) };
    if (tag === undefined) return { ...opened, end: "" };
    const close = () => this.#put(`</${tag.split(" ", 1)[0]}>`);
    if (!isInline) {
      this.#put(`<${tag}>`);
      return { ...opened, end: () => this.#endBlock(close) };
    }
    const link = this.#link;
    this.#openLink();
    this.#put(`<${tag}>`);
    if (link) link.inlines += 1;
    return {
      ...opened,
      end: () => {
        close();
        if (link) link.inlines -= 1;
      },
    };
  }

  /** A link of Markdown is within one block, so that each block in a link has the link within it. */
  #startLink(tag: string): () => void {
    this.#closeLink();
    const outer = this.#link;
    this.#link = { tag, isOpen: false, inlines: 0 };
    return () => {
      this.#closeLink();
      this.#link = outer;
    };
  }

  #openLink(): void {
    if (!this.#link || this.#link.isOpen) return;
    this.#put(`<${this.#link.tag}>`);
    this.#link.isOpen = true;
  }

  #closeLink(): void {
    if (!this.#link?.isOpen || this.#link.inlines > 0) return;
    this.#put("</a>");
    this.#link.isOpen = false;
  }

  #endBlock(end: () => void): void {
    this.#closeLink();
    end();
  }

  /** Opens a table of data, its row or its cell; gives the function that closes it. Other tables are containers. */
  #tablePart(element: Tree.Element): (() => void) | undefined {
    const { tagName: name } = element;
    const table = this.#table;
    if (name === "table") {
      if (table?.isInCell || !this.#grids.isData(inDom(element))) return undefined;
      const grid = this.#grids.create(Math.floor(mostCharacters / cellLength));
      this.#table = { grid, isInCell: false };
      return () => {
        this.#table = undefined;
        this.#put(grid.html());
      };
    }
    if (!table || table.isInCell) return undefined;
    if (name === "tr") {
      table.grid.startRow(inDom(element));
      return () => table.grid.endRow();
    }
    if (name !== "td" && name !== "th") return undefined;
    const outside = this.#html;
    this.#html = [];
    table.isInCell = true;
    return () => {
      table.grid.addCell(this.#html.join("").trim(), inDom(element));
      this.#html = outside;
      table.isInCell = false;
    };
  }

  /** The tag to write, with its attributes; undefined where only the content counts. */
  #tagOf(element: Tree.Element, isPre: boolean): string | undefined {
    const { tagName: name } = element;
    if (name === "a") {
      const url = URL.parse(attributeOf(element, "href")?.trim() ?? "", this.#base);
      const isLink =
        attributeOf(element, "href") !== undefined && url && /^https?:$/.test(url.protocol);
      return isLink ? `a href="${escape(url.href)}"` : undefined;
    }
    if (containers.has(name)) {
      const names = ["class", "id", "role"].flatMap((one) => {
        const value = attributeOf(element, one)?.trim();
        return value ? [` ${one}="${escape(value.slice(0, 200))}"`] : [];
      });
      return `div${names.join("")}`;
    }
    if (!kept.has(name)) return undefined;
    if (name === "code" || name === "pre") {
      const language = /(?:^|\s)(?:language|lang)-([\w+#.-]{1,40})/.exec(
        attributeOf(element, "class") ?? "",
      )?.[1];
      return language ? `${name} class="language-${escape(language)}"` : name;
    }
    if (isPre) return undefined;
    // The search for the main content changes levels, and restores those that it finds here.
    if (/^h[1-6]$/.test(name)) return `${name} data-level="${name.slice(1)}"`;
    const start = name === "ol" ? /^\d{1,6}$/.exec(attributeOf(element, "start") ?? "") : null;
    return start ? `ol start="${start[0]}"` : name;
  }

  #image(element: Tree.Element): void {
    // The source of a lazy picture is often a placeholder within the page.
    const url = [
      attributeOf(element, "src"),
      attributeOf(element, "data-src"),
      /^[\s,]*(\S+)/.exec(attributeOf(element, "srcset") ?? "")?.[1],
    ]
      .map((source) => (source === undefined ? null : URL.parse(source.trim(), this.#base)))
      .find((one) => one && /^https?:$/.test(one.protocol));
    const alt = (attributeOf(element, "alt") ?? "").replace(/\s+/g, " ").trim().slice(0, 1000);
    if (url || alt) this.#openLink();
    if (url) {
      this.#put(`<img src="${escape(url.href)}" alt="${escape(alt)}">`);
    } else if (alt) this.#put(escape(alt));
  }
}

/** By attributes alone; rules of style sheets are not known here. */
function isHidden(element: Tree.Element): boolean {
  if (attributeOf(element, "hidden") !== undefined) return true;
  return /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(
    attributeOf(element, "style") ?? "",
  );
}

const escape = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
