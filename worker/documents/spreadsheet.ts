import type { Archive } from "./archive.ts";
import { CellGrid } from "./cell-grid.ts";
import type { Parts } from "./document.ts";
import { relatedPart, relationsOf } from "./office-package.ts";
import { Writer } from "./writer.ts";
import {
  attribute,
  childNamed,
  childrenNamed,
  type Element,
  elementIn,
  elementsIn,
  relationId,
  textOf,
  visitXml,
} from "./xml.ts";

interface Context {
  strings: readonly string[];
  /** Kind of value that the format of a cell shows, by the cell's style. */
  shown: readonly Shown[];
  /** Days from the first day of the file's calendar to 1970-01-01. */
  epoch: number;
}

type Shown = "number" | "date" | "duration";

/** Days from the first day of the usual calendar to 1970-01-01. */
const epochOf1900 = 25_569;

/** Reads an xlsx: each shown sheet as a table. Numbers are the stored ones, without their format. */
export function readSpreadsheet(archive: Archive, main: string, parts: Parts): number {
  const relations = relationsOf(archive, main);
  const workbook = elementIn(archive.text(main), "workbook");
  const part = (type: string) => archive.text(relatedPart(relations, type) ?? "");
  const strings: string[] = [];
  visitXml(part("sharedStrings") ?? "", ["si"], (item) => strings.push(richText(item)));
  const isFrom1904 = ["1", "true"].includes(
    attribute(childNamed(workbook, "workbookPr"), "date1904") ?? "",
  );
  const context: Context = {
    strings,
    shown: stylesIn(elementIn(part("styles"), "styleSheet")),
    epoch: isFrom1904 ? 24_107 : epochOf1900,
  };
  const sheets = childrenNamed(childNamed(workbook, "sheets"), "sheet").filter(
    (sheet) => (attribute(sheet, "state") ?? "visible") === "visible",
  );
  for (const [index, sheet] of sheets.entries()) {
    if (!parts.takes(index + 1)) continue;
    const path = relations.get(relationId(sheet) ?? "")?.target ?? "";
    const title = attribute(sheet, "name");
    const grid = readSheet(archive.text(path) ?? "", context);
    const writer = new Writer();
    grid.write(writer);
    if (grid.isCut) parts.isCut = true;
    parts.add({ number: index + 1, title, ...writer.take() });
  }
  return sheets.length;
}

function readSheet(text: string, context: Context): CellGrid {
  const grid = new CellGrid();
  visitXml(text, ["row"], (row) => {
    if (grid.isCut) return;
    const cells = new Map<number, string>();
    let column = 0;
    for (const cell of childrenNamed(row, "c")) {
      column = columnOf(attribute(cell, "r")) ?? column + 1;
      cells.set(column, valueOf(cell, context));
    }
    grid.addRow(cells);
  });
  return grid;
}

/** The number of a column from a reference such as `AB12`. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^([A-Z]{1,3})\d*$/.exec(reference ?? "")?.[1];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

/** Text without the readings of East Asian characters. */
function richText(item: Element): string {
  return elementsIn(item)
    .map((child) =>
      child.name === "t" ? textOf(child) : child.name === "r" ? richText(child) : "",
    )
    .join("");
}

function valueOf(cell: Element, { strings, shown, epoch }: Context): string {
  const stated = textOf(childNamed(cell, "v"));
  switch (attribute(cell, "t") ?? "n") {
    case "s":
      return strings[Number(stated)] ?? "";
    case "inlineStr": {
      const inline = childNamed(cell, "is");
      return inline ? richText(inline) : "";
    }
    case "b":
      return stated === "1" ? "TRUE" : "FALSE";
    case "n": {
      const value = Number(stated);
      if (stated === "" || !Number.isFinite(value)) return stated;
      const kind = shown[Number(attribute(cell, "s") ?? 0)];
      if (kind === "date") return dateText(value, epoch);
      return kind === "duration" ? durationText(value) : String(Number(value.toPrecision(15)));
    }
    default:
      return stated;
  }
}

/** Formats that come with every spreadsheet and show a day or a time. */
const dateFormats = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22]);
/** Those that show minutes or hours that passed. */
const durationFormats = new Set([45, 46, 47]);

function stylesIn(root: Element | undefined): Shown[] {
  const own = new Map(
    childrenNamed(childNamed(root, "numFmts"), "numFmt").map((format) => [
      Number(attribute(format, "numFmtId")),
      shownBy(attribute(format, "formatCode") ?? ""),
    ]),
  );
  const common = (id: number): Shown =>
    durationFormats.has(id) ? "duration" : dateFormats.has(id) ? "date" : "number";
  return childrenNamed(childNamed(root, "cellXfs"), "xf").map((style) => {
    const id = Number(attribute(style, "numFmtId") ?? 0);
    return own.get(id) ?? common(id);
  });
}

function shownBy(format: string): Shown {
  // Quoted text, escaped characters, layout and colours are no part of the value; a unit in brackets is one that passed.
  const code = format.replace(/"[^"]*"|[\\_*].|\[[^\]]*\]/g, (token) =>
    /^\[(?:h+|m+|s+)\]$/i.test(token) ? token : "",
  );
  if (code.includes("[")) return "duration";
  return /[ymdhs]/i.test(code) && !/General/i.test(code) ? "date" : "number";
}

/** A serial number of days as ISO 8601; a time alone where it is less than a day. */
function dateText(serial: number, epoch: number): string {
  // The usual calendar has a February 29 in 1900, which never was, as its day 60.
  const days = serial - epoch + (epoch === epochOf1900 && serial < 60 ? 1 : 0);
  const at = new Date(Math.round(days * 86_400) * 1000);
  if (serial < 0 || Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9999) return String(serial);
  const [day = "", time = ""] = at.toISOString().replace(".000Z", "").split("T");
  if (serial < 1) return time;
  return time === "00:00:00" ? day : `${day}T${time}`;
}

/** Days as hours, minutes and seconds. */
function durationText(days: number): string {
  const seconds = Math.round(Math.abs(days) * 86_400);
  if (!Number.isSafeInteger(seconds)) return String(days);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const text = parts.map((part) => String(part).padStart(2, "0")).join(":");
  return days < 0 ? `-${text}` : text;
}
