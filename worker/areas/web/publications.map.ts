import { defined } from "#wire";
import type { Extracted, Placed } from "./placed.map.ts";
import type { Thing } from "./things.map.ts";
import {
  addressesOf,
  addressOf,
  addressIn,
  countOf,
  keywordsOf,
  momentOf,
  nameOf,
  namesOf,
  numberOf,
  textOf,
  thingsOf,
  valuesOf,
} from "./values.map.ts";

export function articleOf({ thing, base }: Placed): Extracted["articles"][number] | undefined {
  const title = textOf(thing, "headline", "name");
  if (title === undefined) return undefined;
  return {
    source: thing.source,
    title,
    description: textOf(thing, "description"),
    url: addressOf(thing, base, "url") ?? addressOf(thing, base, "mainEntityOfPage"),
    authors: namesOf(thing, "author"),
    publisher: nameOf(thing, "publisher"),
    published_at: momentOf(thing, "datePublished"),
    modified_at: momentOf(thing, "dateModified"),
    section: textOf(thing, "articleSection"),
    keywords: keywordsOf(thing),
    language: textOf(thing, "inLanguage"),
    image_urls: addressesOf(thing, base, "image"),
    words_count: countOf(thing, "wordCount"),
    is_free: truthOf(thing, "isAccessibleForFree"),
  };
}

function truthOf(thing: Thing, name: string): boolean | undefined {
  const [value] = valuesOf(thing, name);
  if (typeof value === "boolean") return value;
  const word =
    typeof value === "string" ? /^(?:https?:\/\/schema\.org\/)?(true|false)$/i.exec(value) : null;
  return word ? word[1]?.toLowerCase() === "true" : undefined;
}

export function reviewOf({
  thing,
  parent,
  role,
}: Placed): Extracted["reviews"][number] | undefined {
  const [rating] = thingsOf(thing, "reviewRating");
  const stated = role === "review" || role === "reviews" ? parent : undefined;
  const value = numberOf(rating, "ratingValue") ?? numberOf(thing, "reviewRating");
  const text = textOf(thing, "reviewBody", "description");
  if (value === undefined && text === undefined) return undefined;
  return {
    source: thing.source,
    title: textOf(thing, "name", "headline"),
    text,
    author: nameOf(thing, "author"),
    rating: value,
    rating_max: numberOf(rating, "bestRating"),
    item: nameOf(thing, "itemReviewed") ?? textOf(stated, "name"),
    published_at: momentOf(thing, "datePublished"),
  };
}

export function breadcrumbOf({
  thing,
  base,
}: Placed): Extracted["breadcrumbs"][number] | undefined {
  const items = thingsOf(thing, "itemListElement").flatMap((element) => {
    const [item] = thingsOf(element, "item");
    const name = textOf(element, "name") ?? textOf(item, "name");
    if (name === undefined) return [];
    const position = numberOf(element, "position");
    const address = addressOf(element, base, "item", "url") ?? addressIn(item?.id, base);
    return [
      defined({
        position: Number.isSafeInteger(position) ? position : undefined,
        name,
        url: address,
      }),
    ];
  });
  return items.length > 0 ? { source: thing.source, items } : undefined;
}
