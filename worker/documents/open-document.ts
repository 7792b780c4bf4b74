import type { Archive } from "./archive.ts";
import { CellGrid } from "./cell-grid.ts";
import { type Parts, Unreadable } from "./document.ts";
import { type Inline, Writer } from "./writer.ts";
import {
  attribute,
  childNamed,
  childrenNamed,
  type Element,
  elementIn,
  elementsIn,
} from "./xml.ts";

/** A file may repeat a cell or a row; a filled one is written so often at most. */
const mostRepeats = 1000;

/** Reads an odt, ods or odp. */
export function readOpenDocument(archive: Archive, parts: Parts): number {
  const manifest = archive.text("META-INF/manifest.xml") ?? "";
  if (/<(?:[\w-]+:)?encryption-data[\s>]/.test(manifest)) throw new Unreadable("encrypted");
  const root = elementIn(archive.text("content.xml"), "document-content");
  const body = childNamed(root, "body");
  const sheets = childNamed(body, "spreadsheet");
  if (sheets) return readSheets(sheets, parts);
  const slides = childNamed(body, "presentation");
  if (slides) return readPages(slides, parts);
  const text = childNamed(body, "text");
  if (!text) throw new Unreadable("broken");
  if (parts.takes(1)) {
    const writer = new Writer();
    writeBlocks(text, writer, listKinds(root));
    parts.add({ number: 1, ...writer.take() });
  }
  return 1;
}

function readSheets(body: Element, parts: Parts): number {
  const tables = childrenNamed(body, "table");
  for (const [index, table] of tables.entries()) {
    if (!parts.takes(index + 1)) continue;
    const grid = new CellGrid();
    for (const row of rowsOf(table)) {
      const cells = new Map<number, string>();
      let column = 0;
      for (const [cell, repeats] of cellsOf(row)) {
        const value = plain(cellText(cell));
        const filled = value.trim() === "" ? 0 : Math.min(repeats, mostRepeats);
        for (let at = 0; at < filled; at += 1) cells.set(column + at, value);
        column += repeats;
      }
      const times = cells.size === 0 ? 1 : Math.min(repeatsOf(row, "rows"), mostRepeats);
      for (let at = 0; at < times && !grid.isCut; at += 1) grid.addRow(new Map(cells));
    }
    const writer = new Writer();
    grid.write(writer);
    if (grid.isCut) parts.isCut = true;
    parts.add({ number: index + 1, title: attribute(table, "name"), ...writer.take() });
  }
  return tables.length;
}

function readPages(body: Element, parts: Parts): number {
  const pages = childrenNamed(body, "page");
  for (const [index, page] of pages.entries()) {
    if (!parts.takes(index + 1)) continue;
    const writer = new Writer();
    let title: string | undefined;
    for (const frame of elementsIn(page)) {
      if (frame.name === "notes") continue;
      if (attribute(frame, "class") === "title") {
        const inline = cellText(childNamed(frame, "text-box"));
        title ??= plain(inline).replace(/\s+/g, " ").trim() || undefined;
        writer.heading(1, inline);
      } else writeBlocks({ ...page, children: [frame] }, writer, new Map());
    }
    parts.add({ number: index + 1, title, ...writer.take() });
  }
  return pages.length;
}

const plain = (inline: Inline) =>
  inline.map((one) => (typeof one === "string" ? one : one.text)).join("");

const repeatsOf = (element: Element, what: "rows" | "columns") => {
  const stated = Number(attribute(element, `number-${what}-repeated`) ?? 1);
  return Number.isSafeInteger(stated) && stated > 0 ? stated : 1;
};

/** Rows of a table, also those in groups and headers. */
const rowsOf = (table: Element): Element[] =>
  elementsIn(table).flatMap((child) => {
    if (child.name === "table-row") return [child];
    return /^table-(?:header-rows|rows|row-group)$/.test(child.name) ? rowsOf(child) : [];
  });

