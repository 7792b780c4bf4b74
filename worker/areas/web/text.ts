import type { web as area } from "../../../contract/areas/web/index.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { DataOf, InputOf } from "../../../contract/operation.ts";
import { withinResultLimit } from "../../browser/page/result-limit.ts";
import type { Call } from "../../connector.ts";
import type { DocumentText } from "../../documents/document.ts";
import type { Documents } from "../../documents/documents.ts";
import { fetchDocument } from "../../documents/fetch-document.ts";
import type { FetchSite } from "../../transport/site.ts";

type Text = Extract<(typeof area.operations)[number], { id: "web.text" }>;

/** Reads the text of a PDF or office document. */
export async function text(
  fetchSite: FetchSite,
  documents: Documents,
  input: InputOf<Text>,
  call: Call,
): Promise<{ data: DataOf<Text> }> {
  call.timeline?.stage("load");
  const { url, bytes } = await fetchDocument(fetchSite, input.url, call.signal);
  call.timeline?.stage("read");
  const task = { bytes, first: input.first, most: input.limit };
  const read = await documents.read(task, call.account, call.signal);
  if (!read) {
    throw new GatewayError("upstream_error", "The URL answered with no document of a known format");
  }
  return { data: withinResultLimit({ url, size_bytes: bytes.length, ...dataOf(read, input) }) };
}

function dataOf(
  read: DocumentText,
  { formats }: Pick<InputOf<Text>, "formats">,
): Omit<DataOf<Text>, "url" | "size_bytes"> {
  const has = (format: (typeof formats)[number]) => formats.includes(format);
  return {
    format: read.format,
    ...(read.title === undefined ? {} : { title: read.title }),
    ...(read.authors === undefined ? {} : { authors: read.authors }),
    ...(read.language === undefined ? {} : { language: read.language }),
    ...(read.createdAt === undefined ? {} : { created_at: read.createdAt }),
    ...(read.modifiedAt === undefined ? {} : { modified_at: read.modifiedAt }),
    unit: read.unit,
    parts_count: read.count,
    parts: read.parts.map((part) => ({
      number: part.number,
      ...(part.title === undefined ? {} : { title: part.title }),
      ...(has("markdown") ? { markdown: part.markdown } : {}),
      ...(has("text") ? { text: part.text } : {}),
    })),
    ...(read.parts.every((part) => part.text === "") ? { is_without_text: true as const } : {}),
    ...(read.isCut ? { is_cut: true as const } : {}),
  };
}
