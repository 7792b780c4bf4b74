import { Readability } from "@mozilla/readability";
import JSDOMParser from "@mozilla/readability/JSDOMParser.js";

/** Most elements of a page that is searched: the time grows faster than their number. */
const mostElements = 20_000;

export interface MainContentInput {
  /** Normalised HTML with the page's own containers around its blocks. */
  html: string;
  title: string;
}

/** The article or other main part of a page, with its headline; undefined when there is none. */
export function mainContent({ html, title }: MainContentInput): string | undefined {
  // Readability's parser knows empty elements only by their slash; `>` is escaped in attributes.
  const closed = html.replace(/<(br|hr|img [^>]*)>/g, "<$1/>");
  const document = new JSDOMParser().parse(
    `<html><head></head><body>${closed}</body></html>`,
    "http://page.invalid/",
  );
  const headline = text(document.getElementsByTagName("h1")[0]?.textContent);
  const found = articleOf(document);
  if (!found || !text(found.textContent)) return undefined;
  // The headline often stands before the main part. A headline that is not in the title is only the site's name.
  const named = headline !== "" && text(title).includes(headline);
  const shown = found.headings.some((heading) => text(heading) === headline);
  return named && !shown ? `<h1>${escape(headline)}</h1>${found.html}` : found.html;
}

interface Article {
  html: string;
  textContent: string;
  headings: string[];
}

function articleOf(document: Document): Article | undefined {
  const reader = new Readability<Article>(document, {
    // Classes name the language of code.
    keepClasses: true,
    disableJSONLD: true,
    maxElemsToParse: mostElements,
    serializer(node) {
      const root = node as HTMLElement;
      const headings = [...root.getElementsByTagName("h2")];
      for (const heading of headings) {
        // Readability turns every h1 into an h2.
        if (heading.getAttribute("data-level") === "1") {
          Object.assign(heading, { localName: "h1", tagName: "H1" });
        }
      }
      return {
        html: root.innerHTML,
        textContent: root.textContent ?? "",
        headings: headings.map((heading) => heading.textContent ?? ""),
      };
    },
  });
  try {
    return reader.parse()?.content ?? undefined;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("Aborting parsing document")) {
      return undefined;
    }
    throw error;
  }
}

/** A text without the signs of emphasis and sealed parts in normalised HTML. */
const text = (value: string | null | undefined) =>
  (value ?? "")
    .replace(/[\uFDD0-\uFDEF]/g, "")
    .replace(/\s+/g, " ")
    .trim();
const escape = (value: string) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
