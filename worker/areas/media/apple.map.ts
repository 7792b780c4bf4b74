import type { MediaApp, MediaPodcast } from "../../../contract/areas/media/records.ts";
import { type Wire, array, at, count, defined, each, id, need, number, text } from "#wire";

const texts = (value: unknown) => each(value, text);

/** The store writes -1 where there is no price. */
const price = (value: unknown) => {
  const amount = number(value);
  return amount !== undefined && amount >= 0 ? amount : undefined;
};

/** Ratings are binary fractions of up to 50 digits. */
const rating = (value: unknown) => {
  const mean = number(value);
  return mean === undefined ? undefined : Number(mean.toFixed(5));
};

export function app(row: Wire): MediaApp {
  const shots = texts(row.screenshotUrls);
  return defined({
    id: need(id(row.trackId), "trackId"),
    bundle_id: text(row.bundleId),
    name: need(text(row.trackName), "trackName"),
    developer: text(row.artistName),
    developer_id: id(row.artistId),
    developer_url: text(row.artistViewUrl),
    seller: text(row.sellerName),
    description: text(row.description),
    release_notes: text(row.releaseNotes),
    version: text(row.version),
    category: text(row.primaryGenreName),
    categories: texts(row.genres),
    price: price(row.price),
    price_text: text(row.formattedPrice),
    currency: text(row.currency),
    rating: rating(row.averageUserRating),
    rating_count: count(row.userRatingCount),
    current_version_rating: rating(row.averageUserRatingForCurrentVersion),
    current_version_rating_count: count(row.userRatingCountForCurrentVersion),
    content_rating: text(row.contentAdvisoryRating),
    languages: texts(row.languageCodesISO2A).map((code) => code.toLowerCase()),
    minimum_os_version: text(row.minimumOsVersion),
    size_bytes: count(row.fileSizeBytes),
    released_at: text(row.releaseDate),
    updated_at: text(row.currentVersionReleaseDate),
    icon_url: text(row.artworkUrl512) ?? text(row.artworkUrl100),
    screenshot_urls: shots.length > 0 ? shots : texts(row.ipadScreenshotUrls),
    website_url: text(row.sellerUrl),
    url: need(text(row.trackViewUrl), "trackViewUrl"),
  });
}

/** Every podcast has the name of the directory itself among its kinds. */
const directory = "Podcasts";

export function podcast(row: Wire): MediaPodcast {
  const explicitness = text(row.collectionExplicitness);
  return defined({
    id: need(id(row.collectionId) ?? id(row.trackId), "collectionId"),
    title: need(text(row.collectionName) ?? text(row.trackName), "collectionName"),
    author: text(row.artistName),
    feed_url: text(row.feedUrl),
    category: text(row.primaryGenreName),
    categories: texts(row.genres).filter((name) => name !== directory),
    episode_count: count(row.trackCount),
    latest_episode_at: text(row.releaseDate),
    country_code: text(row.country),
    is_explicit:
      explicitness === undefined
        ? undefined
        : explicitness === "explicit" || explicitness === "yes",
    cover_image_url: text(row.artworkUrl600) ?? text(row.artworkUrl100),
    url: text(row.collectionViewUrl) ?? text(row.trackViewUrl),
  });
}

/** The rows of an answer, of this kind only. */
export const resultsOf = (body: unknown, kinds: readonly string[]) =>
  need(array(at(body, "results")), "results").filter((row) =>
    kinds.includes(text(at(row, "kind")) ?? ""),
  );
