/// <reference lib="dom" />
import type { DomTools } from "./dom.ts";
import type { InlineRun, Marks } from "./inline-run.ts";
import type { TableGrid, TableGrids } from "./table-grid.ts";

/**
 * Runs in the page: the visible body as plain, regular HTML for the Markdown converter. Paragraphs are
 * explicit, emphasis and links never span blocks, tables are rectangular, URLs absolute, hidden parts gone.
 * One pass, no recursion.
 */
export function visibleContent(
  dom: DomTools,
  input: { boxes: { open: string; done: string }; joiner: string; maxLength: number },
  parts: { run: InlineRun; grids: TableGrids },
): { url: string; html: string | undefined } {
  interface List {
    /** False for a list too deep to be shown as one. */
    shown: boolean;
    itemOpen: boolean;
    /** The open item has a paragraph already. */
    itemStarted: boolean;
  }
  interface Table {
    grid: TableGrid;
    /** Paragraphs of the open cell. */
    cell: string[] | undefined;
  }
  interface Frame {
    leave(): void;
    /** CSS keeps white space. */
    preserve: boolean;
    /** `visibility` hides the text of this element, not necessarily that of its children. */
    invisible: boolean;
    /** Children of a flex or grid container stand beside each other. */
    spread: boolean;
    next: Node | null;
    rest: Iterator<Node> | undefined;
  }

  const { run } = parts;
  run.joiner = input.joiner;
  const words = (text: string) => new Set(text.split(" "));
  const dropped = words(
    "script style template noscript iframe object embed svg canvas video audio map input select textarea option datalist link meta title head base source track param rp progress meter frameset",
  );
  const inlineTags = words(
    "a abbr acronym b bdi bdo big button cite code data del dfn em font i img ins kbd label mark math q ruby rb rt rtc s samp small span strike strong sub sup time tt u var wbr nobr picture slot",
  );
  const deepest = 12;

  const out: string[] = [];
  const lists: List[] = [];
  const nothing = () => undefined;
  let written = 0;
  let heading = 0;
  let quotes = 0;
  let table: Table | undefined;
  let code: string | undefined;

  function write(html: string): void {
    written += html.length;
    if (written <= input.maxLength) out.push(html);
  }

  /** Ends the running paragraph. */
  function flush(): void {
    if (code !== undefined) {
      if (code && !code.endsWith("\n")) code += "\n";
      return;
    }
    const html = run.take(heading > 0);
    if (!html) return;
    if (table?.cell) table.cell.push(html);
    else if (heading) write(`<h${heading}>${html}</h${heading}>`);
    else {
      const item = lists.at(-1);
      // The first paragraph of an item is bare, which keeps the list tight.
      write(item?.shown && item.itemOpen && !item.itemStarted ? html : `<p>${html}</p>`);
      if (item) item.itemStarted = true;
    }
  }

  function block(element: Element, name: string): () => void {
    flush();
    const role = dom.attribute(element, "role");
    const named = /^h[1-6]$/.test(name) ? Number(name[1]) : 0;
    const level =
      named ||
      (role === "heading"
        ? Math.min(6, Math.max(1, Math.trunc(Number(dom.attribute(element, "aria-level"))) || 2))
        : 0);
    if (level && !heading && !table?.cell && code === undefined) {
      heading = level;
      return () => {
        flush();
        heading = 0;
      };
    }
    if (name === "dt" || name === "summary" || name === "caption" || name === "legend") {
      return marked({ bold: true });
    }
    if (name === "figcaption") return marked({ italic: true });
    return flush;
  }

  function marked(change: Partial<Marks>): () => void {
    const before = run.marks;
    run.marks = { ...before, ...change };
    return () => {
      flush();
      run.marks = before;
    };
  }

  function list(tag: "ul" | "ol", element: Element): () => void {
    flush();
    if (table?.cell || heading) return flush;
    const shown = lists.length + quotes < deepest;
    const parent = lists.at(-1);
    if (parent?.shown && !parent.itemOpen) openItem(parent);
    if (shown) {
      const start = Number(dom.attribute(element, "start") ?? 1);
      write(tag === "ol" && start > 1 ? `<ol start="${start}">` : `<${tag}>`);
    }
    lists.push({ shown, itemOpen: false, itemStarted: false });
    return () => {
      flush();
      const ended = lists.pop();
      if (ended?.shown) {
        closeItem(ended);
        write(`</${tag}>`);
      }
      if (parent) parent.itemStarted = true;
    };
  }

  function openItem(owner: List): void {
    closeItem(owner);
    if (owner.shown) write("<li>");
    owner.itemOpen = true;
    owner.itemStarted = false;
  }

  function closeItem(owner: List): void {
    if (owner.itemOpen && owner.shown) write("</li>");
    owner.itemOpen = false;
  }

  function item(element: Element): () => void {
    flush();
    if (table?.cell || heading) {
      run.literal("• ");
      return flush;
    }
    const owner = lists.at(-1);
    if (!owner) return flush;
    openItem(owner);
    let box = dom.childElements(element)[0];
    const wrapper = box && dom.localName(box);
    if (box && (wrapper === "label" || wrapper === "p")) box = dom.childElements(box)[0];
    if (box instanceof HTMLInputElement && dom.attribute(box, "type") === "checkbox") {
      run.literal(box.checked ? input.boxes.done : input.boxes.open);
    }
    // The item stays open: what a careless author puts between two items belongs to the first.
    return flush;
  }

  function quote(): () => void {
    flush();
    if (table?.cell || heading || lists.length + quotes >= deepest) return flush;
    quotes += 1;
    write("<blockquote>");
    // Lists outside do not reach into the quote.
    const outer = lists.splice(0);
    return () => {
      flush();
      lists.push(...outer);
      startItem();
      quotes -= 1;
      write("</blockquote>");
    };
  }

  /** Only a grid of simple cells can be a Markdown table; any other is laid out as blocks. */
  function isDataTable(element: HTMLTableElement): boolean {
    const role = dom.attribute(element, "role");
    if (role === "presentation" || role === "none" || table?.cell || heading) return false;
    if (lists.length + quotes >= deepest) return false;
    const complex = "table, pre, h1, h2, h3, h4, blockquote, article, section, form, hr";
    if (dom.querySelectorIn(element, complex)) return false;
    return dom.querySelectorIn(element, ":is(td, th) + :is(td, th)") !== null;
  }

  function startTable(element: HTMLTableElement): () => void {
    flush();
    if (!isDataTable(element)) return flush;
    const opened = { grid: parts.grids.create(), cell: undefined };
    table = opened;
    return () => {
      flush();
      table = undefined;
      write(opened.grid.html());
      startItem();
    };
  }

  function row(element: Element): () => void {
    flush();
    if (!table || table.cell) return flush;
    const names = dom.childElements(element).map(dom.localName);
    const { grid } = table;
    grid.startRow(names.includes("th") && !names.includes("td"));
    return () => {
      flush();
      grid.endRow();
    };
  }

  function cell(element: HTMLTableCellElement): () => void {
    flush();
    const owner = table;
    if (!owner || owner.cell) return flush;
    const paragraphs: string[] = [];
    owner.cell = paragraphs;
    const span = (name: string) =>
      Math.min(1000, Math.max(1, Math.trunc(Number(dom.attribute(element, name)) || 1)));
    return () => {
      flush();
      owner.cell = undefined;
      owner.grid.addCell(paragraphs.join("<br>"), span("colspan"), span("rowspan"));
    };
  }

  /** Whatever follows in an open list item is no longer its bare first paragraph. */
  function startItem(): void {
    const around = lists.at(-1);
    if (around) around.itemStarted = true;
  }

  function preformatted(element: Element): () => void {
    flush();
    if (code !== undefined) return flush;
    code = "";
    return () => {
      const text = (code ?? "").replace(/\r\n?/g, "\n").replace(/^\n+|\s+$/g, "");
      code = undefined;
      // A column of line numbers beside the code.
      if (!text || /^[\d\s]+$/.test(text)) return;
      if (table?.cell || heading) {
        run.marks = { ...run.marks, code: true };
        run.text(text, true);
        run.marks = { ...run.marks, code: false };
        flush();
        return;
      }
      const language = dom.codeLanguage(element);
      const classes = language ? ` class="language-${language}"` : "";
      write(`<pre><code${classes}>${run.escape(text)}</code></pre>`);
      startItem();
    };
  }

  function image(element: Element): void {
    if (!(element instanceof HTMLImageElement) || code !== undefined) return;
    const source =
      dom.webUrl(dom.attribute(element, "src")) ??
      dom.webUrl(dom.currentSrc(element) || null) ??
      dom.webUrl(dom.attribute(element, "data-src"));
    const alt = dom.attribute(element, "alt") ?? "";
    const { width, height } = dom.box(element);
    const pixel = width > 0 && width <= 2 && height <= 2;
    if (source && !pixel) run.image(source, alt);
    else if (alt && !pixel) run.text(alt, false);
  }

  function inline(element: Element, name: string): () => void {
    const before = run.marks;
    const restore = () => {
      run.marks = before;
    };
    const mark = (change: Partial<Marks>) => {
      run.marks = { ...before, ...change };
      return restore;
    };
    if (name === "a") return mark({ link: dom.linkTarget(element) ?? before.link });
    if (name === "b" || name === "strong") return mark({ bold: true });
    if (name === "i" || name === "em" || name === "cite" || name === "dfn" || name === "var") {
      return mark({ italic: true });
    }
    if (name === "s" || name === "del" || name === "strike") return mark({ strike: true });
    if (name === "code" || name === "kbd" || name === "samp" || name === "tt") {
      return mark({ code: true });
    }
    if (name === "sub" || name === "sup") return mark({ script: name });
    const quoted = name === "q" ? ["“", "”"] : name === "rt" ? ["(", ")"] : undefined;
    if (quoted) {
      run.text(quoted[0] ?? "", true);
      return () => run.text(quoted[1] ?? "", true);
    }
    return restore;
  }

  /** Opens an element; undefined when nothing of it is shown. */
  function enter(element: Element, parent: Frame | undefined): Frame | undefined {
    const name = dom.localName(element);
    if (name === "img") {
      if (!dom.hidden(getComputedStyle(element))) image(element);
      return undefined;
    }
    if (name === "br") {
      if (code !== undefined) code += "\n";
      else run.lineBreak();
      return undefined;
    }
    if (name === "hr") {
      flush();
      if (!table?.cell && !heading && code === undefined) write("<hr>");
      return undefined;
    }
    if (dropped.has(name) || dom.isPageChrome(element, name, heading > 0)) return undefined;
    const style = getComputedStyle(element);
    if (dom.hidden(style)) return undefined;
    if (code !== undefined && dom.besidesCode(element, name)) return undefined;

    const flows = style.display.startsWith("inline") || style.display === "contents";
    const isInline =
      inlineTags.has(name) &&
      (flows || parent?.spread === true || style.display.startsWith("ruby"));
    if (parent?.spread) run.space();
    let leave: () => void;
    if (name === "pre") leave = preformatted(element);
    else if (isInline || (flows && (name === "div" || name.includes("-")))) {
      leave = code === undefined ? inline(element, name) : nothing;
    } else if (code !== undefined) leave = block(element, name);
    else if (name === "ul" || name === "ol" || name === "menu") {
      leave = list(name === "ol" ? "ol" : "ul", element);
    } else if (name === "li") leave = item(element);
    else if (name === "blockquote") leave = quote();
    else if (element instanceof HTMLTableElement) leave = startTable(element);
    else if (name === "tr") leave = row(element);
    else if (element instanceof HTMLTableCellElement) leave = cell(element);
    else if (inlineTags.has(name)) {
      flush();
      const restore = inline(element, name);
      leave = () => {
        flush();
        restore();
      };
    } else leave = block(element, name);

    const { first, list: rest } = dom.children(element);
    return {
      leave,
      preserve: /^(pre|break-spaces)/.test(style.whiteSpace),
      invisible: style.visibility !== "visible",
      spread: /flex|grid/.test(style.display),
      next: first,
      rest: rest?.values(),
    };
  }

  const body = dom.body(document);
  const frames: Frame[] = [];
  const start = body && enter(body, undefined);
  if (start) frames.push(start);
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    let node: Node | null;
    if (frame.rest) node = frame.rest.next().value ?? null;
    else {
      node = frame.next;
      frame.next = node && dom.nextSibling(node);
    }
    if (!node) {
      frame.leave();
      if (frames.at(-2)?.spread) run.space();
      frames.pop();
    } else if (dom.nodeType(node) === Node.TEXT_NODE) {
      const value = dom.nodeValue(node) ?? "";
      if (frame.invisible) continue;
      if (code !== undefined) code += value;
      else run.text(value, frame.preserve);
    } else if (node instanceof Element) {
      const child = enter(node, frame);
      if (child) frames.push(child);
    }
  }
  flush();
  return { url: location.href, html: written > input.maxLength ? undefined : out.join("") };
}
