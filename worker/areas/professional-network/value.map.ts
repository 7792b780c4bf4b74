import type { ProfessionalNetworkCompanyReference } from "../../../contract/areas/professional-network/records.ts";
import { unescaped } from "../../mapping/path.map.ts";
import { type Wire, array, at, count, defined, id, integer, text } from "#wire";

/** The value of the first name for which `read` returns one. */
export function first<T>(
  row: unknown,
  names: readonly string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const name of names) {
    const value = read(at(row, ...name.split(".")));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A count that may be written as "1,234" or "500+". */
export function figure(value: unknown): number | undefined {
  const plain = count(value);
  if (plain !== undefined || typeof value !== "string") return plain;
  return /^\d[\d,]{0,18}\+?$/.test(value) ? count(value.replace(/[,+]/g, "")) : undefined;
}

export function isFloor(value: unknown): boolean {
  return typeof value === "string" && /^\d[\d,]{0,18}\+$/.test(value);
}

/** Address of a picture: a text, an object, or a list of sizes, of which the widest counts. */
export function picture(value: unknown): string | undefined {
  const sizes = array(value);
  if (!sizes) return text(value) ?? text(at(value, "url"));
  const widths = sizes
    .map((size) => ({ url: picture(size), width: count(at(size, "width")) ?? 0 }))
    .filter(({ url }) => url !== undefined);
  return widths.sort((a, b) => b.width - a.width)[0]?.url;
}

/** A name of a page as callers write it: addresses and some answers have it percent-encoded. */
export function pageName(value: unknown): string | undefined {
  const written = text(value);
  // An internal id of a member is no name.
  if (written === undefined || written.startsWith("ACoAA")) return undefined;
  return unescaped(written);
}

/** The name at the end of an address of a page, lower-cased. */
export function slugOf(value: unknown): string | undefined {
  const [kind, last] = pageOf(value);
  // Companies are also addressed by their number.
  return kind !== "in" && numberOf(last) ? undefined : pageName(last)?.toLowerCase();
}

function pageOf(value: unknown): [kind?: string, last?: string] {
  const path = text(value)?.split(/[?#]/, 1)[0] ?? "";
  const found = /\/(in|company|school|showcase)\/([^/]{1,1000})\/?$/.exec(path);
  return found ? [found[1] as string, found[2] as string] : [];
}

/** `{year, month}`, "2020-03" or a year alone. */
export function monthOf(value: unknown): { year: number; month?: number } | undefined {
  const written = typeof value === "string" ? /^(\d{4})(?:-(\d{1,2}))?/.exec(value) : null;
  const year = integer(written?.[1] ?? at(value, "year") ?? value);
  if (year === undefined || year < 1000 || year > 9999) return undefined;
  const month = integer(written?.[2] ?? at(value, "month"));
  return month !== undefined && month >= 1 && month <= 12 ? { year, month } : { year };
}

/** Unix seconds of an ISO time or of a number in seconds or milliseconds; "2mo" gives none. */
export function timeOf(value: unknown): number | undefined {
  const plain = count(value);
  if (plain !== undefined) return plain > 100_000_000_000 ? Math.floor(plain / 1000) : plain;
  const written = text(value);
  if (written === undefined || !/^\d{4}-\d{2}-\d{2}/.test(written)) return undefined;
  // A time without a zone is UTC.
  const isZoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(written) || written.length === 10;
  const milliseconds = Date.parse(isZoned ? written : `${written.replace(" ", "T")}Z`);
  return Number.isFinite(milliseconds) ? Math.floor(milliseconds / 1000) : undefined;
}

/** The number at the end of a URN, or a bare one. */
export function numberOf(value: unknown): string | undefined {
  return /^(?:urn:[a-zA-Z0-9:_-]{1,60}:)?(\d{1,25})$/.exec(id(value) ?? "")?.[1];
}

/** Texts in a list, or in one text divided by commas. */
export function texts(value: unknown): string[] | undefined {
  const found =
    typeof value === "string"
      ? value.split(",", 200).map((part) => part.trim())
      : (array(value) ?? []).map((entry) => text(entry) ?? text(at(entry, "name")) ?? "");
  const parts = found.filter((part) => part !== "");
  return parts.length > 0 ? parts : undefined;
}

export function companyReference(
  value: unknown,
  beside: Wire = {},
): ProfessionalNetworkCompanyReference | undefined {
  const name = text(value) ?? text(at(value, "name")) ?? text(beside.company_name);
  const number =
    numberOf(at(value, "id")) ??
    numberOf(beside.company_id) ??
    numberOf(pageOf(at(value, "url"))[1]) ??
    numberOf(pageOf(beside.company_url)[1]);
  const universal =
    pageName(at(value, "universal_name")) ?? slugOf(at(value, "url")) ?? slugOf(beside.company_url);
  if (name === undefined && number === undefined && universal === undefined) return undefined;
  return defined({ id: number, name, universal_name: universal });
}

export function locationOf(value: unknown, beside: Wire) {
  const written = text(value);
  const country = text(at(value, "country")) ?? text(beside.country);
  const found = defined({
    country,
    country_code: text(at(value, "country_code")) ?? text(beside.country_code),
    city: text(at(value, "city")) ?? text(beside.city),
    full:
      written ?? text(at(value, "full")) ?? text(at(value, "default")) ?? text(at(value, "name")),
  });
  return Object.keys(found).length > 0 ? found : undefined;
}
