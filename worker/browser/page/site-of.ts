import { getDomain } from "tldts";

/** The registrable domain by the Public Suffix List with private suffixes; the host where there is none. */
export function siteOf(url: string): string {
  return getDomain(url, { allowPrivateDomains: true }) ?? new URL(url).hostname;
}
