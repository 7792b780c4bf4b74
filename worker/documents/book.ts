import { type Archive, resolvePath } from "./archive.ts";
import { type DocumentInfo, type Parts, Unreadable } from "./document.ts";
import { infoIn } from "./office-package.ts";
import { type Inline, Writer } from "./writer.ts";
import {
  attribute,
  childNamed,
  childrenNamed,
  type Element,
  elementIn,
  elementsIn,
} from "./xml.ts";

/** Reads an epub: the documents of its spine, in their order. */
export function readBook(archive: Archive, parts: Parts): { count: number; info: DocumentInfo } {
  const container = elementIn(archive.text("META-INF/container.xml"), "container");
  const [rootFile] = childrenNamed(childNamed(container, "rootfiles"), "rootfile");
  const path = attribute(rootFile, "full-path") ?? "";
  const text = archive.text(path);
  const root = elementIn(text, "package");
  if (!root) throw new Unreadable("broken");
  const items = new Map(
    childrenNamed(childNamed(root, "manifest"), "item").map((item) => [
      attribute(item, "id") ?? "",
      resolvePath(path, attribute(item, "href") ?? ""),
    ]),
  );
  const chapters = childrenNamed(childNamed(root, "spine"), "itemref").map(
    (item) => items.get(attribute(item, "idref") ?? "") ?? "",
  );
  // Fonts may be obfuscated in a book that is open.
  const locked = lockedPaths(archive.text("META-INF/encryption.xml"));
  if (chapters.some((chapter) => locked.has(chapter))) throw new Unreadable("encrypted");
  for (const [index, chapter] of chapters.entries()) {
    if (!parts.takes(index + 1)) continue;
    const html = elementIn(archive.text(chapter), "html");
    const writer = new Writer();
    const reader = new ChapterReader(writer);
    reader.read(childNamed(html, "body"));
    parts.add({ number: index + 1, title: reader.title, ...writer.take() });
  }
  return { count: chapters.length, info: infoIn(text, "metadata") };
}

function lockedPaths(text: string | undefined): Set<string> {
  const root = elementIn(text, "encryption");
  return new Set(
    childrenNamed(root, "EncryptedData").map((one) => {
      const reference = childNamed(childNamed(one, "CipherData"), "CipherReference");
      return resolvePath("", attribute(reference, "URI") ?? "");
    }),
  );
}

const blocks = new Set(
  "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table ul".split(
    " ",
  ),
);
const skipped = new Set("script style head svg math template iframe object audio video".split(" "));

/** White space that stands for one space; one that does not break stays. */
const spaces = /[ \t\r\n\f]+/g;

const plain = (inline: Inline) =>
  inline.map((one) => (typeof one === "string" ? one : one.text)).join("");

/** Writes the blocks of an XHTML document. Styles and scripts do not count. */
class ChapterReader {
  /** The first heading. */
  title: string | undefined;
  readonly #writer: Writer;
  #pending: Inline[number][] = [];

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  read(element: Element | undefined, depth = 0): void {
    for (const child of element?.children ?? []) {
      if (typeof child === "string") this.#pending.push(child.replace(spaces, " "));
      else if (skipped.has(child.name)) continue;
      else if (blocks.has(child.name)) this.#block(child, depth);
      else if (hasBlock(child)) this.read(child, depth);
      else this.#pending.push(...inlineOf(child));
    }
    if (depth === 0) this.#flush();
  }

  #block(element: Element, depth: number): void {
    this.#flush();
    const level = /^h([1-6])$/.exec(element.name)?.[1];
    if (level !== undefined) {
      const inline = inlineOf(element);
      this.title ??= plain(inline).replace(/\s+/g, " ").trim() || undefined;
      this.#writer.heading(Number(level), inline);
    } else if (element.name === "ul" || element.name === "ol") {
      this.#list(element, 0);
    } else if (element.name === "table" && !hasNested(element)) {
      this.#writer.table(rowsOf(element).map((row) => elementsIn(row).map(inlineOf)));
    } else if (element.name === "pre") {
      this.#writer.code(linesOf(element));
    } else {
      this.read(element, depth + 1);
      this.#flush();
    }
  }

  #list(list: Element, depth: number): void {
    const isOrdered = list.name === "ol";
    for (const item of elementsIn(list)) {
      const isList = (child: Element | string) =>
        typeof child !== "string" && (child.name === "ul" || child.name === "ol");
      const own = { ...item, children: item.children.filter((child) => !isList(child)) };
      const [first, ...further] = partsOf(own);
      this.#writer.item(depth, isOrdered, first);
      const isMarked = plain(first).trim() !== "";
      const indent = isMarked ? (isOrdered ? "   " : "  ").repeat(depth + 1) : undefined;
      for (const part of further) {
        if (typeof part === "string") this.#writer.code(part, indent);
        else this.#writer.paragraph(part);
      }
      for (const inner of elementsIn(item).filter(isList)) this.#list(inner, depth + 1);
    }
  }

  #flush(): void {
    this.#writer.paragraph(this.#pending);
    this.#pending = [];
  }
}

const hasBlock = (element: Element): boolean =>
  elementsIn(element).some((child) => blocks.has(child.name) || hasBlock(child));

/** Whether a table lays out other tables. */
const hasNested = (element: Element): boolean =>
  elementsIn(element).some((child) => child.name === "table" || hasNested(child));

const rowsOf = (table: Element): Element[] =>
  elementsIn(table).flatMap((child) =>
    child.name === "tr" ? [child] : /^t(?:head|body|foot)$/.test(child.name) ? rowsOf(child) : [],
  );

/** Text with the white space that it is stated with. */
const linesOf = (element: Element): string =>
  element.children
    .map((child) =>
      typeof child === "string"
        ? child
        : child.name === "br"
          ? "\n"
          : skipped.has(child.name)
            ? ""
            : linesOf(child),
    )
    .join("");

const hasCode = (element: Element): boolean =>
  elementsIn(element).some((child) => child.name === "pre" || hasCode(child));

/** The text of an item, and the code blocks and texts after it; code is a string. */
function partsOf(item: Element): [Inline, ...(Inline | string)[]] {
  const parts: [Inline, ...(Inline | string)[]] = [[]];
  for (const child of item.children) {
    const added: readonly (Inline | string)[] =
      typeof child === "string" || !hasCode({ ...item, children: [child] })
        ? [inlineOf({ ...item, children: [child] })]
        : child.name === "pre"
          ? [linesOf(child), []]
          : partsOf(child);
    for (const part of added) {
      const last = parts.at(-1);
      if (typeof part === "string" || typeof last === "string") parts.push(part);
      else parts[parts.length - 1] = [...(last ?? []), ...part];
    }
  }
  return parts;
}

function inlineOf(element: Element): Inline {
  if (skipped.has(element.name)) return [];
  if (element.name === "br") return ["\n"];
  if (element.name === "img") return [attribute(element, "alt") ?? ""];
  const inline = element.children.flatMap((child): Inline => {
    if (typeof child === "string") return [child.replace(spaces, " ")];
    const inner = inlineOf(child);
    return blocks.has(child.name) ? [" ", ...inner, " "] : inner;
  });
  const url = element.name === "a" ? attribute(element, "href") : undefined;
  return url === undefined ? inline : [{ text: plain(inline), url }];
}
