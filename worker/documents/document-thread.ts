import { parentPort } from "node:worker_threads";
import { Archive, isLocked } from "./archive.ts";
import { readBook } from "./book.ts";
import {
  type DocumentInfo,
  type DocumentTask,
  type DocumentText,
  type Format,
  Parts,
  type problems,
  Unreadable,
} from "./document.ts";
import { infoIn, relatedPart, relationsOf } from "./office-package.ts";
import { readOpenDocument } from "./open-document.ts";
import { readPdf } from "./pdf.ts";
import { readSlides } from "./slides.ts";
import { readSpreadsheet } from "./spreadsheet.ts";
import { readWord } from "./word.ts";

export type DocumentResult = DocumentText | { problem: keyof typeof problems };
type Read = Pick<DocumentText, "format" | "unit" | "count"> & { info: DocumentInfo };

const startsWith = (bytes: Uint8Array, signature: string) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, signature.length)).toString(
    "latin1",
  ) === signature;

async function read(task: DocumentTask, parts: Parts): Promise<Read> {
  const { bytes } = task;
  const head = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  if (head.includes("%PDF-")) {
    return { format: "pdf", unit: "page", ...(await readPdf(bytes, task, parts)) };
  }
  // A compound file: a format before 2007, or the wrapping of an encrypted newer one.
  if (startsWith(bytes, "\xD0\xCF\x11\xE0")) {
    const isEncrypted = Buffer.from(bytes).includes(Buffer.from("EncryptedPackage", "utf16le"));
    throw new Unreadable(isEncrypted ? "encrypted" : "old");
  }
  if (!startsWith(bytes, "PK\x03\x04")) throw new Unreadable("other");
  if (isLocked(bytes)) throw new Unreadable("encrypted");
  return readArchive(new Archive(bytes), parts);
}

const openFormats: Readonly<Record<string, [Format, DocumentText["unit"]]>> = {
  "application/vnd.oasis.opendocument.text": ["odt", "document"],
  "application/vnd.oasis.opendocument.spreadsheet": ["ods", "sheet"],
  "application/vnd.oasis.opendocument.presentation": ["odp", "slide"],
};

function readArchive(archive: Archive, parts: Parts): Read {
  const type = archive.text("mimetype")?.trim() ?? "";
  if (type === "application/epub+zip") {
    return { format: "epub", unit: "chapter", ...readBook(archive, parts) };
  }
  const open = openFormats[type];
  if (open) {
    const [format, unit] = open;
    const count = readOpenDocument(archive, parts);
    return { format, unit, count, info: infoIn(archive.text("meta.xml"), "meta") };
  }
  const relations = relationsOf(archive, "");
  const main = relatedPart(relations, "officeDocument") ?? "";
  const info = infoIn(
    archive.text(relatedPart(relations, "core-properties") ?? ""),
    "coreProperties",
  );
  const root = /<(?:[\w-]+:)?(document|workbook|presentation)[\s>]/.exec(
    archive.text(main)?.slice(0, 10_000) ?? "",
  )?.[1];
  switch (root) {
    case "document":
      return { format: "docx", unit: "document", count: readWord(archive, main, parts), info };
    case "workbook":
      return { format: "xlsx", unit: "sheet", count: readSpreadsheet(archive, main, parts), info };
    case "presentation":
      return { format: "pptx", unit: "slide", count: readSlides(archive, main, parts), info };
    default:
      throw new Unreadable("other");
  }
}

async function resultOf(task: DocumentTask): Promise<DocumentResult> {
  const parts = new Parts(task);
  try {
    const { info, ...found } = await read(task, parts);
    const isCut = parts.isCut || found.count > task.first + task.most - 1;
    return { ...found, ...info, parts: parts.list, isCut };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.problem };
    throw error;
  }
}

parentPort?.on("message", (task: DocumentTask) => {
  void resultOf(task).then((result) => parentPort?.postMessage({ result }));
});
