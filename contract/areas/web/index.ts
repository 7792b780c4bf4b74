import * as z from "zod";
import { area, operation } from "../../operation.ts";
import { extractFields } from "../../extract-input.ts";
import { pageDeadlineMs as deadlineMs, pageFields, renderedUrl } from "../../page-input.ts";
import { extracted, isBlank, isNothing } from "./extract.ts";
import { fetchData, fetchInput } from "./fetch.ts";
import { pageMetadata } from "./metadata.ts";
import { feedData, feedInput, mapData, mapInput, robotsData, robotsInput } from "./sites.ts";
import { snapshotData, snapshotInput } from "./snapshot.ts";
import { textData, textInput } from "./text.ts";

/** A site has 20 s for its answer; the rest is for the queue and for reading. */
const siteDeadlineMs = 45_000;
const example = { url: "https://example.com/" };

export const web = area({
  name: "web",
  summary: "Reads what pages and sites state about themselves",
  pool: "browser",
  operations: [
    operation({
      id: "web.metadata",
      method: "POST",
      path: "/web/metadata",
      summary: "Metadata of a page",
      description:
        "Title, description, canonical address, icons, language, dates, feeds, oEmbed, OpenGraph and Twitter properties of the rendered page, as it states them.",
      input: z.strictObject(pageFields),
      data: z.object({ url: renderedUrl, ...pageMetadata.shape }),
      records: { kind: "one" },
      deadlineMs,
      example,
    }),
    operation({
      id: "web.extract",
      method: "POST",
      path: "/web/extract",
      summary: "Machine-readable data of a page",
      description:
        "Products, articles, job postings, recipes, events, organisations, reviews and breadcrumbs that the rendered page states as JSON-LD, microdata, RDFa or OpenGraph in the vocabulary of schema.org, or as microformats, its tables, and the caller's own fields by CSS selector. No model is used and no field is guessed: a value that is not stated in a plain form is absent. A page that states nothing costs nothing.",
      input: z.strictObject({ ...pageFields, ...extractFields }),
      data: z.object({ url: renderedUrl, ...extracted.shape }),
      records: { kind: "one", isNone: isNothing },
      deadlineMs,
      example,
    }),
    operation({
      id: "web.snapshot",
      method: "POST",
      path: "/web/snapshot",
      summary: "A page in several forms",
      description:
        "HTML, Markdown, main content, links, screenshot, metadata and extract of one render, as one record. A form of which the page has nothing is empty. Where only Markdown, main content and extract are requested and each is empty, it costs nothing.",
      input: snapshotInput,
      data: snapshotData,
      records: { kind: "one", isNone: isBlank },
      deadlineMs,
      example: { ...example, formats: ["markdown", "links", "metadata"] },
    }),
    operation({
      id: "web.fetch",
      method: "POST",
      path: "/web/fetch",
      summary: "A page by plain HTTP in several forms",
      description:
        "Markdown, main content, links, metadata, extract and HTML of the page that the server sends, as one record. No browser runs, so that the page costs a hundredth of the time, and lacks what its scripts would add. Where only Markdown, main content and extract are requested and each is empty, it costs nothing.",
      input: fetchInput,
      data: fetchData,
      records: { kind: "one", isNone: isBlank },
      // No Chromium is needed, so the page waits in no browser's queue.
      pool: "social",
      deadlineMs: () => siteDeadlineMs,
      example: { ...example, formats: ["markdown", "links"] },
    }),
    operation({
      id: "web.robots",
      method: "POST",
      path: "/web/robots",
      summary: "May an agent fetch an address",
      description:
        "Reads the robots.txt of the URL's site and says whether the agent may fetch the URL, by which line, and which sitemaps the site names.",
      input: robotsInput,
      data: robotsData,
      records: { kind: "one" },
      deadlineMs: () => siteDeadlineMs,
      example: { url: "https://example.com/private/page" },
    }),
    operation({
      id: "web.feed",
      method: "POST",
      path: "/web/feed",
      summary: "Items of a feed",
      description:
        "Title, items and media of an RSS, RDF, Atom or JSON feed, podcasts included. A feed without items costs nothing.",
      input: feedInput,
      data: feedData,
      records: { kind: "one", isNone: ({ items }) => items.length === 0 },
      deadlineMs: () => siteDeadlineMs,
      example: { url: "https://example.com/feed.xml" },
    }),
    operation({
      id: "web.map",
      method: "POST",
      path: "/web/map",
      summary: "Addresses of a site",
      description:
        "Addresses of the site's pages from the sitemaps that its robots.txt names (or `/sitemap.xml`), their indexes, packed ones too, from its feeds, and from the links in the HTML of the URL's own page. No page is rendered. A site that names none costs nothing.",
      input: mapInput,
      data: mapData,
      records: { kind: "one", isNone: ({ addresses }) => addresses.length === 0 },
      deadlineMs: () => 75_000,
      example,
    }),
    operation({
      id: "web.text",
      method: "POST",
      path: "/web/text",
      summary: "Text of a PDF or office document",
      description:
        "Text of a PDF, docx, xlsx, pptx, odt, ods, odp or epub of up to 50 MB by page, sheet, slide or chapter, as Markdown with headings and tables, or plain. No script runs and nothing that the document refers to is fetched. Encrypted and broken documents are an `upstream_error`. A document without text, such as a scan, costs nothing.",
      input: textInput,
      data: textData,
      records: { kind: "one", isNone: (data) => data.is_without_text === true },
      deadlineMs: () => 75_000,
      example: { url: "https://example.com/report.pdf", formats: ["markdown", "text"] },
    }),
  ],
});
