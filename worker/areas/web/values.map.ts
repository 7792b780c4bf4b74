import type { Thing, Value } from "./things.map.ts";

/** Readers for the values of a thing. A value that is not stated in a plain form is absent. */

const mostValues = 200;

export const valuesOf = (thing: Thing | undefined, ...names: string[]): readonly Value[] => {
  for (const name of names) {
    const values = thing?.properties.get(name);
    if (values) return values.slice(0, mostValues);
  }
  return [];
};

export const thingsOf = (thing: Thing | undefined, ...names: string[]): Thing[] =>
  valuesOf(thing, ...names).filter((value) => typeof value === "object");

const clean = (value: Value | undefined): string | undefined => {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value || undefined : undefined;
};

export function textOf(thing: Thing | undefined, ...names: string[]): string | undefined {
  return textsOf(thing, ...names)?.[0];
}

/** Undefined where there is none. */
export function textsOf(thing: Thing | undefined, ...names: string[]): string[] | undefined {
  return some(valuesOf(thing, ...names).map(clean));
}

/** The distinct values that are there; undefined where there is none. */
export function some<T>(values: readonly (T | undefined)[]): T[] | undefined {
  const there = [...new Set(values.filter((value) => value !== undefined))];
  return there.length > 0 ? there : undefined;
}

/** Names of the things that a property has as texts or as things with a name. */
export function namesOf(thing: Thing | undefined, ...names: string[]): string[] | undefined {
  return some(
    valuesOf(thing, ...names).map((value) => {
      const name = typeof value === "object" ? textOf(value, "name") : clean(value);
      // An address identifies a person or a brand, but is no name.
      return name !== undefined && /^https?:\/\//.test(name) ? undefined : name;
    }),
  );
}

export const nameOf = (thing: Thing | undefined, ...names: string[]): string | undefined =>
  namesOf(thing, ...names)?.[0];

/** Comma-separated or repeated keywords. */
export function keywordsOf(thing: Thing): string[] | undefined {
  const texts = namesOf(thing, "keywords") ?? [];
  return some(texts.flatMap((text) => text.split(",").map((word) => word.trim() || undefined)));
}

/** A plain number: `1299.5`, or `1,299.50` with both separators; anything else could be read in two ways. */
export function plainNumber(value: Value | undefined): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (/^-?\d{1,15}(?:\.\d{1,10})?$/.test(text)) return Number(text);
  if (/^-?\d{1,3}(?:,\d{3}){1,4}\.\d{1,10}$/.test(text)) return Number(text.replaceAll(",", ""));
  return undefined;
}

const money = /^(?:([A-Z]{3})\s*)?(?:\p{Sc}\s*)?(\d[\d.,]*)(?:\s*\p{Sc})?(?:\s*([A-Z]{3}))?$/u;

/** An amount with or without its currency; only a code names one, because signs such as `$` stand for several. */
export function moneyIn(
  text: string | undefined,
): { amount: number; currency: string | undefined } | undefined {
  const [, before, digits, after] = money.exec(text?.trim() ?? "") ?? [];
  const amount = plainNumber(digits);
  if (amount === undefined || (before !== undefined && after !== undefined)) return undefined;
  return { amount, currency: before ?? after };
}

export function numberOf(thing: Thing | undefined, ...names: string[]): number | undefined {
  return valuesOf(thing, ...names)
    .map(plainNumber)
    .find((value) => value !== undefined);
}

export function countOf(thing: Thing | undefined, ...names: string[]): number | undefined {
  const value = numberOf(thing, ...names);
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

const isoTime =
  /^\d{4}(?:-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?)?)?$/i;

/** A day or time of ISO 8601, as stated; undefined in any other form, and for a day that does not exist. */
export function momentIn(text: string | undefined): string | undefined {
  if (text === undefined || !isoTime.test(text)) return undefined;
  const day = text.slice(0, 10);
  if (day.length < 10) return Number.isNaN(Date.parse(day)) ? undefined : text;
  const parsed = Date.parse(`${day}T00:00:00Z`);
  // Date.parse takes February 31 for March 3.
  if (Number.isNaN(parsed) || new Date(parsed).toISOString().slice(0, 10) !== day) return undefined;
  return Number(text.slice(11, 13) || 0) <= 24 && Number(text.slice(14, 16) || 0) < 60
    ? text
    : undefined;
}

