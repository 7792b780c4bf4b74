import { defined } from "#wire";
import type { Extracted } from "./placed.map.ts";
import { addressIn, momentIn, plainNumber, some } from "./values.map.ts";

export type Metas = readonly (readonly [name: string, content: string])[];

/** The article or product that OpenGraph states, by `og:type`; one that lacks a title is none. */
export function openGraphRecords(
  metas: Metas,
  base: string,
): Pick<Extracted, "articles" | "products"> {
  const all = (name: string) =>
    metas.filter((meta) => meta[0].toLowerCase() === name).map(([, content]) => content.trim());
  const first = (name: string) => all(name).find((content) => content !== "");
  const title = first("og:title");
  const kind = first("og:type")?.toLowerCase();
  const shared = {
    source: "open_graph" as const,
    description: first("og:description"),
    url: addressIn(first("og:url"), base),
    image_urls: some(
      [...all("og:image"), ...all("og:image:url")].map((image) => addressIn(image, base)),
    ),
  };
  if (title === undefined) return { articles: [], products: [] };
  if (kind === "article") {
    const authors = all("article:author").map((name) => (/^https?:/.test(name) ? undefined : name));
    const article = defined({
      ...shared,
      title,
      authors: some(authors.map((name) => name || undefined)),
      published_at: momentIn(first("article:published_time")),
      modified_at: momentIn(first("article:modified_time")),
      section: first("article:section"),
      keywords: some(all("article:tag").map((tag) => tag || undefined)),
    });
    return { articles: [article], products: [] };
  }
  if (kind !== "product" && kind !== "og:product" && kind !== "product.item") {
    return { articles: [], products: [] };
  }
  const price = plainNumber(first("product:price:amount") ?? first("og:price:amount"));
  const currency = first("product:price:currency") ?? first("og:price:currency");
  const product = defined({
    ...shared,
    name: title,
    brand: first("product:brand"),
    sku: first("product:retailer_item_id"),
    price,
    currency: /^[A-Z]{3}$/.test(currency ?? "") ? currency : undefined,
    availability: first("product:availability")?.toLowerCase().replace(/[ -]+/g, "_"),
    condition: first("product:condition")?.toLowerCase(),
  });
  return { articles: [], products: [product] };
}
