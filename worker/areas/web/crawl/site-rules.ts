import { GatewayError } from "../../../../contract/errors.ts";
import type { FetchSite } from "../../../transport/site.ts";

/** Of a robots.txt the first 500 KiB count (RFC 9309). */
const mostRead = 500 * 1024;
const mostBytes = 5_000_000;
/** RFC 9309 lets a crawler keep the file for a day; a crawl notices a change sooner. */
const keptMs = 10 * 60_000;
const mostKept = 500;

/** The robots.txt of sites, kept for a while so that a crawl fetches it once. */
export class SiteRules {
  readonly #kept = new Map<string, { text: Promise<string>; until: number }>();

  /** The file of the address's site, "" where it has none; throws where it cannot be read, which closes the site. */
  of(address: string, fetchSite: FetchSite, signal: AbortSignal): Promise<string> {
    const url = new URL("/robots.txt", address).href;
    const known = this.#kept.get(url);
    if (known && known.until > performance.now()) return known.text;
    if (this.#kept.size >= mostKept) this.#kept.clear();
    const text = read(url, fetchSite, signal);
    this.#kept.set(url, { text, until: performance.now() + keptMs });
    // The next page asks again.
    text.catch(() => this.#kept.delete(url));
    return text;
  }
}

async function read(url: string, fetchSite: FetchSite, signal: AbortSignal): Promise<string> {
  const accept = "text/plain, */*;q=0.5";
  const { status, bytes } = await fetchSite({ url, signal, mostBytes, accept });
  // RFC 9309: no file allows all, a server that fails or wants fewer requests allows nothing.
  if (status >= 400 && status < 500 && status !== 429) return "";
  if (status < 200 || status >= 300) {
    throw new GatewayError(
      "upstream_unavailable",
      `The site's robots.txt answered with status ${status}, so nothing of the site may be fetched`,
      { retryAfter: 5 },
    );
  }
  return bytes.toString("utf8", 0, mostRead).replace(/^\uFEFF/, "");
}
