import { type Thing, type Value, tidy } from "./things.map.ts";
import { moneyIn } from "./values.map.ts";

/**
 * Makes things of schema.org from microformats2; older classes are read as their successors by the parser. The
 * meaning of properties: https://microformats.org/wiki/microformats2.
 */

/** An item, as the specification of the parsed form has it. */
export interface MicroformatItem {
  type?: string[] | undefined;
  properties: Record<string, readonly MicroformatValue[]>;
  children?: readonly MicroformatItem[] | undefined;
  value?: MicroformatValue | undefined;
}

type MicroformatValue =
  | string
  | MicroformatItem
  | { value?: string; alt: string }
  | { value: string; html: string };

const mostDepth = 10;
const mostItems = 1000;

const isItem = (value: MicroformatValue | undefined): value is MicroformatItem =>
  typeof value === "object" && "properties" in value;

function plainOf(value: MicroformatValue | undefined): string | undefined {
  if (typeof value === "string") return tidy(value) || undefined;
  return value === undefined ? undefined : plainOf(value.value);
}

/** Things of schema.org that the items state, wherever they stand. */
export function thingsOfMicroformats(items: readonly MicroformatItem[]): Thing[] {
  const things: Thing[] = [];
  const pending = items.map((item) => ({ item, depth: 0 })).toReversed();
  for (let next = pending.pop(); next && things.length < mostItems; next = pending.pop()) {
    const { item, depth } = next;
    const thing = thingOf(item, 0);
    if (thing) things.push(thing);
    if (depth === mostDepth) continue;
    // Classes of layouts begin with h- too (`h-full`): items stand inside theirs. Those inside a thing are its own.
    const inside = thing ? [] : Object.values(item.properties).flat().filter(isItem);
    const further = [...(item.children ?? []), ...inside];
    pending.push(...further.map((one) => ({ item: one, depth: depth + 1 })).reverse());
  }
  return things;
}

type Reader = (item: MicroformatItem, depth: number) => Thing | undefined;

const readers: Readonly<Record<string, Reader>> = {
  "h-entry": entry,
  "h-event": event,
  "h-product": product,
  "h-recipe": recipe,
  "h-review": review,
  "h-review-aggregate": rating,
  "h-card": card,
  "h-adr": address,
};

function thingOf(item: MicroformatItem, depth: number): Thing | undefined {
  const known = item.type?.find((type) => Object.hasOwn(readers, type));
  return known === undefined || depth > mostDepth ? undefined : readers[known]?.(item, depth);
}

type Members = Record<string, readonly (Value | undefined)[]>;

function make(type: string, members: Members): Thing {
  const properties = new Map<string, Value[]>();
  for (const [name, values] of Object.entries(members)) {
    const there = values.filter((value) => value !== undefined);
    if (there.length > 0) properties.set(name, there);
  }
  return { source: "microformats", types: [type], properties };
}

const all = ({ properties }: MicroformatItem, name: string) =>
  Object.hasOwn(properties, name) ? (properties[name] ?? []) : [];

/** The values of the first of these properties that has any. */
function texts(item: MicroformatItem, ...names: string[]): string[] {
  for (const name of names) {
    const found = all(item, name)
      .map(plainOf)
      .filter((text) => text !== undefined);
    if (found.length > 0) return found;
  }
  return [];
}

/** Values as things where they are such, else as texts. */
const values = (item: MicroformatItem, name: string, depth: number): (Value | undefined)[] =>
  all(item, name).map((value) =>
    isItem(value) ? (thingOf(value, depth + 1) ?? plainOf(value)) : plainOf(value),
  );

const pictures = (item: MicroformatItem) => [...texts(item, "featured"), ...texts(item, "photo")];

/** People, whose cards are not organisations but have names all the same. */
const people = (item: MicroformatItem, name: string): string[] =>
  all(item, name).flatMap((value) => {
    const text = isItem(value) ? (texts(value, "name")[0] ?? plainOf(value)) : plainOf(value);
    return text ?? [];
  });

function entry(item: MicroformatItem): Thing {
  const [name] = texts(item, "name");
  const [content] = texts(item, "content", "summary");
  // A note has no title: its name is the beginning of its text (indieweb.org/post-type-discovery).
  const isNote = name !== undefined && content?.startsWith(name.replace(/(?:…|\.{3})$/, ""));
  return make("Article", {
    headline: isNote ? [] : [name],
    description: texts(item, "summary"),
    url: texts(item, "url"),
    author: people(item, "author"),
    datePublished: texts(item, "published"),
    dateModified: texts(item, "updated"),
    keywords: texts(item, "category"),
    image: pictures(item),
  });
}