const cellsOf = (row: Element): [Element, number][] =>
  elementsIn(row)
    .filter(({ name }) => name === "table-cell" || name === "covered-table-cell")
    .map((cell) => [cell, repeatsOf(cell, "columns")]);

/** Whether lists are numbered, by the name of their style. */
function listKinds(root: Element | undefined): Map<string, boolean> {
  const styles = childrenNamed(childNamed(root, "automatic-styles"), "list-style");
  return new Map(
    styles.map((style) => [
      attribute(style, "name") ?? "",
      elementsIn(style)[0]?.name === "list-level-style-number",
    ]),
  );
}

const containers = new Set([
  "section",
  "index-body",
  "table-of-content",
  "frame",
  "text-box",
  "g",
  "custom-shape",
  "rect",
  "page",
]);

function writeBlocks(parent: Element, writer: Writer, lists: ReadonlyMap<string, boolean>): void {
  for (const child of elementsIn(parent)) {
    if (child.name === "h") {
      writer.heading(Number(attribute(child, "outline-level") ?? 1) || 1, inlineOf(child));
    } else if (child.name === "p") {
      writer.paragraph(inlineOf(child));
      for (const frame of framesIn(child)) writeBlocks(frame, writer, lists);
    } else if (child.name === "list") {
      writeList(child, writer, { depth: 0, lists, isOrdered: false });
    } else if (child.name === "table") {
      const rows = rowsOf(child).map((row) =>
        cellsOf(row).flatMap(([cell, repeats]) =>
          Array.from({ length: Math.min(repeats, 100) }, () => cellText(cell)),
        ),
      );
      writer.table(rows);
    } else if (containers.has(child.name)) writeBlocks(child, writer, lists);
  }
}

function writeList(
  list: Element,
  writer: Writer,
  at: { depth: number; lists: ReadonlyMap<string, boolean>; isOrdered: boolean },
): void {
  const isOrdered = at.lists.get(attribute(list, "style-name") ?? "") ?? at.isOrdered;
  for (const item of elementsIn(list)) {
    for (const child of elementsIn(item)) {
      if (child.name === "list")
        writeList(child, writer, { ...at, depth: at.depth + 1, isOrdered });
      else if (child.name === "p" || child.name === "h") {
        writer.item(at.depth, isOrdered, inlineOf(child));
      }
    }
  }
}

const framesIn = (element: Element): Element[] =>
  elementsIn(element).flatMap((child) => {
    if (child.name === "text-box") return [child];
    return ["frame", "custom-shape", "a", "span"].includes(child.name) ? framesIn(child) : [];
  });

/** The paragraphs of a cell, and of lists and boxes in it, in one line. */
function cellText(element: Element | undefined): Inline {
  return (element ? elementsIn(element) : []).flatMap((child) => {
    if (child.name === "p" || child.name === "h") return [...inlineOf(child), " "];
    return child.name === "annotation" ? [] : cellText(child);
  });
}

/** Comments, and texts of their own inside of a paragraph. */
const skipped = new Set(["annotation", "frame", "custom-shape", "tracked-changes", "ruby-text"]);

function inlineOf(parent: Element): Inline {
  return parent.children.flatMap((child): Inline => {
    // Line breaks of the file are spaces.
    if (typeof child === "string") return [child.replace(/\s+/g, " ")];
    if (skipped.has(child.name)) return [];
    if (child.name === "s") return [" ".repeat(Math.min(100, Number(attribute(child, "c")) || 1))];
    if (child.name === "tab") return ["\t"];
    if (child.name === "line-break") return ["\n"];
    if (child.name === "a") {
      return [{ text: plain(inlineOf(child)), url: attribute(child, "href") ?? "" }];
    }
    if (child.name === "note") {
      const text = plain(cellText(childNamed(child, "note-body"))).trim();
      return [` (${text})`];
    }
    return inlineOf(child);
  });
}
