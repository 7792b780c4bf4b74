import type { Archive } from "./archive.ts";
import type { Parts } from "./document.ts";
import { type Relation, relationsOf } from "./office-package.ts";
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

type Relations = ReadonlyMap<string, Relation>;

/** Reads a pptx: its shown slides in their order, with the text of shapes and tables in the order of the file. */
export function readSlides(archive: Archive, main: string, parts: Parts): number {
  const relations = relationsOf(archive, main);
  const list = childNamed(elementIn(archive.text(main), "presentation"), "sldIdLst");
  const slides = childrenNamed(list, "sldId").map(
    (slide) => relations.get(relationId(slide) ?? "")?.target ?? "",
  );
  for (const [index, path] of slides.entries()) {
    if (!parts.takes(index + 1)) continue;
    const slide = elementIn(archive.text(path), "sld");
    const writer = new Writer();
    const tree = childNamed(childNamed(slide, "cSld"), "spTree");
    const title = writeShapes(tree, relationsOf(archive, path), writer);
    parts.add({ number: index + 1, title, ...writer.take() });
  }
  return slides.length;
}

function writeShapes(
  parent: Element | undefined,
  relations: Relations,
  writer: Writer,
): string | undefined {
  const titles = elementsIn(parent).map((shape) => {
    if (shape.name === "sp") return writeShape(shape, relations, writer);
    if (["grpSp", "AlternateContent", "Choice"].includes(shape.name)) {
      return writeShapes(shape, relations, writer);
    }
    if (shape.name === "graphicFrame") writeTables(shape, relations, writer);
    return undefined;
  });
  return titles.find((title) => title !== undefined);
}

/** Writes a shape's paragraphs; returns the text of a title. */
function writeShape(shape: Element, relations: Relations, writer: Writer): string | undefined {
  const place = childNamed(childNamed(childNamed(shape, "nvSpPr"), "nvPr"), "ph");
  const type = attribute(place, "type") ?? "";
  // Fields that repeat on every slide.
  if (["sldNum", "dt", "ftr", "hdr"].includes(type)) return undefined;
  const paragraphs = childrenNamed(childNamed(shape, "txBody"), "p");
  const inlines = paragraphs.map((paragraph) => inlineOf(paragraph, relations));
  if (type === "title" || type === "ctrTitle") {
    const inline = inlines.flatMap((one) => [...one, " "]);
    writer.heading(1, inline);
    const text = inline.map((one) => (typeof one === "string" ? one : one.text)).join("");
    return text.replace(/\s+/g, " ").trim() || undefined;
  }
  const isList = place !== undefined && type !== "subTitle";
  for (const [index, inline] of inlines.entries()) {
    const properties = childNamed(paragraphs[index], "pPr");
    const hasBullet = childNamed(properties, "buNone") === undefined;
    if (isList && hasBullet) {
      const isOrdered = childNamed(properties, "buAutoNum") !== undefined;
      writer.item(Number(attribute(properties, "lvl") ?? 0), isOrdered, inline);
    } else writer.paragraph(inline);
  }
  return undefined;
}

function writeTables(parent: Element, relations: Relations, writer: Writer): void {
  for (const child of elementsIn(parent)) {
    if (child.name !== "tbl") {
      writeTables(child, relations, writer);
      continue;
    }
    const cellOf = (cell: Element): Inline =>
      childrenNamed(childNamed(cell, "txBody"), "p").flatMap((one) => [
        ...inlineOf(one, relations),
        " ",
      ]);
    writer.table(childrenNamed(child, "tr").map((row) => childrenNamed(row, "tc").map(cellOf)));
  }
}

function inlineOf(paragraph: Element, relations: Relations): Inline {
  return elementsIn(paragraph).map((run) => {
    if (run.name === "br") return "\n";
    if (run.name !== "r" && run.name !== "fld") return "";
    const text = textOf(childNamed(run, "t"));
    const link = childNamed(childNamed(run, "rPr"), "hlinkClick");
    const target = link && relations.get(relationId(link) ?? "");
    return target?.isExternal ? { text, url: target.target } : text;
  });
}
