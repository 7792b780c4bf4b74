/// <reference lib="dom" />
import type { BlockOutline, List } from "./block-outline.ts";
import type { DomTools } from "../dom.ts";
import type { Marks } from "./inline-html.ts";
import type { InlineRun } from "./inline-run.ts";
import type { TableGrid, TableGrids } from "./table-grid.ts";

/**
 * Runs in the page: writes headings, lists, quotes, tables and preformatted text. Every function opens an element
 * and returns the function that closes it.
 */
export function blockWriter(dom: DomTools) {
  interface Table {
    grid: TableGrid;
    /** Paragraphs of the open cell. */
    cell: string[] | undefined;
  }
  return function make(
    run: InlineRun,
    outline: BlockOutline,
    grids: TableGrids,
    boxes: { open: string; done: string },
    /** Whether to keep the page's own containers, by which its main content is found. */
    structured: boolean,
  ) {
    const deepest = 12;
    const deepestPart = 60;
    /** The tags of so many cells are longer than an answer may be. */
    const mostCells = 4_000_000;
    const partTags = /^(?:section|article|main|aside|nav|header|footer|form)$/;
    let partsOpen = 0;

    const lists: List[] = [];
    let heading = 0;
    let quotes = 0;
    let table: Table | undefined;
    let code: string | undefined;

    /** Ends the running paragraph. */
    function flush(): void {
      if (code !== undefined) {
        if (code && !code.endsWith("\n")) code += "\n";
        return;
      }
      const html = run.take(heading > 0);
      if (!html) return;
      if (table?.cell) table.cell.push(html);
      else if (heading) {
        const level = structured ? ` data-level="${heading}"` : "";
        outline.write(`<h${heading}${level}>${html}</h${heading}>`);
      } else {
        const item = lists.at(-1);
        // The first paragraph of an item is bare, which keeps the list tight.
        outline.write(item?.shown && item.itemOpen && !item.itemStarted ? html : `<p>${html}</p>`);
        if (item) item.itemStarted = true;
      }
    }

    function block(element: Element, name: string): () => void {
      flush();
      if (code !== undefined) return flush;
      const role = dom.attribute(element, "role");
      const named = /^h[1-6]$/.test(name) ? Number(name[1]) : 0;
      const level =
        named ||
        (role === "heading"
          ? Math.min(6, Math.max(1, Math.trunc(Number(dom.attribute(element, "aria-level"))) || 2))
          : 0);
      if (level && !heading && !table?.cell) {
        heading = level;
        return () => {
          flush();
          heading = 0;
        };
      }
      const isTitle =
        name === "dt" || name === "summary" || name === "caption" || name === "legend";
      if (isTitle || (level && table?.cell)) return marked({ bold: true });
      if (name === "figcaption") return marked({ italic: true });
      return name === "body" || name === "p" ? flush : part(element, name);
    }

    function part(element: Element, name: string): () => void {
      const nested = lists.length > 0 || quotes > 0 || heading > 0 || table?.cell !== undefined;
      if (!structured || nested || partsOpen >= deepestPart) return flush;
      partsOpen += 1;
      const tag = partTags.test(name) ? name : "div";
      outline.startPart(tag, attributesOf(element));
      return () => {
        flush();
        outline.endPart();
        partsOpen -= 1;
      };
    }

    /** Attributes that name containers. */
    function attributesOf(element: Element): string {
      if (!structured) return "";
      return ["class", "id", "role"]
        .map((name) => {
          const value = run.clean(dom.attribute(element, name)?.slice(0, 200) ?? "");
          return value && ` ${name}="${run.escape(value)}"`;
        })
        .join("");
    }

    function marked(change: Partial<Marks>): () => void {
      const before = run.marks;
      run.marks = { ...before, ...change };
      return () => {
        flush();
        run.marks = before;
      };
    }

    const whole = (text: string | null) =>
      text !== null && /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : undefined;

    function list(tag: "ul" | "ol", element: Element): () => void {
      flush();
      if (table?.cell || heading) return flush;
      const shown = lists.length + quotes < deepest;
      const parent = lists.at(-1);
      if (parent?.shown && !parent.itemOpen) parent.startItem(undefined);
      // A list that is all of an item so far takes its place, so that no bullet lacks text.
      if (parent?.shown && parent.tag === tag && outline.nothingYet()) {
        lists.push(parent);
        return () => {
          flush();
          lists.pop();
        };
      }
      const down = tag === "ol" && dom.attribute(element, "reversed") !== null;
      const first = whole(dom.attribute(element, "start"));
      const items = () =>
        dom.childElements(element).filter((child) => dom.localName(child) === "li").length;
      const opened = outline.startList(
        tag,
        attributesOf(element),
        shown,
        first ?? (down ? items() : 1),
        down ? -1 : 1,
      );
      lists.push(opened);
      return () => {
        flush();
        lists.pop();
        opened.end();
        if (parent && (opened.begun || opened.itemStarted)) parent.itemStarted = true;
      };
    }

    function item(element: Element): () => void {
      flush();
      if (table?.cell || heading) {
        run.literal("• ");
        return flush;
      }
      const owner = lists.at(-1);
      if (!owner) return flush;
      owner.startItem(whole(dom.attribute(element, "value")));
      let box = dom.childElement(element);
      const wrapper = box && dom.localName(box);
      if (box && (wrapper === "label" || wrapper === "p")) box = dom.childElement(box);
      if (box instanceof HTMLInputElement && dom.attribute(box, "type") === "checkbox") {
        run.literal(box.checked ? boxes.done : boxes.open);
      }
      // The item stays open: text between two items belongs to the first.
      return flush;
    }

    function quote(): () => void {
      flush();
      if (table?.cell || heading || lists.length + quotes >= deepest) return flush;
      quotes += 1;
      outline.startQuote();
      // Lists outside the quote do not go on inside it.
      const outer = lists.splice(0);
      return () => {
        flush();
        lists.push(...outer);
        startItem();
        quotes -= 1;
        outline.endQuote();
      };
    }

    function startTable(element: HTMLTableElement): () => void {
      flush();
      const isDeep = table?.cell || heading || lists.length + quotes >= deepest;
      if (isDeep || !grids.isData(element)) return part(element, "div");
      const opened = { grid: grids.create(mostCells), cell: undefined };
      table = opened;
      return () => {
        flush();
        table = undefined;
        outline.write(opened.grid.html());
        startItem();
      };
    }

    function row(element: Element): () => void {
      flush();
      if (!table || table.cell) return flush;
      const { grid } = table;
      grid.startRow(element);
      return () => {
        flush();
        grid.endRow();
      };
    }

    function cell(element: HTMLTableCellElement): () => void {
      if (table?.cell) {
        run.space();
        return () => run.space();
      }
      flush();
      const owner = table;
      if (!owner) return part(element, "div");
      const paragraphs: string[] = [];
      owner.cell = paragraphs;
      return () => {
        flush();
        owner.cell = undefined;
        owner.grid.addCell(paragraphs.join("<br>"), element);
      };
    }

    /** Marks the open list item: its first paragraph is over. */
    function startItem(): void {
      const around = lists.at(-1);
      if (around) around.itemStarted = true;
    }

    function preformatted(element: Element): () => void {
      flush();
      if (code !== undefined) return flush;
      code = "";
      return () => {
        const text = run
          .clean(code ?? "")
          .replace(/\r\n?/g, "\n")
          .replace(/^\n+|\s+$/g, "");
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
        outline.write(`<pre><code${classes}>${run.escape(text)}</code></pre>`);
        startItem();
      };
    }

    return {
      flush,
      block,
      list,
      item,
      quote,
      startTable,
      row,
      cell,
      preformatted,
      /** Whether everything must fit on one line, as in a heading or a table cell. */
      inLine: () => table?.cell !== undefined || heading > 0,
      inCell: () => table?.cell !== undefined,
      inHeading: () => heading > 0,
      inCode: () => code !== undefined,
      addCode(text: string): void {
        code = (code ?? "") + text;
      },
      rule(): void {
        flush();
        if (!table?.cell && !heading && code === undefined) outline.write("<hr>");
      },
    };
  };
}
