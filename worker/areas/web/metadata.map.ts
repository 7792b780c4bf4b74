import type { web } from "../../../contract/areas/web/index.ts";
import type { DataOf } from "../../../contract/operation.ts";
import { defined } from "#wire";
import { momentIn, some } from "./values.map.ts";

type Metadata = DataOf<Extract<(typeof web.operations)[number], { id: "web.metadata" }>>;

/** The page's reader returns this. */
interface Read {
  url: string;
  metas: { name: string; content: string; url?: string | undefined }[];
  links: {
    rel: string;
    url: string;
    type?: string | undefined;
    sizes?: string | undefined;
    language?: string | undefined;
    title?: string | undefined;
  }[];
}

type Basic = Pick<
  Metadata,
  "title" | "description" | "language" | "canonical_url" | "status" | "content_type"
>;

const feedTypes = /^application\/(?:(?:rss|atom|rdf)\+xml|feed\+json)$/i;
const oembedTypes = /^(?:application|text)\/(json|xml)\+oembed$/i;
const cardNames = /^twitter:/i;
/** OpenGraph's own types, and the extensions that sites use. */
const graphNames = /^(?:og|article|book|profile|video|music|product|fb|al|place|business):/i;

/** Names that state a date of publication or change; the first one with a valid value counts. */
const published = [
  "article:published_time",
  "datepublished",
  "date",
  "dc.date",
  "dcterms.created",
  "dcterms.issued",
  "dc.date.issued",
  "citation_publication_date",
  "pubdate",
];
const modified = [
  "article:modified_time",
  "og:updated_time",
  "datemodified",
  "last-modified",
  "dcterms.modified",
  "dc.date.modified",
];

/** Makes the answer of `web.metadata` from what a document's head states. */
export function metadataOf(read: Read, basic: Basic): Metadata {
  const named = (name: string) => read.metas.filter((meta) => meta.name.toLowerCase() === name);
  const first = (name: string) => named(name)[0]?.content;
  const moment = (names: readonly string[]) =>
    names
      .flatMap((name) => named(name).map(({ content }) => momentIn(content)))
      .find((value) => value !== undefined);
  const links = read.links.map((link) => ({
    ...link,
    words: link.rel.toLowerCase().split(" "),
  }));
  const alternates = links.filter(
    ({ words }) => words.includes("alternate") && !words.includes("stylesheet"),
  );
  const isFeed = (type = "") => feedTypes.test(type);
  const stated = (names: RegExp) =>
    read.metas
      .filter(({ name }) => names.test(name))
      .map(({ name, content }) => ({ property: name, content }));
  const keywords = first("keywords")?.split(",") ?? [];
  const images = ["og:image", "og:image:url", "og:image:secure_url", "twitter:image"];
  return defined({
    url: read.url,
    ...basic,
    site_name: first("og:site_name"),
    author: first("author"),
    published_at: moment(published),
    modified_at: moment(modified),
    robots: first("robots"),
    generator: first("generator"),
    theme_color: first("theme-color"),
    keywords: some(keywords.map((word) => word.trim() || undefined)),
    image_url: images.flatMap((name) => named(name)).find(({ url }) => url !== undefined)?.url,
    manifest_url: links.find(({ words }) => words.includes("manifest"))?.url,
    icons: links
      .filter(({ words }) =>
        words.some((word) =>
          /^(?:icon|apple-touch-icon(?:-precomposed)?|mask-icon|fluid-icon)$/.test(word),
        ),
      )
      .map(({ url, words, type, sizes }) => defined({ url, rel: words.join(" "), type, sizes })),
    feeds: alternates.flatMap(({ url, type, title }) =>
      type !== undefined && isFeed(type) ? [defined({ url, type, title })] : [],
    ),
    alternates: alternates.flatMap(({ url, type, language }) =>
      language === undefined || isFeed(type) ? [] : [{ url, language }],
    ),
    oembed: alternates.flatMap(({ url, type, title }) => {
      const format = oembedTypes.exec(type ?? "")?.[1]?.toLowerCase();
      return format === "json" || format === "xml" ? [defined({ url, format, title })] : [];
    }),
    open_graph: stated(graphNames),
    twitter: stated(cardNames),
  }) as Metadata;
}