export const momentOf = (thing: Thing | undefined, ...names: string[]): string | undefined =>
  momentIn(textOf(thing, ...names));

/** Seconds of a duration of ISO 8601 without months and years, whose lengths vary. */
export function secondsOf(thing: Thing, name: string): number | undefined {
  const found =
    /^P(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})(?:\.\d+)?S)?)?$/.exec(
      textOf(thing, name) ?? "",
    );
  if (!found || found.slice(1).every((part) => part === undefined)) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/** Absolute form of an address that the page states relative to itself; undefined for other schemes. */
export function addressIn(text: string | undefined, base: string): string | undefined {
  if (text === undefined || text.length > 8192) return undefined;
  const url = URL.parse(text, base);
  return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : undefined;
}

export function addressesOf(thing: Thing, base: string, ...names: string[]): string[] | undefined {
  return some(
    valuesOf(thing, ...names).map((value) =>
      addressIn(
        typeof value === "object" ? (textOf(value, "contentUrl", "url") ?? value.id) : clean(value),
        base,
      ),
    ),
  );
}

export const addressOf = (thing: Thing, base: string, ...names: string[]): string | undefined =>
  addressesOf(thing, base, ...names)?.[0];

/** A member of one of schema.org's enumerations in snake case: `https://schema.org/InStock` is `in_stock`. */
export function memberOf(
  thing: Thing | undefined,
  name: string,
  drop: RegExp = /$^/,
): string | undefined {
  return membersOf(thing, name, drop)?.[0];
}

export function membersOf(
  thing: Thing | undefined,
  name: string,
  drop: RegExp = /$^/,
): string[] | undefined {
  return some(
    valuesOf(thing, name).map((value) => {
      const stated = typeof value === "object" ? value.id : clean(value);
      const bare = stated?.replace(/^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)/, "");
      if (bare === undefined || !/^[A-Za-z][A-Za-z_ -]{0,49}$/.test(bare)) return undefined;
      const words = /[a-z]/.test(bare) ? bare.replace(/([a-z])([A-Z])/g, "$1_$2") : bare;
      return words.replace(drop, "").replace(/[ -]+/g, "_").toLowerCase() || undefined;
    }),
  );
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
/** Hours of the zones that RFC 822 names. */
const zones: Readonly<Record<string, number>> = {
  GMT: 0,
  UTC: 0,
  UT: 0,
  Z: 0,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
};
const mailDate =
  /^(?:[A-Za-z]{3,9}(?:,\s*|\s+))?(\d{1,2})\s+([A-Za-z]{3,9})\s+(\d{4}|\d{2})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(?:([A-Z]{1,3})|([+-])(\d{2}):?(\d{2}))$/;

/** The century of a year of two digits is the one that RFC 5322 names. */
const fullYear = (year: string): number =>
  year.length > 2 ? Number(year) : Number(year) + (Number(year) < 50 ? 2000 : 1900);

/** A moment of ISO 8601 as stated, or one of RFC 822 (RSS) as ISO 8601 in UTC; undefined in any other form. */
export function instantIn(value: string | undefined): string | undefined {
  const parts = mailDate.exec(value ?? "");
  if (!parts) return momentIn(value);
  const [, day, name = "", year, hour, minute, second, zone, sign, ahead, aheadMinutes] = parts;
  const month = months.indexOf(name.slice(0, 3).toLowerCase());
  const offset = zone === undefined ? Number(`${sign}${ahead}`) : zones[zone];
  if (month < 0 || offset === undefined) return undefined;
  const minutes = offset * 60 + Number(`${sign ?? ""}${aheadMinutes ?? 0}`);
  const local = Date.UTC(
    fullYear(String(year)),
    month,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second ?? 0),
  );
  // Date.UTC takes February 31 for March 3.
  if (new Date(local).getUTCDate() !== Number(day) || Number(minute) > 59) return undefined;
  return new Date(local - minutes * 60_000).toISOString().replace(".000Z", "Z");
}
