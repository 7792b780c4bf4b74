import type { Area } from "../../contract/operation.ts";
import { searchWordsOf } from "../../contract/search-operations.ts";
import type { Here } from "./availability.ts";
import { anchorOf } from "./html.ts";
import { type Page, markdownOf } from "./pages.ts";

/** One entry of the search, which runs in the reader's browser. */
export interface SearchDocument {
  /** Address below `/docs`, with an anchor. */
  id: string;
  title: string;
  /** Kind of the page, or the page of a section. */
  of: string;
  text: string;
  /** Words that find the entry and are not shown. */
  words: string;
  isGuide?: true;
}

/** Words by which people look for a guide or a section of it, and that it lacks. */
export const searchWords: Readonly<Record<string, string>> = {
  "#pages-of-a-list": "next page results more pagination cursor",
  "#without-waiting": "asynchronous background long running do not wait",
  "#limits": "rate limit too many requests 429 concurrency",
  "#keys": "api key authentication token authorization",
  batches: "bulk many calls at once thousands mass csv",
  "budgets#what-a-call-would-cost": "price estimate dry run",
  errors: "status code 400 401 402 404 429 500 502 503 504 too many requests failed",
  jobs: "asynchronous background poll long running later",
  "webhooks#receive": "verify signature callback hmac",
};

const plain = (markdown: string): string =>
  markdown
    .replace(/```\w*\n[\s\S]*?```/g, " ")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*|#]/g, " ")
    .replace(/-{3,}/g, " ")
    .replace(/\s+/g, " ")
    .trim();

/** The search is the same in every installation. */
const anywhere: Here = { availabilityOf: () => "unknown", evidenceOf: () => "" };

/** A guide, section by section; its code is found by its words. */
function sectionsOf(page: Page): SearchDocument[] {
  const [lead = "", ...sections] = markdownOf(page, anywhere).split(/^## /m);
  const address = page.name;
  return [
    {
      id: address,
      title: page.title,
      of: "guide",
      text: plain(lead),
      words: `${page.summary} ${searchWords[address] ?? ""}`,
      isGuide: true,
    },
    ...sections
      .filter((section) => !/^(?:Guides|Operations)\n/.test(section))
      .map((section): SearchDocument => {
        const [heading = "", ...rest] = section.split("\n");
        const id = `${address}#${anchorOf(heading)}`;
        return {
          id,
          title: plain(heading),
          of: page.title,
          text: plain(rest.join("\n")),
          words: searchWords[id] ?? "",
          isGuide: true,
        };
      }),
  ];
}

/** Everything that the pages contain, without the members of answers, which would triple its size. */
export function searchDocuments(pages: readonly Page[], areas: readonly Area[]): SearchDocument[] {
  const found = pages
    .filter(({ kind }) => kind === "start" || kind === "guide")
    .flatMap((page) => sectionsOf(page));
  const ofAreas = areas.flatMap(({ name, summary, operations }): SearchDocument[] => [
    { id: name, title: name, of: "area", text: summary, words: "" },
    ...operations.map((op) => ({
      id: op.id,
      title: op.id,
      of: `${op.method} ${op.path}`,
      text: op.summary,
      words: `${op.description ?? ""} ${Object.keys(op.input.shape).join(" ")} ${searchWordsOf(op)}`,
    })),
  ]);
  return [...found, ...ofAreas];
}
