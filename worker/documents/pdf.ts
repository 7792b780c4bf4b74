import { registerHooks } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { type DocumentInfo, type Parts, type Range, Unreadable } from "./document.ts";
import { levelsOf, writeLines } from "./pdf-blocks.ts";
import { type Line, linesOf } from "./pdf-lines.ts";
import { Writer } from "./writer.ts";

/** Names that pdf.js needs while it is loaded, and uses only to draw. */
const noCanvas =
  "for (const name of ['DOMMatrix', 'Path2D', 'ImageData']) exports[name] = class {};";

/** Loads pdf.js without its native canvas, which it loads by itself and needs only to draw. */
async function load() {
  const url = new URL("no-canvas.cjs", import.meta.url).href;
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "@napi-rs/canvas" ? { url, shortCircuit: true } : next(specifier, context),
    load: (address, context, next) =>
      address === url
        ? { format: "commonjs", source: noCanvas, shortCircuit: true }
        : next(address, context),
  });
  try {
    return await import("pdfjs-dist/legacy/build/pdf.mjs");
  } finally {
    hooks.deregister();
  }
}

const errorsOnly = 0;

async function open(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  const { getDocument } = await load();
  const folder = dirname(fileURLToPath(import.meta.resolve("pdfjs-dist/package.json")));
  try {
    return await getDocument({
      data: bytes,
      verbosity: errorsOnly,
      useWorkerFetch: false,
      useWasm: false,
      useSystemFonts: false,
      disableFontFace: true,
      enableXfa: false,
      cMapUrl: `${join(folder, "cmaps")}/`,
      cMapPacked: true,
      standardFontDataUrl: `${join(folder, "standard_fonts")}/`,
    }).promise;
  } catch (error) {
    const { name } = error as Error;
    throw new Unreadable(name === "PasswordException" ? "encrypted" : "broken");
  }
}

/** Reads a PDF page by page. Its scripts and forms are not run, its pictures not decoded. */
export async function readPdf(
  bytes: Uint8Array,
  range: Range,
  parts: Parts,
): Promise<{ count: number; info: DocumentInfo }> {
  const document = await open(bytes);
  const pages: { number: number; lines: Line[] }[] = [];
  const last = Math.min(document.numPages, range.first + range.most - 1);
  for (let number = range.first; number <= last && parts.takes(number); number += 1) {
    pages.push({ number, lines: await linesOfPage(document, number) });
  }
  const levels = levelsOf(pages.flatMap(({ lines }) => lines));
  const writer = new Writer();
  for (const { number, lines } of pages) {
    if (!parts.takes(number)) break;
    writeLines(lines, levels, writer);
    parts.add({ number, ...writer.take() });
  }
  const info = await infoOf(document);
  const count = document.numPages;
  await document.loadingTask.destroy();
  return { count, info };
}

/** A page that is broken has no text; the others have theirs. */
async function linesOfPage(document: PDFDocumentProxy, number: number): Promise<Line[]> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent({ includeMarkedContent: false });
    page.cleanup();
    return linesOf(items.filter((item) => "str" in item));
  } catch {
    return [];
  }
}

async function infoOf(document: PDFDocumentProxy): Promise<DocumentInfo> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  const stated = info as Record<string, unknown>;
  const text = (name: string) => {
    const value = stated[name];
    return (typeof value === "string" && value.trim().slice(0, 2000)) || undefined;
  };
  const author = text("Author");
  return {
    title: text("Title"),
    authors: author === undefined ? undefined : [author],
    language: text("Language"),
    createdAt: instantOf(text("CreationDate")),
    modifiedAt: instantOf(text("ModDate")),
  };
}

/** A date such as `D:20260501080000+02'00'`, where it states its zone. */
export function instantOf(stated: string | undefined): string | undefined {
  const found =
    /^D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:Z(?:00'?00'?)?|([+-]\d\d)'(\d\d)'?)$/.exec(
      stated ?? "",
    );
  if (!found) return undefined;
  const [, year, month, day, hour, minute, second, zone, minutes] = found;
  const offset = zone === undefined ? "Z" : `${zone}:${minutes}`;
  const instant = `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`;
  return Number.isNaN(Date.parse(instant)) ? undefined : instant;
}
