import { object } from "./wire.ts";

const deepest = 16;

/** A link to the vendor's own hosts, which carries its ids. */
export const isVendorLink = (link: string) =>
  /^https?:\/\/([^/?#]*\.)?dataforseo\.com([/?#:]|$)/i.test(link);

/** A value without what says nothing (null, "") and without links to the vendor's own hosts. */
export function cleaned(value: unknown, depth = 0): unknown {
  if (value === null || value === "" || depth > deepest) return undefined;
  if (typeof value === "string") return isVendorLink(value) ? undefined : value;
  if (Array.isArray(value)) {
    // A cell of a table keeps its place.
    return value.map((entry: unknown) =>
      entry === null ? null : (cleaned(entry, depth + 1) ?? ""),
    );
  }
  const holder = object(value);
  if (!holder) return value;
  const members = Object.entries(holder)
    .map(([name, inner]) => [name, cleaned(inner, depth + 1)] as const)
    .filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(members);
}
