import { getDomain } from "tldts";
import { parseCookie } from "undici";

interface Kept {
  pair: string;
  host: string;
  /** Whether the site's hosts below `host` get the cookie, too. */
  isWide: boolean;
  path: string;
  isSecure: boolean;
}

const mostCookies = 50;
const mostCharacters = 8192;

/** Cookies of the answers of one read, for the redirects that follow (RFC 6265). */
export class Cookies {
  readonly #kept = new Map<string, Kept>();

  take(stated: readonly string[], from: URL): void {
    for (const text of stated) {
      const cookie = parseCookie(text);
      if (!cookie) continue;
      const { name, value, domain, path, secure, maxAge, expires } = cookie;
      const host = domain || from.hostname;
      if (!isWithin(from.hostname, host)) continue;
      const place = path?.startsWith("/")
        ? path
        : from.pathname.replace(/(.)\/[^/]*$|[^/]*$/, "$1");
      const key = JSON.stringify([name, host, place]);
      this.#kept.delete(key);
      const isOver = maxAge === undefined ? Number(expires ?? Infinity) <= Date.now() : maxAge <= 0;
      if (isOver || this.#kept.size >= mostCookies) continue;
      const pair = name === "" ? value : `${name}=${value}`;
      this.#kept.set(key, { pair, host, isWide: !!domain, path: place, isSecure: secure === true });
    }
  }

  /** The header for a request; undefined where no cookie is for the address. */
  headerFor({ hostname, pathname, protocol }: URL): string | undefined {
    const pairs = [...this.#kept.values()]
      .filter(
        ({ host, isWide, path, isSecure }) =>
          (isWide ? isWithin(hostname, host) : hostname === host) &&
          `${pathname}/`.startsWith(path.replace(/\/?$/, "/")) &&
          (!isSecure || protocol === "https:"),
      )
      .map(({ pair }) => pair);
    const header = pairs.join("; ");
    return header === "" || header.length > mostCharacters ? undefined : header;
  }
}

/** Whether a host is `domain` or below it, and both are of one site. */
function isWithin(host: string, domain: string): boolean {
  if (host === domain) return true;
  const site = getDomain(host, { allowPrivateDomains: true });
  return host.endsWith(`.${domain}`) && site !== null && `.${domain}`.endsWith(`.${site}`);
}
