import type { Archive } from "./archive.ts";
import type { Parts } from "./document.ts";
import { type Relation, relatedPart, relationsOf } from "./office-package.ts";
import { type Inline, Writer } from "./writer.ts";
import {
  attribute,
  childNamed,
  childrenNamed,
  type Element,
  elementIn,
  elementsIn,
  relationId,
  textOf,
} from "./xml.ts";

interface Style {
  level: number | undefined;
  base: string | undefined;
}

interface Context {
  writer: Writer;
  relations: ReadonlyMap<string, Relation>;
  styles: ReadonlyMap<string, Style>;
  /** Whether a level of a list is numbered, by list and level. */
  numbered: ReadonlyMap<string, boolean>;
}

/** Reads a docx. Word lays pages out when it opens a file, so that the file itself has none. */
export function readWord(archive: Archive, main: string, parts: Parts): number {
  if (!parts.takes(1)) return 1;
  const relations = relationsOf(archive, main);
  const part = (type: string) => archive.text(relatedPart(relations, type) ?? "");
  const writer = new Writer();
  const context: Context = {
    writer,
    relations,
    styles: stylesIn(part("styles")),
    numbered: listsIn(part("numbering")),
  };
  writeBlocks(childNamed(elementIn(archive.text(main), "document"), "body"), context);
  for (const [type, name] of [
    ["footnotes", "footnote"],
    ["endnotes", "endnote"],
  ] as const) {
    for (const note of childrenNamed(elementIn(part(type), type), name)) {
      // Separators have a type; notes have none.
      if (attribute(note, "type") !== undefined) continue;
      const inline = childrenNamed(note, "p").flatMap((one) => [...inlineOf(one, context), " "]);
      writer.paragraph([`[${attribute(note, "id") ?? ""}] `, ...inline]);
    }
  }
  parts.add({ number: 1, ...writer.take() });
  return 1;
}

function stylesIn(text: string | undefined): Map<string, Style> {
  const styles = childrenNamed(elementIn(text, "styles"), "style");
  return new Map(
    styles.map((style) => {
      const name = attribute(childNamed(style, "name"), "val")?.toLowerCase() ?? "";
      const heading = /^heading ([1-9])$/.exec(name)?.[1];
      const outline = outlineOf(childNamed(style, "pPr"));
      const level = name === "title" ? 1 : heading === undefined ? outline : Number(heading);
      return [
        attribute(style, "styleId") ?? "",
        { level, base: attribute(childNamed(style, "basedOn"), "val") },
      ];
    }),
  );
}

/** The level of a heading; 9 is body text. */
function outlineOf(properties: Element | undefined): number | undefined {
  const value = attribute(childNamed(properties, "outlineLvl"), "val");
  return value !== undefined && /^[0-8]$/.test(value) ? Number(value) + 1 : undefined;
}

function listsIn(text: string | undefined): Map<string, boolean> {
  const root = elementIn(text, "numbering");
  const abstract = new Map(
    childrenNamed(root, "abstractNum").map((one) => [attribute(one, "abstractNumId"), one]),
  );
  return new Map(
    childrenNamed(root, "num").flatMap((list) => {
      const levels = abstract.get(attribute(childNamed(list, "abstractNumId"), "val"));
      return childrenNamed(levels, "lvl").map((level): [string, boolean] => [
        `${attribute(list, "numId")}/${attribute(level, "ilvl")}`,
        attribute(childNamed(level, "numFmt"), "val") !== "bullet",
      ]);
    }),
  );
}

function writeBlocks(parent: Element | undefined, context: Context): void {
  for (const child of elementsIn(parent)) {
    if (child.name === "p") writeParagraph(child, context);
    else if (child.name === "tbl") writeTable(child, context);
    else if (child.name === "sdt") writeBlocks(childNamed(child, "sdtContent"), context);
    else if (["ins", "moveTo", "customXml", "smartTag"].includes(child.name)) {
      writeBlocks(child, context);
    }
  }
}

