import * as z from "zod";

/** Targets of a look-up: a domain, or the URL of a page. */

const domainRule = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;
const hostLength = 253;
/** The host name in lower case and ASCII, or undefined where the text is no host name. */
export function asciiDomain(text: string): string | undefined {
  if (text.length > hostLength) return undefined;
  // Only names beyond ASCII are converted: the conversion would also read numbers as an address.
  const ascii = /^[\x21-\x7e]*$/.test(text) ? text.toLowerCase() : punycode(text);
  return ascii.length <= hostLength && domainRule.test(ascii) ? ascii : undefined;
}

/** ASCII form of an internationalised host name, "" where the text is more than a host. */
function punycode(text: string): string {
  return /[\s/?#@:\\%]/.test(text) ? "" : (URL.parse(`http://${text}`)?.hostname ?? "");
}

const pageLength = 2048;

/** False where a label of the host name is empty or too long, which URL.parse accepts. */
export function hasHost(url: URL): boolean {
  if (url.hostname.startsWith("[")) return true;
  const name = url.hostname.replace(/\.$/, "");
  return name.length <= hostLength && /^[^.]{1,63}(\.[^.]{1,63})*$/.test(name);
}

/** True for an absolute http(s) URL. */
export function isPage(text: string): boolean {
  if (text.length > pageLength || !/^https?:\/\/[^\s@]+$/i.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && hasHost(url);
}

/** "https://example.com/" becomes "example.com"; a URL of a page stays as it is. */
export function bareHost(text: string): string {
  const scheme = /^https?:\/\//i.exec(text)?.[0].length ?? 0;
  const rest = text.slice(scheme, text.endsWith("/") ? -1 : undefined);
  return asciiDomain(rest) === undefined ? text : rest;
}

/** A domain or subdomain; a scheme and a trailing slash are dropped. */
export const domainTarget = z
  .string()
  .trim()
  .max(300)
  .overwrite(bareHost)
  .refine((text) => asciiDomain(text) !== undefined, { message: "must be a domain or subdomain" })
  .describe("Domain or subdomain; a scheme and a trailing slash are dropped");

/** Long addresses must be ASCII, as on the wire, so that a thousand of them fit in a body. */
const addressRule = /^(?:[!-~]{1,2048}|\S{1,300})$/;

/** Schema of an address that `isFit` accepts. */
export function address(
  isFit: (text: string) => boolean,
  message: string,
  normalise: (text: string) => string = (text) => text,
) {
  return z
    .string()
    .trim()
    .max(pageLength)
    .overwrite(normalise)
    .regex(addressRule, { message, abort: true })
    .refine(isFit, { message });
}

/** A domain, a subdomain or the absolute URL of a page. */
export const pageTarget = address(
  (text) => asciiDomain(text) !== undefined || isPage(text),
  "must be a domain, a subdomain or an absolute http(s) URL",
  bareHost,
).describe("Domain, subdomain or absolute http(s) URL of a page");
