import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { vary } from "../../../sandbox/vary.ts";

const art = "https://art.example/image";

function app(id: number, entity: string) {
  const v = vary("apple", "app", id);
  return {
    wrapperType: "software",
    kind: entity === "macSoftware" ? "mac-software" : "software",
    trackId: id,
    bundleId: `example.sample.${v.pick("bundle", words)}`,
    trackName: `${v.pick("name", words)} notes`,
    artistId: Number(v.digits("artist", 9)),
    artistName: `${v.pick("artist", words)} Ltd`,
    artistViewUrl: `https://apps.example/developer/${v.digits("artist", 9)}`,
    sellerName: "Sample Seller Ltd",
    sellerUrl: `https://notes.example/${id}`,
    description: `Notes on ${v.pick("description", words)}.`,
    releaseNotes: `Now with ${v.pick("notes", words)}.`,
    version: `${v.int("major", 1, 9)}.${v.int("minor", 0, 9)}`,
    primaryGenreName: "Productivity",
    genres: ["Productivity", "Utilities"],
    price: v.int("price", 0, 9) + 0.99,
    formattedPrice: "$4.99",
    currency: "USD",
    averageUserRating: v.int("rating", 100, 500) / 100,
    userRatingCount: v.int("ratings", 1, 90_000),
    averageUserRatingForCurrentVersion: v.int("current", 100, 500) / 100,
    userRatingCountForCurrentVersion: v.int("currents", 1, 900),
    contentAdvisoryRating: "4+",
    languageCodesISO2A: ["EN", "DE"],
    minimumOsVersion: "16.0",
    fileSizeBytes: v.digits("size", 8),
    releaseDate: "2019-03-02T08:00:00Z",
    currentVersionReleaseDate: "2026-05-04T10:11:12Z",
    artworkUrl512: `${art}/${id}/512x512bb.jpg`,
    artworkUrl100: `${art}/${id}/100x100bb.jpg`,
    screenshotUrls: [`${art}/${id}/one.png`, `${art}/${id}/two.png`],
    ipadScreenshotUrls: [],
    trackViewUrl: `https://apps.example/us/app/id${id}?uo=4`,
  };
}

function podcast(id: number) {
  const v = vary("apple", "podcast", id);
  return {
    wrapperType: "track",
    kind: "podcast",
    collectionId: id,
    trackId: id,
    artistName: `${v.pick("artist", words)} radio`,
    collectionName: `The ${v.pick("name", words)} hour`,
    trackName: `The ${v.pick("name", words)} hour`,
    collectionViewUrl: `https://podcasts.example/us/podcast/id${id}?uo=4`,
    feedUrl: `https://feeds.example/${id}.xml`,
    trackCount: v.int("episodes", 1, 900),
    releaseDate: "2026-05-04T10:11:00Z",
    collectionExplicitness: v.int("explicit", 0, 3) === 0 ? "explicit" : "notExplicit",
    country: "USA",
    primaryGenreName: "Nature",
    genres: ["Nature", "Podcasts", "Science"],
    artworkUrl600: `${art}/${id}/600x600bb.jpg`,
    artworkUrl100: `${art}/${id}/100x100bb.jpg`,
  };
}

function search({ query, empty }: SampleRequest) {
  const base = Number(vary("apple", String(query?.term)).digits("base", 6)) * 1000;
  const results = Array.from({ length: empty ? 0 : Number(query?.limit) }, (_, index) =>
    query?.media === "podcast" ? podcast(base + index) : app(base + index, String(query?.entity)),
  );
  return { resultCount: results.length, results };
}

/** Sample answers of Apple's stores, written for this project. */
export const apple: Samples = {
  upstream: "apple",
  answers: {
    "GET /search": search,
    // A number alone does not say what it is: the answer to each has both.
    "GET /lookup": ({ query }) => {
      const results = [app(Number(query?.id), "software"), podcast(Number(query?.id))];
      return { resultCount: results.length, results };
    },
  },
  faults: {
    not_found: { status: 200, body: { resultCount: 0, results: [] } },
    upstream_error: {
      status: 400,
      body: { errorMessage: "Invalid value(s) for key(s): [entity]" },
    },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
