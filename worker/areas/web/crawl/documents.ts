import { createHash } from "node:crypto";
import { GatewayError } from "../../../../contract/errors.ts";
import { AccountTurns } from "../../../../runtime/account-turns.ts";
import type { CrawlTask } from "../../../../runtime/crawl.ts";
import { withinResultLimit } from "../../../browser/page/result-limit.ts";
import type { Call } from "../../../connector.ts";
import type { DocumentText } from "../../../documents/document.ts";
import { documentMarkdown, type Documents } from "../../../documents/documents.ts";
import { documentRequest } from "../../../documents/fetch-document.ts";
import {
  type FetchSite,
  type SiteAnswer,
  type SiteRequest,
  siteAgent,
} from "../../../transport/site.ts";
import { metadataOf } from "../metadata.map.ts";
import type { PageThreads } from "./page-threads.ts";
import { refuse } from "./refusal.ts";

/** PDFs and office documents that a crawl meets. */

const types =
  /^application\/(?:pdf|x-pdf|epub\+zip|vnd\.openxmlformats-officedocument\.\S+|vnd\.oasis\.opendocument\.\S+)$/;

/** Whether the site says that its answer is a document. */
export const isDocument = ({ contentType, location }: SiteAnswer): boolean =>
  location === undefined && types.test(contentType);

/** Documents of crawls that are held at once; each has 50 MB at most. */
const atOnce = 4;

/** Reads documents in turns, because they are large. */
export class CrawlDocuments {
  readonly #turns = new AccountTurns({ name: "documents of crawls", slots: atOnce });
  readonly #documents: Documents;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** The answer, and the document; undefined for a file of another format, or an answer that redirects. */
  fetch(
    fetchSite: FetchSite,
    url: string,
    { account, signal, timeline, startedAt }: Call,
    follows: SiteRequest["follows"] = () => Promise.resolve(false),
  ): Promise<{ answer: SiteAnswer; read: DocumentText | undefined }> {
    const run = async () => {
      timeline?.stage("load");
      const request = { url, signal, ...documentRequest, follows };
      const answer = await fetchSite(request);
      if (answer.location !== undefined) return { answer, read: undefined };
      refuse(answer, { startedAt });
      timeline?.stage("read");
      const task = { bytes: answer.bytes, first: 1, most: Infinity };
      return { answer, read: await this.#documents.read(task, account, signal) };
    };
    return this.#turns.run(account, run, signal);
  }
}

/** Forms that a document has. */
const forms = new Set(["markdown", "main_content", "metadata"]);
export const hasDocumentForm = (formats: readonly string[]) =>
  formats.some((format) => forms.has(format));

/** The document in the requested forms, with its names; throws where it has no text, or more than an answer holds. */
export async function documentPage(
  { threads }: { threads: PageThreads },
  { answer, read }: { answer: SiteAnswer; read: DocumentText },
  { formats, crawl, robots }: { formats: readonly string[]; crawl: CrawlTask; robots: string },
  { account, signal }: Pick<Call, "account" | "signal">,
) {
  if (read.isCut) {
    const message = "The document is too long: /web/text reads it in parts";
    throw new GatewayError("upstream_error", message);
  }
  const markdown = documentMarkdown(read);
  if (markdown === "") {
    throw new GatewayError("upstream_error", "The document has no text: it may be a scan");
  }
  const { url } = answer;
  const content = contentName(`${read.title ?? ""}\n${markdown}`);
  const found = await threads.run(
    {
      kind: "links",
      url,
      links: [],
      canonical: undefined,
      content,
      crawl: { ...crawl, robots, agent: siteAgent },
    },
    account,
    signal,
  );
  const data = {
    url,
    ...(formats.includes("markdown") ? { markdown } : {}),
    ...(formats.includes("main_content") ? { main_content: markdown } : {}),
    ...(formats.includes("links") ? { links: [] } : {}),
    ...(formats.includes("metadata") ? { metadata: stated(answer, read) } : {}),
  };
  return { data: withinResultLimit(data), found };
}

function stated({ status, contentType, url }: SiteAnswer, read: DocumentText) {
  const { url: _, ...metadata } = metadataOf(
    { url, metas: [], links: [] },
    { title: read.title, language: read.language, status, content_type: contentType },
  ) as ReturnType<typeof metadataOf> & { url: string };
  return {
    ...metadata,
    ...(read.authors === undefined ? {} : { author: read.authors.join(", ") }),
    ...(read.modifiedAt === undefined ? {} : { modified_at: read.modifiedAt }),
  };
}

/** A short text in place of a long one, of which only the names of a page are made. */
export const contentName = (content: string): string =>
  content.length < 100 ? content : createHash("sha256").update(content).digest("hex").repeat(2);
