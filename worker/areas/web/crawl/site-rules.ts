import { GatewayError } from "../../../../contract/errors.ts";
import type { FetchSite } from "../../../transport/site.ts";

/** Of a robots.txt the first 500 KiB count (RFC 9309). */
const mostRead = 500 * 1024;
const mostBytes = 5_000_000;
/** RFC 9309 lets a crawler keep the file for a day; a crawl notices a change sooner. */
const keptMs = 10 * 60_000;
const mostKept = 500;
/** Characters of all kept files: the longest of 500 sites would take 250 MB. */
const mostCharacters = 16 * mostRead;

interface Kept {
  text: Promise<string>;
  /** Of the page for which it is fetched. */
  signal: AbortSignal;
  until: number;
  characters: number;
}

/** The robots.txt of sites, kept for a while so that a crawl fetches it once. */
export class SiteRules {
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  /** The file of the address's site, "" where it has none; throws where it cannot be read, which closes the site. */
  of(address: string, fetchSite: FetchSite, signal: AbortSignal): Promise<string> {
    const url = new URL("/robots.txt", address).href;
    const known = this.#kept.get(url);
    if (known && known.until > performance.now()) {
      // Another page that ends early, perhaps of another account, does not close the site for this one.
      return known.text.catch((error: unknown) => {
        if (!known.signal.aborted || signal.aborted) throw error;
        return this.of(address, fetchSite, signal);
      });
    }
    this.#forget(url);
    const text = read(url, fetchSite, signal);
    const kept: Kept = { text, signal, until: performance.now() + keptMs, characters: 0 };
    this.#kept.set(url, kept);
    this.#forgetOldest();
    text.then(
      ({ length }) => {
        if (this.#kept.get(url) !== kept) return;
        kept.characters = length;
        this.#characters += length;
        this.#forgetOldest();
      },
      () => {
        // The next page asks again.
        if (this.#kept.get(url) === kept) this.#forget(url);
      },
    );
    return text;
  }

  #forgetOldest(): void {
    for (const url of this.#kept.keys()) {
      if (this.#kept.size <= mostKept && this.#characters <= mostCharacters) return;
      this.#forget(url);
    }
  }

  #forget(url: string): void {
    this.#characters -= this.#kept.get(url)?.characters ?? 0;
    this.#kept.delete(url);
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