function event(item: MicroformatItem, depth: number): Thing {
  const places = all(item, "location").map((value) => {
    if (!isItem(value)) return plainOf(value);
    const isAddress = value.type?.includes("h-adr") === true;
    return make("Place", {
      name: isAddress ? [] : texts(value, "name"),
      address: isAddress ? [address(value)] : addressOf(value, depth),
    });
  });
  return make("Event", {
    name: texts(item, "name"),
    description: texts(item, "description", "summary"),
    url: texts(item, "url"),
    image: pictures(item),
    startDate: texts(item, "start"),
    endDate: texts(item, "end"),
    location: places,
    organizer: people(item, "organizer"),
  });
}

function product(item: MicroformatItem, depth: number): Thing {
  const [stated] = texts(item, "price");
  const money = moneyIn(stated);
  const offer = money && make("Offer", { price: [money.amount], priceCurrency: [money.currency] });
  const reviews = values(item, "review", depth).filter((value) => typeof value === "object");
  const isRating = (value: Thing) => value.types.includes("AggregateRating");
  return make("Product", {
    name: texts(item, "name"),
    description: texts(item, "description"),
    url: texts(item, "url"),
    image: pictures(item),
    brand: people(item, "brand"),
    category: texts(item, "category"),
    offers: [offer],
    aggregateRating: reviews.filter(isRating),
    review: reviews.filter((value) => !isRating(value)),
  });
}

function recipe(item: MicroformatItem): Thing {
  return make("Recipe", {
    name: texts(item, "name"),
    description: texts(item, "summary"),
    url: texts(item, "url"),
    author: people(item, "author"),
    image: pictures(item),
    totalTime: texts(item, "duration"),
    recipeYield: texts(item, "yield"),
    recipeIngredient: texts(item, "ingredient"),
    recipeInstructions: texts(item, "instructions"),
    recipeCategory: texts(item, "category"),
  });
}

function review(item: MicroformatItem, depth: number): Thing {
  const stated = make("Rating", {
    ratingValue: texts(item, "rating"),
    bestRating: texts(item, "best"),
  });
  return make("Review", {
    name: texts(item, "name"),
    author: people(item, "author"),
    datePublished: texts(item, "published"),
    reviewBody: texts(item, "content", "description", "summary"),
    reviewRating: [stated],
    itemReviewed: values(item, "item", depth).map((value, index) => {
      // A person or a place has a name, which is what was reviewed.
      const one = all(item, "item")[index];
      return typeof value === "object" && value.types.includes("Organization") && isItem(one)
        ? make("Thing", { name: texts(one, "name") })
        : value;
    }),
  });
}

function rating(item: MicroformatItem): Thing {
  return make("AggregateRating", {
    ratingValue: texts(item, "average", "rating"),
    bestRating: texts(item, "best"),
    reviewCount: texts(item, "count"),
    ratingCount: texts(item, "votes"),
  });
}

/** A card is an organisation's where its name is that of its organisation, as in hCard; else it is a person's. */
function card(item: MicroformatItem, depth: number): Thing | undefined {
  const [name] = texts(item, "name");
  if (name === undefined || !people(item, "org").includes(name)) return undefined;
  return make("Organization", {
    name: [name],
    description: texts(item, "note"),
    url: texts(item, "url"),
    logo: [...texts(item, "logo"), ...texts(item, "photo")],
    telephone: texts(item, "tel"),
    email: texts(item, "email").map((text) => text.replace(/^mailto:/i, "").split("?", 1)[0]),
    address: addressOf(item, depth),
  });
}

/** The address of a card: an item of its own, one text, or parts among the card's own properties. */
function addressOf(item: MicroformatItem, depth: number): (Value | undefined)[] {
  const stated = values(item, "adr", depth);
  if (stated.length > 0) return stated;
  const own = address(item);
  return own.properties.size > 0 ? [own] : [];
}

function address(item: MicroformatItem): Thing {
  return make("PostalAddress", {
    streetAddress: texts(item, "street-address"),
    addressLocality: texts(item, "locality"),
    addressRegion: texts(item, "region"),
    postalCode: texts(item, "postal-code"),
    addressCountry: texts(item, "country-name"),
  });
}
