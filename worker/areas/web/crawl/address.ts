/** Addresses of a crawl: one form for each, and the forms of traps. */

/** Longer addresses are traps, or hold a state that no page has. */
const mostCharacters = 2000;
/** As in Heritrix: a longer path, and a part that is repeated more often, come from a broken relative link. */
const mostSegments = 20;
const mostRepetitions = 2;
const mostParameters = 20;
/** Links of one form that follow each other: beyond, they are taken for an endless calendar. */
export const mostRun = 100;

/** Parameters that name a visit, not a page. */
const visits =
  /^(?:utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|twclid|igshid|mc_cid|mc_eid|_ga|_gl|_hsenc|_hsmi|mkt_tok|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken)$/i;

/** The address without what names no other page: fragment, visit, letters written as octets. Undefined for none of the web. */
export function normalise(text: string, base?: string): string | undefined {
  if (text.length > 4 * mostCharacters) return undefined;
  const url = URL.parse(text.trim(), base);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  if (url.username || url.password || url.hostname === "") return undefined;
  url.hash = "";
  url.hostname = url.hostname.replace(/\.$/, "");
  url.pathname = octets(url.pathname.replace(/;jsessionid=[^/;?]*/gi, ""));
  if (url.search !== "") {
    const parts = url.search
      .slice(1)
      .split("&")
      .filter((part) => part !== "" && !visits.test(part.split("=", 1)[0] as string));
    url.search = octets(parts.join("&"));
  }
  // An empty query leaves its question mark.
  return url.href.replace(/\?$/, "");
}

/**
 * Text as addresses have it (RFC 3986, 6.2.2): octets that stand for letters, digits and -._~ as these, the others in
 * capitals, and what no address has as it is as octets.
 */
export const octets = (text: string): string =>
  text
    .replace(/[^!-~]+|["<>]/g, (characters) => encodeURIComponent(characters.toWellFormed()))
    .replace(/%[0-9a-f]{2}/gi, (octet) => {
      const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
    });

/** Octets of a rule or pattern, and of the address it is compared with: an address has `'` as an octet in its query only. */
export const comparable = (text: string): string => octets(text).replaceAll("'", "%27");

/** Whether only a trap has such an address. */
export function isTrap(address: string): boolean {
  if (address.length > mostCharacters) return true;
  const { pathname, search } = new URL(address);
  const segments = pathname.split("/").filter((segment) => segment !== "");
  if (segments.length > mostSegments) return true;
  if (search.split("&").length > mostParameters) return true;
  return repeats(segments);
}

/** Whether a sequence of segments follows itself more than twice. */
function repeats(segments: readonly string[]): boolean {
  const times = mostRepetitions + 1;
  for (let length = 1; length * times <= segments.length; length += 1) {
    let same = 0;
    for (let at = length; at < segments.length; at += 1) {
      same = segments[at] === segments[at - length] ? same + 1 : 0;
      if (same === length * mostRepetitions) return true;
    }
  }
  return false;
}

/** The form of an address: its path with every number as one, and the names of its parameters. */
export function formOf(address: string): string {
  const { origin, pathname, search } = new URL(address);
  const names = search
    .slice(1)
    .split("&")
    .map((part) => part.split("=", 1)[0]);
  return `${origin}${pathname.replace(/\d+/g, "0")}?${names.join("&")}`;
}

/** PDFs and office documents that are read, by their name. */
export const isDocumentName = (address: string): boolean =>
  /\.(?:pdf|docx|xlsx|pptx|od[tsp]|epub)$/i.test(new URL(address).pathname);

/** Files that are no page and no document that is read, by their name. */
export const isFile = (address: string): boolean =>
  /\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|css|m?js|map|json|xml|rss|atom|txt|csv|doc|xls|ppt|rtf|zip|gz|tgz|bz2|xz|7z|rar|tar|dmg|exe|msi|deb|rpm|apk|iso|bin|mp[34]|m4[av]|webm|mov|avi|mkv|wav|ogg|ogv|flac|woff2?|ttf|otf|eot|wasm)$/i.test(
    new URL(address).pathname,
  );
