import { Readability } from "@mozilla/readability";
import JSDOMParser from "@mozilla/readability/JSDOMParser.js";

/** Most elements that are looked at: reading a page takes longer than in proportion. */
const mostElements = 20_000;

export interface MainContentInput {
  /** Normalised HTML with the page's own containers around its blocks. */
  html: string;
  title: string;
}

/** The article or other main part of a page with its headline; undefined where none is found. */
export function mainContent({ html, title }: MainContentInput): string | undefined {
  // Its own parser knows elements without content by their slash only; `>` is escaped in attributes.
  const closed = html.replace(/<(br|hr|img [^>]*)>/g, "<$1/>");
  const document = new JSDOMParser().parse(
    `<html><head></head><body>${closed}</body></html>`,
    "http://page.invalid/",
  );
  const headline = text(document.getElementsByTagName("h1")[0]?.textContent);
  const found = articleOf(document);
  if (!found || !text(found.textContent)) return undefined;
  // The headline often stands in front of what is found; one that is only the site's name is not in the title.
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
    // The language of code is a class.
    keepClasses: true,
    disableJSONLD: true,
    maxElemsToParse: mostElements,
    serializer(node) {
      const root = node as HTMLElement;
      const headings = [...root.getElementsByTagName("h2")];
      for (const heading of headings) {
        // Readability makes every first heading a second one.
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

const text = (value: string | null | undefined) => (value ?? "").replace(/\s+/g, " ").trim();
const escape = (value: string) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
