import { object } from "./wire.ts";

const deepest = 16;

/** True for a link to the vendor's own hosts; such links contain the vendor's ids. */
export const isVendorLink = (link: string) =>
  /^https?:\/\/([^/?#]*\.)?dataforseo\.com([/?#:]|$)/i.test(link);

/** A value without empty members (null, "") and without links to the vendor's own hosts. */
export function cleaned(value: unknown, depth = 0): unknown {
  if (value === null || value === "" || depth > deepest) return undefined;
  if (typeof value === "string") return isVendorLink(value) ? undefined : value;
  if (Array.isArray(value)) {
    // Empty entries stay in lists, so that table cells keep their column.
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
