import type { browser as area } from "../../../contract/areas/browser/index.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { DataOf, InputOf } from "../../../contract/operation.ts";
import { fileInsteadOfPage, pageTooLarge } from "../../browser/chromium/failure.ts";
import { withinResultLimit } from "../../browser/page/result-limit.ts";
import type { Call } from "../../connector.ts";
import { documentMarkdown, type Documents } from "../../documents/documents.ts";
import { fetchDocument } from "../../documents/fetch-document.ts";
import type { FetchSite } from "../../transport/site.ts";

type Markdown = Extract<(typeof area.operations)[number], { id: "browser.markdown" }>;
type Data = DataOf<Markdown>;

export interface DocumentSource {
  fetchSite: FetchSite;
  documents: Documents;
}

/** The page; where the address has a PDF or office document instead, the document. */
export async function orDocument(
  page: Promise<{ data: Data }>,
  files: DocumentSource,
  input: Pick<InputOf<Markdown>, "include_metadata">,
  call: Call,
): Promise<{ data: Data }> {
  try {
    return await page;
  } catch (error) {
    const url = fileInsteadOfPage(error);
    const data =
      url === undefined ? undefined : await readDocument(url, files, input.include_metadata, call);
    if (!data) throw error;
    return { data: withinResultLimit(data) };
  }
}

/** Undefined where the file cannot be fetched or is no document. */
async function readDocument(
  url: string,
  { fetchSite, documents }: DocumentSource,
  withMetadata: boolean,
  { account, signal, timeline }: Call,
): Promise<Data | undefined> {
  if (!/^https?:/i.test(url)) return undefined;
  timeline?.stage("read");
  const answer = await fetchDocument(fetchSite, url, signal).catch((error: unknown) => {
    if (error instanceof GatewayError) return undefined;
    throw error;
  });
  if (!answer) return undefined;
  const task = { bytes: answer.bytes, first: 1, most: Infinity };
  const read = await documents.read(task, account, signal);
  if (!read) return undefined;
  if (read.isCut) throw pageTooLarge("length of the document: /web/text reads it in parts");
  const metadata = {
    ...(read.title === undefined ? {} : { title: read.title }),
    ...(read.language === undefined ? {} : { language: read.language }),
    status: answer.status,
    content_type: answer.contentType,
  };
  return {
    url: answer.url,
    markdown: documentMarkdown(read),
    ...(withMetadata ? { metadata } : {}),
  };
}
