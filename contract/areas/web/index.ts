import * as z from "zod";
import { area, operation } from "../../operation.ts";
import { pageDeadlineMs as deadlineMs, pageFields, renderedUrl } from "../../page-input.ts";
import { extractFields, extracted, isNothing } from "./extract.ts";
import { pageMetadata } from "./metadata.ts";
import { snapshotData, snapshotInput } from "./snapshot.ts";

const example = { url: "https://example.com/" };

export const web = area({
  name: "web",
  summary: "Says what pages and sites state about themselves",
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
        "Products, articles, job postings, recipes, events, organisations, reviews and breadcrumbs that the rendered page states as JSON-LD, microdata, RDFa or OpenGraph in the vocabulary of schema.org, its tables, and the caller's own fields by CSS selector. No model is used and no field is guessed: a value that is not stated in a plain form is absent. A page that states nothing costs nothing.",
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
        "HTML, Markdown, main content, links, screenshot, metadata and extract of one render, as one record. A form of which the page has nothing is empty.",
      input: snapshotInput,
      data: snapshotData,
      records: { kind: "one" },
      deadlineMs,
      example: { ...example, formats: ["markdown", "links", "metadata"] },
    }),
  ],
});