function writeParagraph(paragraph: Element, context: Context): void {
  const { writer, styles, numbered } = context;
  const properties = childNamed(paragraph, "pPr");
  const inline = inlineOf(paragraph, context);
  const style = attribute(childNamed(properties, "pStyle"), "val");
  const level = outlineOf(properties) ?? levelOf(style, styles);
  const list = childNamed(properties, "numPr");
  const id = attribute(childNamed(list, "numId"), "val");
  if (level !== undefined) writer.heading(level, inline);
  else if (id !== undefined && id !== "0") {
    const depth = attribute(childNamed(list, "ilvl"), "val") ?? "0";
    writer.item(Number(depth) || 0, numbered.get(`${id}/${depth}`) ?? false, inline);
  } else writer.paragraph(inline);
  for (const box of boxesIn(paragraph)) writeBlocks(box, context);
}

function levelOf(id: string | undefined, styles: Context["styles"]): number | undefined {
  let style = styles.get(id ?? "");
  for (let steps = 0; style && style.level === undefined && steps < 20; steps += 1) {
    style = styles.get(style.base ?? "");
  }
  return style?.level;
}

function writeTable(table: Element, context: Context): void {
  const rows = within(table, "tr").map((row) =>
    within(row, "tc").flatMap((cell) => {
      const span = Number(attribute(childNamed(childNamed(cell, "tcPr"), "gridSpan"), "val") ?? 1);
      const empty = Array.from({ length: Math.min(63, Math.max(0, span - 1)) }, (): Inline => []);
      return [cellOf(cell, context), ...empty];
    }),
  );
  context.writer.table(rows);
}

/** Rows or cells, also those in controls of a form and in marked changes. */
const within = (parent: Element, name: string): Element[] =>
  elementsIn(parent).flatMap((child) => {
    if (child.name === name) return [child];
    return ["sdt", "sdtContent", "ins", "moveTo", "customXml"].includes(child.name)
      ? within(child, name)
      : [];
  });

/** The paragraphs of a cell, and those of tables in it, in one line. */
function cellOf(cell: Element, context: Context): Inline {
  return elementsIn(cell).flatMap((child) => {
    if (child.name === "p") return [...inlineOf(child, context), " "];
    return ["tbl", "tr", "tc", "sdt", "sdtContent", "ins"].includes(child.name)
      ? cellOf(child, context)
      : [];
  });
}

/** Text boxes come after their paragraph. The fallback of a box repeats its text. */
function boxesIn(element: Element): Element[] {
  return elementsIn(element).flatMap((child) => {
    if (child.name === "Fallback") return [];
    return child.name === "txbxContent" ? [child] : boxesIn(child);
  });
}

const signs: Readonly<Record<string, string>> = {
  tab: "\t",
  br: "\n",
  cr: "\n",
  noBreakHyphen: "\u2011",
  softHyphen: "\u00AD",
};
/** Deleted text has an element of its own, which is not read. */
const holders = new Set([
  "r",
  "ins",
  "moveTo",
  "smartTag",
  "sdt",
  "sdtContent",
  "fldSimple",
  "customXml",
  "dir",
  "bdo",
]);

function inlineOf(parent: Element, context: Context): Inline {
  return elementsIn(parent).flatMap((child): Inline => {
    if (child.name === "t") return [textOf(child)];
    if (child.name === "hyperlink") {
      const text = inlineOf(child, context)
        .map((one) => (typeof one === "string" ? one : one.text))
        .join("");
      const target = context.relations.get(relationId(child) ?? "");
      return target?.isExternal ? [{ text, url: target.target }] : [text];
    }
    if (child.name === "footnoteReference" || child.name === "endnoteReference") {
      return [`[${attribute(child, "id") ?? ""}]`];
    }
    if (holders.has(child.name)) return inlineOf(child, context);
    return signs[child.name] === undefined ? [] : [signs[child.name] as string];
  });
}
