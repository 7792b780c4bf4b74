import { defined } from "#wire";
import type { Extracted, Placed } from "./placed.map.ts";
import type { Thing } from "./things.map.ts";
import {
  addressesOf,
  addressOf,
  countOf,
  memberOf,
  membersOf,
  momentOf,
  nameOf,
  numberOf,
  plainNumber,
  textOf,
  thingsOf,
  valuesOf,
} from "./values.map.ts";

type Product = Extracted["products"][number];
type JobPosting = Extracted["job_postings"][number];
type Organisation = Extracted["organisations"][number];
type Address = NonNullable<Organisation["address"]>;

/** Average rating of a thing. */
export function ratingOf(thing: Thing): Pick<Product, "rating" | "rating_max" | "reviews_count"> {
  const [rating] = thingsOf(thing, "aggregateRating");
  return {
    rating: numberOf(rating, "ratingValue"),
    rating_max: numberOf(rating, "bestRating"),
    reviews_count: countOf(rating, "reviewCount", "ratingCount"),
  };
}

/** Prices of a thing's offers. The first offer with a price and currency counts; an aggregate offer has a range. */
export function pricesOf(
  thing: Thing,
): Pick<Product, "price" | "price_low" | "price_high" | "currency"> & { offer: Thing | undefined } {
  const offers = thingsOf(thing, "offers").flatMap((offer) => [
    offer,
    ...thingsOf(offer, "offers"),
  ]);
  const priceOf = (offer: Thing) => {
    const [specification] = thingsOf(offer, "priceSpecification");
    return [offer, specification].flatMap((from) => {
      const price = numberOf(from, "price");
      const currency = currencyOf(textOf(from, "priceCurrency") ?? textOf(offer, "priceCurrency"));
      return price === undefined ? [] : [{ price, currency, offer }];
    })[0];
  };
  const priced = offers.map(priceOf).find((found) => found !== undefined);
  const range = offers.find((offer) => numberOf(offer, "lowPrice") !== undefined);
  return {
    price: priced?.price,
    price_low: numberOf(range, "lowPrice"),
    price_high: numberOf(range, "highPrice"),
    currency: priced?.currency ?? currencyOf(textOf(range, "priceCurrency")),
    offer: priced?.offer ?? range ?? offers[0],
  };
}

const currencyOf = (text: string | undefined) =>
  text !== undefined && /^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : undefined;

export function productOf({ thing, base }: Placed): Product | undefined {
  const name = textOf(thing, "name");
  if (name === undefined) return undefined;
  const { offer, ...prices } = pricesOf(thing);
  return {
    source: thing.source,
    name,
    description: textOf(thing, "description"),
    url: addressOf(thing, base, "url"),
    image_urls: addressesOf(thing, base, "image"),
    brand: nameOf(thing, "brand"),
    category: nameOf(thing, "category"),
    sku: textOf(thing, "sku"),
    gtin: textOf(thing, "gtin", "gtin13", "gtin14", "gtin12", "gtin8"),
    mpn: textOf(thing, "mpn"),
    ...prices,
    availability: memberOf(offer, "availability"),
    condition:
      memberOf(offer, "itemCondition", /_?Condition$/) ??
      memberOf(thing, "itemCondition", /_?Condition$/),
    seller: nameOf(offer, "seller", "offeredBy"),
    ...ratingOf(thing),
  };
}

/** A postal address, as parts or as one text; undefined where it states none. */
export function postalAddressOf(thing: Thing | undefined, name = "address"): Address | undefined {
  const [stated] = thingsOf(thing, name);
  const address: Address = defined({
    text: stated ? undefined : textOf(thing, name),
    street: textOf(stated, "streetAddress"),
    city: textOf(stated, "addressLocality"),
    region: textOf(stated, "addressRegion"),
    postal_code: textOf(stated, "postalCode"),
    country: nameOf(stated, "addressCountry"),
  });
  return Object.keys(address).length > 0 ? address : undefined;
}

export function jobPostingOf({ thing, base }: Placed): JobPosting | undefined {
  const title = textOf(thing, "title", "name");
  if (title === undefined) return undefined;
  const places = thingsOf(thing, "jobLocation")
    .map((place) => postalAddressOf(place))
    .filter((address) => address !== undefined);
  const [salary] = thingsOf(thing, "baseSalary");
  const [amount] = thingsOf(salary, "value");
  const single = plainNumber(valuesOf(salary, "value")[0]) ?? numberOf(amount, "value");
  return {
    source: thing.source,
    title,
    description: textOf(thing, "description"),
    url: addressOf(thing, base, "url"),
    organisation: nameOf(thing, "hiringOrganization"),
    posted_at: momentOf(thing, "datePosted"),
    valid_until: momentOf(thing, "validThrough"),
    employment_types: membersOf(thing, "employmentType"),
    locations: places.length > 0 ? places : undefined,
    is_remote: memberOf(thing, "jobLocationType") === "telecommute" ? true : undefined,
    salary_low: numberOf(amount, "minValue") ?? numberOf(salary, "minValue") ?? single,
    salary_high: numberOf(amount, "maxValue") ?? numberOf(salary, "maxValue") ?? single,
    salary_period: memberOf(amount, "unitText") ?? memberOf(salary, "unitText"),
    currency: currencyOf(textOf(salary, "currency") ?? textOf(thing, "salaryCurrency")),
  };
}

/** A telephone number or e-mail address, which pages also state as the address of a link. */
const contactIn = (stated: string | undefined) =>
  stated?.replace(/^(?:mailto|tel):/i, "").split("?", 1)[0];

export function organisationOf({ thing, base }: Placed): Organisation | undefined {
  const name = textOf(thing, "name");
  if (name === undefined) return undefined;
  const [contact] = thingsOf(thing, "contactPoint");
  return {
    source: thing.source,
    name,
    legal_name: textOf(thing, "legalName"),
    description: textOf(thing, "description"),
    url: addressOf(thing, base, "url"),
    logo_url: addressOf(thing, base, "logo"),
    phone: contactIn(textOf(thing, "telephone") ?? textOf(contact, "telephone")),
    email: contactIn(textOf(thing, "email") ?? textOf(contact, "email")),
    address: postalAddressOf(thing),
    same_as: addressesOf(thing, base, "sameAs"),
    founded: momentOf(thing, "foundingDate"),
    ...ratingOf(thing),
  };
}
