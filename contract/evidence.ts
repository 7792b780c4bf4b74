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
  /** Of the documents or, where only that was noted, of the provider; absent where neither was. */
  address?: string;
  /** Version or date of the document; absent where it was not noted. */
  date?: string;
}

const document = (address?: string, date?: string): Provenance => ({
  kind: "document",
  ...(address === undefined ? {} : { address }),
  ...(date === undefined ? {} : { date }),
});

const newPipe: Provenance = {
  kind: "recording",
  address: "https://github.com/TeamNewPipe/NewPipeExtractor",
  date: "2026",
};

/** Name of an upstream -> origin of its samples. */
export const provenances: Readonly<Record<string, Provenance>> = {
  crates: document("https://crates.io"),
  crossref: document("https://www.crossref.org"),
  datacite: document("https://datacite.org"),
  dataforseo: document("https://docs.dataforseo.com/v3/"),
  "deps-dev": document("https://deps.dev"),
  doh: document("https://one.one.one.one"),
  endoflife: document("https://endoflife.date"),
  "europe-pmc": document("https://europepmc.org"),
  frankfurter: document("https://frankfurter.dev"),
  "fresh-linkedin": { kind: "fields" },
  gleif: document("https://www.gleif.org"),
  hackernews: document("https://github.com/HackerNews/API"),
  hex: document("https://hex.pm"),
  "iana-rdap": document("https://data.iana.org"),
  "maven-central": document(),
  nominatim: document("https://nominatim.org"),
  npm: document(),
  "npm-downloads": document(),
  nuget: document(),
  nws: document("https://www.weather.gov/documentation/services-web-api"),
  orcid: document("https://orcid.org"),
  osv: document("https://osv.dev"),
  packagist: document("https://packagist.org"),
  photon: document("https://photon.komoot.io"),
  pub: document("https://pub.dev"),
  pypi: document("https://pypi.org"),
  pypistats: document(),
  rdap: document(),
  reddit: {
    kind: "recording",
    address: "https://github.com/praw-dev/praw",
    date: "2016 to 2025",
  },
  ror: document("https://ror.org"),
  rubygems: document("https://rubygems.org"),
  sec: document("https://www.sec.gov/search-filings"),
  "sec-data": document("https://www.sec.gov/search-filings"),
  "semantic-scholar": document("https://www.semanticscholar.org"),
  ticketmaster: document(),
  tikhub: document("https://api.tikhub.io", "OpenAPI 5.3.2 of 2026-03-27"),
  twitter283: {
    kind: "fields",
    address: "https://github.com/vicnaum/vics-twitter-toolkit",
    date: "2026-03",
  },
  unpaywall: document("https://unpaywall.org"),
  usgs: document("https://earthquake.usgs.gov/fdsnws/event/1/"),
  weibo: document(),
  wikidata: document("https://www.wikidata.org"),
  wikimedia: document("https://doc.wikimedia.org/generated-data-platform/aqs/analytics-api/"),
  wikipedia: document("https://www.wikipedia.org"),
  "world-bank": document("https://data.worldbank.org"),
  x: document("https://github.com/xdevplatform/docs", "2026-08"),
  youtube: newPipe,
  "youtube-charts": newPipe,
};

export const recordingsOf = (op: Pick<Operation, "id">): readonly Recording[] =>
  recordings[op.id] ?? [];

/** The evidence that every installation has, in words. */
export function evidenceOf(op: Pick<Operation, "id" | "pool">): string {
  const { length } = recordingsOf(op);
  if (length > 0) return `recorded answers: ${length}`;
  // Pages are rendered here: there is no upstream whose answer could differ from its documents.
  return op.pool === "browser" ? "tested on real pages" : "documents only";
}

/** The evidence of this installation: `verifiedAt` is when the operation last worked for `gateway verify`. */
export const evidenceHere = (
  op: Pick<Operation, "id" | "pool">,
  verifiedAt: Date | null | undefined,
): string =>
  verifiedAt ? `verified live on ${verifiedAt.toISOString().slice(0, 10)}` : evidenceOf(op);
