import type { Operation } from "./operation.ts";
import { type Recording, recordings } from "./recordings.ts";

/**
 * How sure the mapping of an operation is: where the samples of its upstream come from, and the recorded answers
 * on which it was tried. All samples are written by hand in the upstream's wire format, with made-up values.
 */
export interface Provenance {
  /**
   * `document`: after the provider's own documents. `fields`: after a list of field names of others, because the
   * provider publishes no description of its answers. `recording`: after recorded answers, for the same reason.
   */
  kind: "document" | "fields" | "recording";
  /** Of the documents or, where only that was noted, of the provider. */
  address: string;
  /** Version or date of the document; of one without either, the day on which the samples were written after it. */
  date: string;
}

const document = (address: string, date: string): Provenance => ({
  kind: "document",
  address,
  date,
});

const newPipe: Provenance = {
  kind: "recording",
  address: "https://github.com/TeamNewPipe/NewPipeExtractor",
  date: "2026",
};

/** Name of an upstream -> origin of its samples. */
export const provenances: Readonly<Record<string, Provenance>> = {
  apple: document("https://performance-partners.apple.com/search-api", "2026-11-26"),
  bluesky: document("https://docs.bsky.app", "2026-11-26"),
  codeberg: document("https://codeberg.org/api/swagger", "2026-11-26"),
  coingecko: document("https://github.com/coingecko/coingecko-api-oas", "2026-11-26"),
  congress: document("https://github.com/LibraryOfCongress/api.congress.gov", "2026-11-26"),
  crates: document("https://crates.io", "2026-11-23"),
  crossref: document("https://www.crossref.org", "2026-11-23"),
  crtsh: document("https://github.com/crtsh/certwatch_db", "2026-11-26"),
  "dailymotion-oembed": document(
    "https://developers.dailymotion.com/docs/embed-with-oembed",
    "2026-09-28",
  ),
  datacite: document("https://datacite.org", "2026-11-23"),
  dataforseo: document("https://docs.dataforseo.com/v3/", "2026-11-22"),
  "deps-dev": document("https://deps.dev", "2026-11-23"),
  doh: document("https://one.one.one.one", "2026-11-23"),
  endoflife: document("https://endoflife.date", "2026-11-23"),
  "europe-pmc": document("https://europepmc.org", "2026-11-23"),
  "federal-register": document(
    "https://www.federalregister.gov/developers/documentation/api/v1",
    "2026-11-26",
  ),
  frankfurter: document("https://frankfurter.dev", "2026-11-24"),
  "fresh-linkedin": {
    kind: "fields",
    address: "https://fresh-linkedin-scraper-api.p.rapidapi.com",
    date: "2026-11-22",
  },
  gbif: document("https://techdocs.gbif.org/en/openapi/", "2026-11-26"),
  github: document("https://docs.github.com/en/rest", "2026-11-26"),
  "github-search": document("https://docs.github.com/en/rest", "2026-11-26"),
  gitlab: document("https://docs.gitlab.com/api/", "2026-11-26"),
  "gitlab-search": document("https://docs.gitlab.com/api/", "2026-11-26"),
  gleif: document("https://www.gleif.org", "2026-11-24"),
  greenhouse: document("https://github.com/grnhse/greenhouse-api-docs", "2026-11-26"),
  gutendex: document("https://github.com/garethbjohnson/gutendex", "2026-11-26"),
  hackernews: document("https://github.com/HackerNews/API", "2026-11-22"),
  hex: document("https://hex.pm", "2026-11-23"),
  "hn-search": document("https://hn.algolia.com/api", "2026-11-26"),
  "hugging-face": document("https://huggingface.co/docs/hub/api", "2026-11-26"),
  "hugging-face-files": document("https://huggingface.co/docs/hub/api", "2026-11-26"),
  "iana-rdap": document("https://data.iana.org", "2026-11-23"),
  inaturalist: document("https://api.inaturalist.org/v1/docs/", "2026-11-26"),
  "internet-archive": document("https://archive.org/developers/", "2026-11-26"),
  lemmy: document("https://github.com/LemmyNet/lemmy-js-client", "2026-11-26"),
  lever: document("https://github.com/lever/postings-api", "2026-11-26"),
  "lever-eu": document("https://github.com/lever/postings-api", "2026-11-26"),
  mastodon: document("https://docs.joinmastodon.org", "2026-11-26"),
  "maven-central": document("https://central.sonatype.org/search/rest-api-guide/", "2026-11-23"),
  musicbrainz: document("https://musicbrainz.org/doc/MusicBrainz_API", "2026-11-26"),
  nominatim: document("https://nominatim.org", "2026-11-24"),
  npm: document("https://github.com/npm/registry", "2026-11-23"),
  "npm-downloads": document("https://github.com/npm/registry", "2026-11-23"),
  nuget: document("https://learn.microsoft.com/nuget/api/overview", "2026-11-23"),
  nws: document("https://www.weather.gov/documentation/services-web-api", "2026-11-24"),
  "open-food-facts": document(
    "https://openfoodfacts.github.io/openfoodfacts-server/api/",
    "2026-11-26",
  ),
  "open-food-facts-search": document(
    "https://openfoodfacts.github.io/openfoodfacts-server/api/",
    "2026-11-26",
  ),
  "open-library": document("https://openlibrary.org/developers/api", "2026-11-26"),
  "open-meteo": document("https://open-meteo.com/en/docs", "2026-11-26"),
  "open-meteo-air-quality": document(
    "https://open-meteo.com/en/docs/air-quality-api",
    "2026-11-26",
  ),
  "open-meteo-archive": document(
    "https://open-meteo.com/en/docs/historical-weather-api",
    "2026-11-26",
  ),
  openalex: document("https://docs.openalex.org", "2026-11-26"),
  openfda: document("https://open.fda.gov/apis/", "2026-11-26"),
  orcid: document("https://orcid.org", "2026-11-23"),
  osv: document("https://osv.dev", "2026-11-23"),
  overpass: document("https://dev.overpass-api.de/overpass-doc/en/", "2026-11-26"),
  packagist: document("https://packagist.org", "2026-11-23"),
  photon: document("https://photon.komoot.io", "2026-11-24"),
  pub: document("https://pub.dev", "2026-11-23"),
  pypi: document("https://pypi.org", "2026-11-23"),
  pypistats: document("https://pypistats.org/api/", "2026-11-23"),
  rdap: document("https://www.rfc-editor.org/rfc/rfc9083", "2026-11-23"),
  reddit: {
    kind: "recording",
    address: "https://github.com/praw-dev/praw",
    date: "2016 to 2025",
  },
  remotive: document("https://github.com/remotive-com/remote-jobs-api", "2026-11-26"),
  ror: document("https://ror.org", "2026-11-23"),
  rubygems: document("https://rubygems.org", "2026-11-23"),
  sec: document("https://www.sec.gov/search-filings", "2026-11-24"),
  "sec-data": document("https://www.sec.gov/search-filings", "2026-11-24"),
  "semantic-scholar": document("https://www.semanticscholar.org", "2026-11-23"),
  "stack-exchange": document("https://api.stackexchange.com/docs", "2026-11-26"),
  ticketmaster: document(
    "https://developer.ticketmaster.com/products-and-docs/apis/discovery-api/v2/",
    "2026-11-22",
  ),
  "tiktok-oembed": document("https://developers.tiktok.com/docs/embed-videos", "2026-10-23"),
  tikhub: document("https://api.tikhub.io", "OpenAPI 5.3.2 of 2026-03-27"),
  twitter283: {
    kind: "fields",
    address: "https://github.com/vicnaum/vics-twitter-toolkit",
    date: "2026-03",
  },
  unpaywall: document("https://unpaywall.org", "2026-11-23"),
  usaspending: document("https://github.com/fedspendingtransparency/usaspending-api", "2026-11-26"),
  usgs: document("https://earthquake.usgs.gov/fdsnws/event/1/", "2026-11-24"),
  // The site publishes no description of this page's data.
  wayback: document("https://github.com/internetarchive/wayback", "2026-11-26"),
  "vimeo-oembed": document("https://developer.vimeo.com/api/oembed/videos", "2026-11-26"),
  weibo: {
    kind: "fields",
    address: "https://weibo.com/ajax/side/hotSearch",
    date: "2026-11-22",
  },
  wikidata: document("https://www.wikidata.org", "2026-11-23"),
  "wikidata-query": document(
    "https://www.mediawiki.org/wiki/Wikidata_Query_Service/User_Manual",
    "2026-11-26",
  ),
  wikimedia: document(
    "https://doc.wikimedia.org/generated-data-platform/aqs/analytics-api/",
    "2026-11-23",
  ),
  wikipedia: document("https://www.wikipedia.org", "2026-11-23"),
  "world-bank": document("https://data.worldbank.org", "2026-11-24"),
  x: document("https://github.com/xdevplatform/docs", "2026-08"),
  youtube: newPipe,
  // The site has no document of its own; it is listed with its service at the specification.
  "youtube-oembed": document("https://oembed.com", "2026-11-26"),
  "youtube-charts": newPipe,
};

export const recordingsOf = (op: Pick<Operation, "id">): readonly Recording[] =>
  recordings[op.id] ?? [];

/** The evidence that every installation has, in words. */
export function evidenceOf(op: Pick<Operation, "id" | "area">): string {
  const { length } = recordingsOf(op);
  if (length > 0) return `recorded answers: ${length}`;
  // These read sites themselves: there is no upstream whose answer could differ from its documents.
  return op.area === "browser" || op.area === "web" ? "tested on real pages" : "documents only";
}

/** The evidence of this installation: `verifiedAt` is when the operation last worked for `gateway verify`. */
export const evidenceHere = (
  op: Pick<Operation, "id" | "area">,
  verifiedAt: Date | null | undefined,
): string =>
  verifiedAt ? `verified live on ${verifiedAt.toISOString().slice(0, 10)}` : evidenceOf(op);
